// Tidepool for C11, and for every language that can call C.
//
//     const float values[] = {1, 2, 3, 4};
//     const int64_t shape[] = {2, 2};
//     tp_tensor *a = NULL, *b = NULL;
//     if (tp_check_interface(TP_INTERFACE_MAJOR, TP_INTERFACE_MINOR) || tp_from_f32(values, 4, shape, 2, NULL, &a) || tp_matmul(a, a, &b))
//       fprintf(stderr, "%s\n", tp_last_error());
//     tp_tensor_free(b);
//     tp_tensor_free(a);
//
// A function f of C++ is tp_f here, a member of Tensor tp_tensor_f, what stands in `raw` tp_raw_f, and it does the same: the headers
// beside this one say what. docs/c.md explains a whole program, examples/xor.c is one, examples/xor_ctypes.py another.
//
// Errors: every function but the three that give text gives a tp_status, TP_OK being 0; tp_last_error() says what was wrong with the last
// call of this thread that failed. Nothing is thrown, nothing ends the program. A handle that is NULL, was freed or is none at all is an
// error like others.
//
// Handles (tp_device, tp_tensor, tp_plan, tp_ticket) come through the last parameter, which is NULL after an error, and belong to the
// caller, who gives them back with tp_…_free: NULL is fine there. They are names, not addresses. `const tp_tensor*` is read, `tp_tensor*`
// is written into. A device of NULL stands for the default device; where NULL stands for something else, the function says so.
//
// Threads: any function may be called from any thread. Captures, tidy scopes and tp_no_grad belong to the calling thread; default device,
// settings, seed and log to the process.
//
// Flags are 0 or 1. Options may be NULL for those of TP_…_DEFAULTS. Strings are UTF-8 and end with 0.
#ifndef TIDEPOOL_C_H
#define TIDEPOOL_C_H

// NOLINTBEGIN: this is C
#include <stddef.h>
#include <stdint.h>

#define TP_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

// Versions.

// Of this interface, whatever the version of the library. Within a major number nothing changes and things are only added, each time with
// a new minor number.
#define TP_INTERFACE_MAJOR 1
#define TP_INTERFACE_MINOR 0

typedef int tp_status;
enum {
  TP_OK = 0,
  TP_ERROR = 1,           // what has no name of its own below: calls in a wrong order, for the most part
  TP_SHAPE_ERROR = 2,     // shapes that do not fit, counts that are not the tensor's
  TP_DTYPE_ERROR = 3,     // another type of elements than wanted
  TP_DEVICE_ERROR = 4,    // a device that is not there, tensors on different ones
  TP_DEVICE_LOST = 5,     // what lived on the device is gone; tp_reset makes it usable again
  TP_OUT_OF_MEMORY = 6,   // the message says who holds how much; everything still works
  TP_RELEASED_ERROR = 7,  // use of what was freed or released
  TP_IO_ERROR = 8,        // files
  TP_ARGUMENT_ERROR = 9,  // a value out of range, NULL where none may be, no handle
  TP_VERSION_ERROR = 10,  // compiled against another interface than this library has
  TP_INTERNAL_ERROR = 11  // none of our own errors: please report it
};

// The first call of a program: TP_VERSION_ERROR unless what it was compiled against is here.
TP_API tp_status tp_check_interface(int major, int minor);
TP_API tp_status tp_interface(int* major, int* minor);  // of the library
TP_API const char* tp_version(void);                    // of the library: "0.1.0"
// About the last call of this thread that failed; "" when there was none. Good until the next one fails.
TP_API const char* tp_last_error(void);
TP_API const char* tp_status_name(tp_status status);  // "TP_SHAPE_ERROR"; "unknown" for what is none

typedef struct tp_device tp_device;
typedef struct tp_tensor tp_tensor;
typedef struct tp_plan tp_plan;
typedef struct tp_ticket tp_ticket;

// Devices (device.h).

typedef struct tp_device_info {
  char id[32];       // what tp_device_open takes: "cpu", "vulkan:0"
  char name[256];    // what its maker calls it
  char kind[16];     // "cpu", "discrete", "integrated", "virtual", "software" or "test"
  char driver[256];  // name and version, where there is one
  size_t memory_total;
  size_t memory_free;
  double load;  // 0 to 1; -1 when nobody knows
  char load_source[256];
} tp_device_info;

typedef struct tp_select_options {
  int prefer_gpu;
  int required;  // an error rather than the CPU when nothing fits
  int allow_software;
  size_t min_memory;
  double max_load;
  const char* name;  // an id, or part of a name; NULL for any
} tp_select_options;
#define TP_SELECT_DEFAULTS \
  { 1, 0, 0, 0, 1.0, NULL }

// How many there are, and as many of them as there is room for. `infos` may be NULL when the room is 0.
TP_API tp_status tp_devices(tp_device_info* infos, int64_t room, int64_t* count);
TP_API tp_status tp_device_open(const char* id, tp_device** device);
TP_API tp_status tp_select(const tp_select_options* options, tp_device** device);  // and makes it the default
TP_API tp_status tp_default_device(tp_device** device);
TP_API tp_status tp_set_default_device(const tp_device* device);
TP_API tp_status tp_device_id(const tp_device* device, const char** id);  // good for ever
TP_API tp_status tp_reset(const tp_device* device);                       // makes it anew; what lived on it is gone
TP_API tp_status tp_device_free(tp_device* device);                       // the handle; the device stays as it is

// Tensors (tensor.h).

#define TP_MAX_RANK 8

enum { TP_F32 = 0, TP_F16 = 1, TP_I32 = 2, TP_U8 = 3 };  // dtype

// New ones. A shape is `rank` sizes, outermost first; rank 0, a single number, has no sizes and takes NULL.
TP_API tp_status tp_zeros(const int64_t* shape, int64_t rank, int dtype, const tp_device* device, tp_tensor** out);
TP_API tp_status tp_full(const int64_t* shape, int64_t rank, float value, int dtype, const tp_device* device, tp_tensor** out);
TP_API tp_status tp_empty(const int64_t* shape, int64_t rank, int dtype, const tp_device* device, tp_tensor** out);  // any contents
TP_API tp_status tp_rand(const int64_t* shape, int64_t rank, int dtype, const tp_device* device, tp_tensor** out);   // from [0, 1)
TP_API tp_status tp_randn(const int64_t* shape, int64_t rank, int dtype, const tp_device* device, tp_tensor** out);  // normal
TP_API tp_status tp_manual_seed(uint64_t seed);
// From the host, which may change or free the values at once. The count is that of the shape.
TP_API tp_status tp_from_f32(const float* values, int64_t count, const int64_t* shape, int64_t rank, const tp_device* device,
                             tp_tensor** out);
TP_API tp_status tp_from_i32(const int32_t* values, int64_t count, const int64_t* shape, int64_t rank, const tp_device* device,
                             tp_tensor** out);
TP_API tp_status tp_from_u8(const uint8_t* values, int64_t count, const int64_t* shape, int64_t rank, const tp_device* device,
                            tp_tensor** out);

TP_API tp_status tp_tensor_free(tp_tensor* tensor);     // the handle; the numbers live while a view, a plan or a gradient needs them
TP_API tp_status tp_tensor_release(tp_tensor* tensor);  // ends the tensor for every handle; the handle is still to be freed

// The rank, and the sizes when there is room for them: TP_MAX_RANK is always enough. `sizes` may be NULL when the room is 0.
TP_API tp_status tp_tensor_shape(const tp_tensor* tensor, int64_t* sizes, int64_t room, int64_t* rank);
TP_API tp_status tp_tensor_dtype(const tp_tensor* tensor, int* dtype);
TP_API tp_status tp_tensor_numel(const tp_tensor* tensor, int64_t* numel);
TP_API tp_status tp_tensor_nbytes(const tp_tensor* tensor, size_t* nbytes);
TP_API tp_status tp_tensor_device(const tp_tensor* tensor, tp_device** device);

// To the host and back, of the tensor's own type (f16 goes as float). They wait for the value. The count is the tensor's numel.
TP_API tp_status tp_tensor_copy_to_f32(const tp_tensor* tensor, float* values, int64_t count);
TP_API tp_status tp_tensor_copy_to_i32(const tp_tensor* tensor, int32_t* values, int64_t count);
TP_API tp_status tp_tensor_copy_to_u8(const tp_tensor* tensor, uint8_t* values, int64_t count);
TP_API tp_status tp_tensor_copy_from_f32(tp_tensor* tensor, const float* values, int64_t count);
TP_API tp_status tp_tensor_copy_from_i32(tp_tensor* tensor, const int32_t* values, int64_t count);
TP_API tp_status tp_tensor_copy_from_u8(tp_tensor* tensor, const uint8_t* values, int64_t count);
TP_API tp_status tp_tensor_item_f32(const tp_tensor* tensor, float* value);  // of a tensor with one element
TP_API tp_status tp_tensor_item_i32(const tp_tensor* tensor, int32_t* value);
TP_API tp_status tp_tensor_item_u8(const tp_tensor* tensor, uint8_t* value);

// Views share the numbers: what is written to one shows in the other.
TP_API tp_status tp_tensor_reshape(const tp_tensor* tensor, const int64_t* shape, int64_t rank, tp_tensor** out);  // one size may be -1
TP_API tp_status tp_tensor_slice(const tp_tensor* tensor, int64_t begin, int64_t end, tp_tensor** out);            // rows of axis 0
TP_API tp_status tp_tensor_detach(const tp_tensor* tensor, tp_tensor** out);  // without the way it came to be
// Copies, but for those that ask for what a tensor is already.
TP_API tp_status tp_tensor_clone(const tp_tensor* tensor, tp_tensor** out);
TP_API tp_status tp_tensor_to_device(const tp_tensor* tensor, const tp_device* device, tp_tensor** out);
TP_API tp_status tp_tensor_to_dtype(const tp_tensor* tensor, int dtype, tp_tensor** out);
// In place.
TP_API tp_status tp_copy(tp_tensor* destination, const tp_tensor* source);
TP_API tp_status tp_fill(tp_tensor* tensor, float value);

// Running (run.h).

TP_API tp_status tp_commit(tp_ticket** ticket);  // submits what is recorded on the default device; NULL when nobody asks for it later
TP_API tp_status tp_ticket_ready(const tp_ticket* ticket, int* ready);
TP_API tp_status tp_ticket_wait(const tp_ticket* ticket);
TP_API tp_status tp_ticket_free(tp_ticket* ticket);
TP_API tp_status tp_sync(void);     // submits and waits, on every open device
TP_API tp_status tp_cleanup(void);  // finishes all work, drops caches, idle blocks and plans

// From begin to end this thread's work is recorded and not done; tp_plan_run does it, as often as wanted. A call that fails in between
// fails the capture: tp_capture_end then gives that error again, and no plan. It ends the capture in any case.
TP_API tp_status tp_capture_begin(void);
TP_API tp_status tp_capture_end(tp_plan** plan);
TP_API tp_status tp_capture_cancel(void);  // gives it up, if there is one
TP_API tp_status tp_plan_run(const tp_plan* plan);
TP_API tp_status tp_plan_launches(const tp_plan* plan, int64_t* launches);
TP_API tp_status tp_plan_free(tp_plan* plan);

// Memory (memory.h).

typedef struct tp_settings {
  int64_t max_commands;
  int64_t max_cached_per_class;
  size_t memory_limit;
  size_t cache_limit;
  double wait_limit;
  double max_load;
} tp_settings;
#define TP_UNCHANGED INT64_MIN
#define TP_UNCHANGED_BYTES SIZE_MAX
#define TP_UNCHANGED_REAL (-1.0)
#define TP_SETTINGS_UNCHANGED \
  { TP_UNCHANGED, TP_UNCHANGED, TP_UNCHANGED_BYTES, TP_UNCHANGED_BYTES, TP_UNCHANGED_REAL, TP_UNCHANGED_REAL }

typedef struct tp_memory_stats {
  int64_t tensors;
  size_t live_bytes;
  size_t reserved_bytes;
  size_t cached_bytes;
  size_t peak_bytes;
  size_t allocations;
  size_t reuses;
  size_t evictions;
  size_t limit;
  int reliable;
} tp_memory_stats;

TP_API tp_status tp_configure(const tp_settings* settings);
TP_API tp_status tp_get_settings(tp_settings* settings);
TP_API tp_status tp_memory(const tp_device* device, tp_memory_stats* stats);
TP_API tp_status tp_reset_peak(void);

// A scope frees the tensor handles that this thread made in it, but for those that tp_keep named. Scopes may stand inside each other.
TP_API tp_status tp_tidy_begin(void);
TP_API tp_status tp_tidy_end(void);
TP_API tp_status tp_keep(const tp_tensor* tensor);

// Raw operations: without gradients, into tensors that are there (raw.h).

enum { TP_NONE = 0, TP_RELU = 1, TP_SIGMOID = 2, TP_TANH = 3, TP_GELU = 4 };  // activation

typedef struct tp_adam_options {
  double lr;
  double beta1;
  double beta2;
  double eps;
  double weight_decay;
  int64_t step;  // counts from 1
} tp_adam_options;
#define TP_ADAM_DEFAULTS \
  { 1e-3, 0.9, 0.999, 1e-8, 0.0, 1 }

typedef struct tp_sgd_options {
  double lr;
  double momentum;
  double weight_decay;
  int nesterov;
} tp_sgd_options;
#define TP_SGD_DEFAULTS \
  { 1e-2, 0.0, 0.0, 0 }

typedef struct tp_pool_options {
  int64_t kernel;
  int64_t stride;  // 0: the kernel's size
  int64_t padding;
} tp_pool_options;
#define TP_POOL_DEFAULTS \
  { 2, 0, 0 }

typedef struct tp_im2col_options {
  int64_t kernel;
  int64_t stride;
  int64_t padding;
  int64_t dilation;
} tp_im2col_options;
#define TP_IM2COL_DEFAULTS \
  { 3, 1, 0, 1 }

typedef struct tp_conv2d_options {
  int64_t stride;
  int64_t padding;
  int64_t dilation;
  int64_t groups;
  int activation;
} tp_conv2d_options;
#define TP_CONV2D_DEFAULTS \
  { 1, 0, 1, 1, TP_NONE }

TP_API tp_status tp_raw_mse_grad(const tp_tensor* pred, const tp_tensor* target, double scale, tp_tensor* dpred);
TP_API tp_status tp_raw_cross_entropy_grad(const tp_tensor* logits, const tp_tensor* labels, double scale, tp_tensor* dlogits);
TP_API tp_status tp_raw_update_confusion_matrix(const tp_tensor* pred, const tp_tensor* label, tp_tensor* cm);
TP_API tp_status tp_raw_adam_step(tp_tensor* w, const tp_tensor* g, tp_tensor* m, tp_tensor* v, const tp_adam_options* options);
TP_API tp_status tp_raw_sgd_step(tp_tensor* w, const tp_tensor* g, tp_tensor* velocity,  // NULL without momentum
                                 const tp_sgd_options* options);
TP_API tp_status tp_raw_maxpool2d_fwd(const tp_tensor* x, const tp_pool_options* options, tp_tensor* y, tp_tensor* indices);
TP_API tp_status tp_raw_maxpool2d_bwd(const tp_tensor* dy, const tp_tensor* indices, tp_tensor* dx);
TP_API tp_status tp_raw_im2col(const tp_tensor* x, const tp_im2col_options* options, tp_tensor* columns);
TP_API tp_status tp_raw_col2im(const tp_tensor* columns, const tp_im2col_options* options, tp_tensor* x);
TP_API tp_status tp_raw_conv2d_fwd(const tp_tensor* x, const tp_tensor* w, const tp_tensor* b,  // b or NULL
                                   const tp_conv2d_options* options, tp_tensor* y);
TP_API tp_status tp_raw_conv2d_bwd_input(const tp_tensor* dy, const tp_tensor* w, const tp_conv2d_options* options, tp_tensor* dx);
TP_API tp_status tp_raw_conv2d_bwd_weights(const tp_tensor* dy, const tp_tensor* x, const tp_conv2d_options* options, tp_tensor* dw);
TP_API tp_status tp_raw_conv2d_bwd_bias(const tp_tensor* dy, tp_tensor* db);
TP_API tp_status tp_raw_linear_fwd(const tp_tensor* x, const tp_tensor* w, const tp_tensor* b,  // b or NULL
                                   int activation, tp_tensor* y);
TP_API tp_status tp_raw_linear_bwd(const tp_tensor* dy, const tp_tensor* x, const tp_tensor* w, const tp_tensor* y,  // y: NULL with TP_NONE
                                   int activation, tp_tensor* dx, tp_tensor* dw, tp_tensor* db);  // those wanted, or NULL
TP_API tp_status tp_raw_activation_bwd(int activation, const tp_tensor* y, const tp_tensor* dy, tp_tensor* dx);
TP_API tp_status tp_raw_add_bias(const tp_tensor* x, const tp_tensor* b, tp_tensor* y);

// Operations: with gradients where tp_tensor_requires_grad asked for them (ops.h, grad.h).

TP_API tp_status tp_add(const tp_tensor* a, const tp_tensor* b, tp_tensor** out);
TP_API tp_status tp_sub(const tp_tensor* a, const tp_tensor* b, tp_tensor** out);
TP_API tp_status tp_mul(const tp_tensor* a, const tp_tensor* b, tp_tensor** out);
TP_API tp_status tp_div(const tp_tensor* a, const tp_tensor* b, tp_tensor** out);
TP_API tp_status tp_maximum(const tp_tensor* a, const tp_tensor* b, tp_tensor** out);
TP_API tp_status tp_minimum(const tp_tensor* a, const tp_tensor* b, tp_tensor** out);
TP_API tp_status tp_add_number(const tp_tensor* a, float b, tp_tensor** out);
TP_API tp_status tp_mul_number(const tp_tensor* a, float b, tp_tensor** out);
TP_API tp_status tp_pow(const tp_tensor* a, float exponent, tp_tensor** out);
TP_API tp_status tp_clamp(const tp_tensor* a, float low, float high, tp_tensor** out);
TP_API tp_status tp_eq(const tp_tensor* a, const tp_tensor* b, tp_tensor** out);  // these six give u8
TP_API tp_status tp_ne(const tp_tensor* a, const tp_tensor* b, tp_tensor** out);
TP_API tp_status tp_lt(const tp_tensor* a, const tp_tensor* b, tp_tensor** out);
TP_API tp_status tp_le(const tp_tensor* a, const tp_tensor* b, tp_tensor** out);
TP_API tp_status tp_gt(const tp_tensor* a, const tp_tensor* b, tp_tensor** out);
TP_API tp_status tp_ge(const tp_tensor* a, const tp_tensor* b, tp_tensor** out);
TP_API tp_status tp_where(const tp_tensor* condition, const tp_tensor* a, const tp_tensor* b, tp_tensor** out);

TP_API tp_status tp_neg(const tp_tensor* a, tp_tensor** out);
TP_API tp_status tp_square(const tp_tensor* a, tp_tensor** out);
TP_API tp_status tp_sqrt(const tp_tensor* a, tp_tensor** out);
TP_API tp_status tp_exp(const tp_tensor* a, tp_tensor** out);
TP_API tp_status tp_abs(const tp_tensor* a, tp_tensor** out);
TP_API tp_status tp_log(const tp_tensor* a, tp_tensor** out);
TP_API tp_status tp_sin(const tp_tensor* a, tp_tensor** out);
TP_API tp_status tp_cos(const tp_tensor* a, tp_tensor** out);
TP_API tp_status tp_relu(const tp_tensor* a, tp_tensor** out);
TP_API tp_status tp_leaky_relu(const tp_tensor* a, float slope, tp_tensor** out);
TP_API tp_status tp_sigmoid(const tp_tensor* a, tp_tensor** out);
TP_API tp_status tp_tanh(const tp_tensor* a, tp_tensor** out);
TP_API tp_status tp_gelu(const tp_tensor* a, tp_tensor** out);
TP_API tp_status tp_silu(const tp_tensor* a, tp_tensor** out);
TP_API tp_status tp_softplus(const tp_tensor* a, tp_tensor** out);
TP_API tp_status tp_softsign(const tp_tensor* a, tp_tensor** out);
TP_API tp_status tp_dropout(const tp_tensor* x, double p, int training, tp_tensor** out);

#define TP_ALL_AXES INT64_MIN  // as an axis: over all of them
TP_API tp_status tp_sum(const tp_tensor* a, int64_t axis, int keepdim, tp_tensor** out);
TP_API tp_status tp_mean(const tp_tensor* a, int64_t axis, int keepdim, tp_tensor** out);
TP_API tp_status tp_max(const tp_tensor* a, int64_t axis, int keepdim, tp_tensor** out);
TP_API tp_status tp_min(const tp_tensor* a, int64_t axis, int keepdim, tp_tensor** out);
TP_API tp_status tp_var(const tp_tensor* a, int64_t axis, int keepdim, tp_tensor** out);
TP_API tp_status tp_norm(const tp_tensor* a, int64_t axis, int keepdim, tp_tensor** out);
TP_API tp_status tp_argmax(const tp_tensor* a, int64_t axis, int keepdim, tp_tensor** out);  // one axis
TP_API tp_status tp_softmax(const tp_tensor* a, int64_t axis, tp_tensor** out);
TP_API tp_status tp_log_softmax(const tp_tensor* a, int64_t axis, tp_tensor** out);

TP_API tp_status tp_matmul(const tp_tensor* a, const tp_tensor* b, tp_tensor** out);
TP_API tp_status tp_linear(const tp_tensor* x, const tp_tensor* w, const tp_tensor* b, int activation, tp_tensor** out);  // b or NULL
TP_API tp_status tp_transpose(const tp_tensor* a, tp_tensor** out);
TP_API tp_status tp_permute(const tp_tensor* a, const int64_t* axes, int64_t count, tp_tensor** out);
TP_API tp_status tp_broadcast_to(const tp_tensor* a, const int64_t* shape, int64_t rank, tp_tensor** out);
TP_API tp_status tp_concat(const tp_tensor* const* tensors, int64_t count, int64_t axis, tp_tensor** out);
TP_API tp_status tp_stack(const tp_tensor* const* tensors, int64_t count, int64_t axis, tp_tensor** out);
TP_API tp_status tp_gather(const tp_tensor* a, int64_t axis, const tp_tensor* index, tp_tensor** out);
TP_API tp_status tp_embedding(const tp_tensor* table, const tp_tensor* index, tp_tensor** out);
TP_API tp_status tp_one_hot(const tp_tensor* labels, int64_t classes, tp_tensor** out);

typedef struct tp_batch_norm_options {
  int training;
  double momentum;
  double eps;
} tp_batch_norm_options;
#define TP_BATCH_NORM_DEFAULTS \
  { 1, 0.1, 1e-5 }

TP_API tp_status tp_conv2d(const tp_tensor* x, const tp_tensor* w, const tp_tensor* b,  // b or NULL
                           const tp_conv2d_options* options, tp_tensor** out);
TP_API tp_status tp_max_pool2d(const tp_tensor* x, const tp_pool_options* options, tp_tensor** out);
TP_API tp_status tp_avg_pool2d(const tp_tensor* x, const tp_pool_options* options, tp_tensor** out);
TP_API tp_status tp_batch_norm(const tp_tensor* x, const tp_tensor* gamma, const tp_tensor* beta, tp_tensor* running_mean,
                               tp_tensor* running_var, const tp_batch_norm_options* options, tp_tensor** out);
TP_API tp_status tp_layer_norm(const tp_tensor* x, const tp_tensor* gamma, const tp_tensor* beta, double eps, tp_tensor** out);

TP_API tp_status tp_mse_loss(const tp_tensor* pred, const tp_tensor* target, tp_tensor** out);
TP_API tp_status tp_l1_loss(const tp_tensor* pred, const tp_tensor* target, tp_tensor** out);
TP_API tp_status tp_huber_loss(const tp_tensor* pred, const tp_tensor* target, tp_tensor** out);
TP_API tp_status tp_bce_loss(const tp_tensor* pred, const tp_tensor* target, tp_tensor** out);
TP_API tp_status tp_bce_with_logits(const tp_tensor* pred, const tp_tensor* target, tp_tensor** out);
TP_API tp_status tp_cross_entropy(const tp_tensor* logits, const tp_tensor* labels, tp_tensor** out);
TP_API tp_status tp_accuracy(const tp_tensor* logits, const tp_tensor* labels, tp_tensor** out);

TP_API tp_status tp_tensor_requires_grad(tp_tensor* tensor, int on);
TP_API tp_status tp_tensor_backward(const tp_tensor* tensor, const tp_tensor* seed);  // NULL for a tensor with one element
TP_API tp_status tp_tensor_grad(const tp_tensor* tensor, tp_tensor** out);            // NULL before the first backward
TP_API tp_status tp_tensor_zero_grad(tp_tensor* tensor);
TP_API tp_status tp_no_grad_begin(void);  // until its end this thread's operations record no gradient; they may stand inside each other
TP_API tp_status tp_no_grad_end(void);

// What the library says (log.h), and faults on demand (faults.h).

enum { TP_LOG_DEBUG = 0, TP_LOG_INFO = 1, TP_LOG_WARN = 2, TP_LOG_ERROR = 3, TP_LOG_OFF = 4 };
typedef void (*tp_logger)(int level, const char* message, void* user);

TP_API tp_status tp_set_log_level(int least);
TP_API tp_status tp_log_level(int* least);
TP_API tp_status tp_set_logger(tp_logger logger, void* user);  // from any thread, one call at a time; NULL: standard error again
TP_API tp_status tp_set_faults(const char* text);              // "device_lost@submit:37"; "" ends them

#ifdef __cplusplus
}
#endif
// NOLINTEND

#endif

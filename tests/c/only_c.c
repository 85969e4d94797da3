// A program that knows nothing but the header: compiled as C11 with all warnings as errors.
#include <tidepool/c.h>

#include <string.h>

int uses_c_alone(void);  // 0, or the line that went wrong

#define CHECK(condition) \
  if (!(condition)) return __LINE__

int uses_c_alone(void) {
  const tp_select_options select = TP_SELECT_DEFAULTS;
  const tp_settings settings = TP_SETTINGS_UNCHANGED;
  const tp_adam_options adam = TP_ADAM_DEFAULTS;
  const tp_sgd_options sgd = TP_SGD_DEFAULTS;
  const tp_pool_options pool = TP_POOL_DEFAULTS;
  const tp_im2col_options im2col = TP_IM2COL_DEFAULTS;
  const tp_conv2d_options conv2d = TP_CONV2D_DEFAULTS;
  const tp_batch_norm_options batch_norm = TP_BATCH_NORM_DEFAULTS;
  CHECK(select.prefer_gpu && !select.required && !select.allow_software && select.name == NULL && select.max_load == 1.0);
  CHECK(settings.max_commands == TP_UNCHANGED && settings.memory_limit == TP_UNCHANGED_BYTES && settings.max_load == TP_UNCHANGED_REAL);
  CHECK(adam.lr == 1e-3 && adam.beta1 == 0.9 && adam.beta2 == 0.999 && adam.eps == 1e-8 && adam.weight_decay == 0 && adam.step == 1);
  CHECK(sgd.lr == 1e-2 && sgd.momentum == 0 && sgd.weight_decay == 0 && !sgd.nesterov);
  CHECK(pool.kernel == 2 && pool.stride == 0 && pool.padding == 0);
  CHECK(im2col.kernel == 3 && im2col.stride == 1 && im2col.padding == 0 && im2col.dilation == 1);
  CHECK(conv2d.stride == 1 && conv2d.padding == 0 && conv2d.dilation == 1 && conv2d.groups == 1 && conv2d.activation == TP_NONE);
  CHECK(batch_norm.training && batch_norm.momentum == 0.1 && batch_norm.eps == 1e-5);

  const float values[] = {1, 2, 3, 4};
  const int64_t shape[] = {2, 2};
  float product[4];
  tp_tensor *a = NULL, *b = NULL;
  CHECK(tp_check_interface(TP_INTERFACE_MAJOR, TP_INTERFACE_MINOR) == TP_OK);
  CHECK(tp_from_f32(values, 4, shape, 2, NULL, &a) == TP_OK);
  CHECK(tp_matmul(a, a, &b) == TP_OK);
  CHECK(tp_tensor_copy_to_f32(b, product, 4) == TP_OK);
  CHECK(product[0] == 7 && product[1] == 10 && product[2] == 15 && product[3] == 22);
  CHECK(tp_tensor_free(b) == TP_OK);
  CHECK(tp_matmul(a, NULL, &b) == TP_ARGUMENT_ERROR && b == NULL);
  CHECK(strcmp(tp_last_error(), "tp_matmul: b is NULL; wanted a tensor") == 0);
  CHECK(tp_cleanup() == TP_OK);
  CHECK(tp_tensor_free(a) == TP_OK && tp_tensor_free(b) == TP_OK);
  return 0;
}

// Convolutions forward and backward on the CPU, against oneDNN's own primitives for images that lie as ours do.
#include "bench/gate.h"

#include <tidepool/tidepool.h>

#include "backend/cpu/onednn_api.h"

#ifdef TIDEPOOL_ONEDNN

#include <stdexcept>
#include <vector>

namespace tidepool::gates {

namespace {

struct Sizes {
  std::int64_t n, c, o, side;
};
constexpr std::int64_t kernel = 3, padding = 1;

void require(dnnl_status_t status, const char* what) {
  if (status != dnnl_success) throw std::runtime_error(std::string("oneDNN: ") + what + " failed");
}

// Forward with a bias, then the gradients of the input, the weights and the bias.
class Bare {
 public:
  Bare(const OneDnnFunctions& dnn, const Sizes& s) : dnn_(dnn) {
    require(dnn.engine_create(&engine_, dnnl_cpu, 0), "engine");
    require(dnn.stream_create(&stream_, engine_, dnnl_stream_default_flags), "stream");
    x_ = memory({s.n, s.c, s.side, s.side}, dnnl_nchw);
    w_ = memory({s.o, s.c, kernel, kernel}, dnnl_oihw);
    b_ = memory({s.o}, dnnl_a);
    y_ = memory({s.n, s.o, s.side, s.side}, dnnl_nchw);
    dx_ = memory({s.n, s.c, s.side, s.side}, dnnl_nchw);
    dw_ = memory({s.o, s.c, kernel, kernel}, dnnl_oihw);
    db_ = memory({s.o}, dnnl_a);
    make_primitives();
  }
  ~Bare() {
    for (const dnnl_primitive_t primitive : {forward_, of_input_, of_weights_}) dnn_.primitive_destroy(primitive);
    for (const auto& [memory, desc, values] : made_) dnn_.memory_destroy(memory);
    dnn_.stream_destroy(stream_);
    dnn_.engine_destroy(engine_);
  }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;

  void run() {
    execute(forward_, {{DNNL_ARG_SRC, at(x_)}, {DNNL_ARG_WEIGHTS, at(w_)}, {DNNL_ARG_BIAS, at(b_)}, {DNNL_ARG_DST, at(y_)}});
    execute(of_input_, {{DNNL_ARG_DIFF_SRC, at(dx_)}, {DNNL_ARG_WEIGHTS, at(w_)}, {DNNL_ARG_DIFF_DST, at(y_)}});
    execute(of_weights_,
            {{DNNL_ARG_SRC, at(x_)}, {DNNL_ARG_DIFF_WEIGHTS, at(dw_)}, {DNNL_ARG_DIFF_BIAS, at(db_)}, {DNNL_ARG_DIFF_DST, at(y_)}});
    require(dnn_.stream_wait(stream_), "wait");
  }

 private:
  struct Made {
    dnnl_memory_t memory;
    dnnl_memory_desc_t desc;
    std::vector<float> values;
  };

  std::size_t memory(const std::vector<std::int64_t>& shape, dnnl_format_tag_t tag) {
    Made made{.memory = nullptr, .desc = {}, .values = {}};
    dnnl_dims_t dims{};
    std::copy(shape.begin(), shape.end(), dims);
    require(dnn_.memory_desc_init_by_tag(&made.desc, static_cast<int>(shape.size()), dims, dnnl_f32, tag), "memory");
    made.values.assign(dnn_.memory_desc_get_size(&made.desc) / sizeof(float), 0.5F);
    require(dnn_.memory_create(&made.memory, &made.desc, engine_, made.values.data()), "memory");
    made_.push_back(std::move(made));
    return made_.size() - 1;
  }
  dnnl_memory_t at(std::size_t i) const { return made_[i].memory; }
  const dnnl_memory_desc_t* desc(std::size_t i) const { return &made_[i].desc; }

  dnnl_primitive_t primitive(const dnnl_convolution_desc_t& of, const_dnnl_primitive_desc_t hint, dnnl_primitive_desc_t* keep = nullptr) {
    dnnl_primitive_desc_t made = nullptr;
    dnnl_primitive_t primitive = nullptr;
    require(dnn_.primitive_desc_create(&made, &of, nullptr, engine_, hint), "description");
    require(dnn_.primitive_create(&primitive, made), "primitive");
    if (keep)
      *keep = made;
    else
      dnn_.primitive_desc_destroy(made);
    return primitive;
  }

  void make_primitives() {
    const dnnl_dims_t ones{1, 1}, none{0, 0}, around{padding, padding};
    const auto direct = dnnl_convolution_direct;
    dnnl_convolution_desc_t of;
    dnnl_primitive_desc_t hint = nullptr;
    require(dnn_.dilated_convolution_forward_desc_init(&of, dnnl_forward_training, direct, desc(x_), desc(w_), desc(b_), desc(y_), ones,
                                                       none, around, around),
            "forward");
    forward_ = primitive(of, nullptr, &hint);
    require(dnn_.dilated_convolution_backward_data_desc_init(&of, direct, desc(dx_), desc(w_), desc(y_), ones, none, around, around),
            "backward");
    of_input_ = primitive(of, hint);
    require(dnn_.dilated_convolution_backward_weights_desc_init(&of, direct, desc(x_), desc(dw_), desc(db_), desc(y_), ones, none, around,
                                                                around),
            "backward");
    of_weights_ = primitive(of, hint);
    dnn_.primitive_desc_destroy(hint);
  }

  void execute(dnnl_primitive_t primitive, const std::vector<dnnl_exec_arg_t>& arguments) {
    require(dnn_.primitive_execute(primitive, stream_, static_cast<int>(arguments.size()), arguments.data()), "execution");
  }

  const OneDnnFunctions& dnn_;
  dnnl_engine_t engine_ = nullptr;
  dnnl_stream_t stream_ = nullptr;
  std::vector<Made> made_;
  std::size_t x_, w_, b_, y_, dx_, dw_, db_;
  dnnl_primitive_t forward_ = nullptr, of_input_ = nullptr, of_weights_ = nullptr;
};

class Ours {
 public:
  explicit Ours(const Sizes& s)
      : x_(full({s.n, s.c, s.side, s.side}, 0.5F, {.device = cpu_})),
        w_(full({s.o, s.c, kernel, kernel}, 0.5F, {.device = cpu_})),
        b_(full({s.o}, 0.5F, {.device = cpu_})),
        seed_(full({s.n, s.o, s.side, s.side}, 0.5F, {.device = cpu_})) {}

  void run() const {
    const Tensor x = x_.detach().requires_grad(), w = w_.detach().requires_grad(), b = b_.detach().requires_grad();
    conv2d(x, w, b, {.padding = padding}).backward(seed_);
    sync();
  }

 private:
  Device cpu_ = device("cpu");
  Tensor x_, w_, b_, seed_;
};

Measured measure(const Sizes& sizes) {
  const OneDnnFunctions* const dnn = onednn_functions();
  if (!dnn) return {.skipped = "there is no oneDNN to compare with"};
  Bare bare(*dnn, sizes);
  const Ours ours(sizes);
  return compare(
      1, [&] { ours.run(); }, [&] { bare.run(); });
}

}  // namespace

Measured measure_conv_many_images() { return measure({.n = 64, .c = 32, .o = 64, .side = 28}); }
Measured measure_conv_many_channels() { return measure({.n = 8, .c = 128, .o = 256, .side = 28}); }

}  // namespace tidepool::gates

#else

namespace tidepool::gates {
Measured measure_conv_many_images() { return {.skipped = "built without oneDNN"}; }
Measured measure_conv_many_channels() { return {.skipped = "built without oneDNN"}; }
}  // namespace tidepool::gates

#endif

// A convolution's three primitives as oneDNN has them, 3 x 3 with a border of one: forward with a bias, then the gradients
// of the input, the weights and the bias. No copies in or out.
#pragma once

#include "backend/cpu/onednn_api.h"

#ifdef TIDEPOOL_ONEDNN

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tidepool::gates {

struct BareConvSizes {
  std::int64_t n, c, o, side;
  bool input_gradient = true;
  bool plain = false;  // images lie as ours do; otherwise as oneDNN likes best
};

class BareConv {
 public:
  BareConv(const OneDnnFunctions& dnn, const BareConvSizes& s) : dnn_(dnn) {
    require(dnn.engine_create(&engine_, dnnl_cpu, 0), "engine");
    require(dnn.stream_create(&stream_, engine_, dnnl_stream_default_flags), "stream");
    const dnnl_dims_t ones{1, 1}, none{0, 0}, around{1, 1};
    const auto direct = dnnl_convolution_direct;
    const dnnl_format_tag_t images = s.plain ? dnnl_nchw : dnnl_format_tag_any, weights = s.plain ? dnnl_oihw : dnnl_format_tag_any;
    const auto x = described({s.n, s.c, s.side, s.side}, images), y = described({s.n, s.o, s.side, s.side}, images);
    const auto w = described({s.o, s.c, 3, 3}, weights), b = described({s.o}, dnnl_a);
    dnnl_convolution_desc_t of;
    require(dnn.dilated_convolution_forward_desc_init(&of, dnnl_forward_training, direct, &x, &w, &b, &y, ones, none, around, around),
            "forward");
    const dnnl_primitive_desc_t hint = add(of, nullptr,
                                           {{DNNL_ARG_SRC, dnnl_query_src_md},
                                            {DNNL_ARG_WEIGHTS, dnnl_query_weights_md},
                                            {DNNL_ARG_BIAS, dnnl_query_weights_md},
                                            {DNNL_ARG_DST, dnnl_query_dst_md}});
    if (s.input_gradient) {
      require(dnn.dilated_convolution_backward_data_desc_init(&of, direct, &x, &w, &y, ones, none, around, around), "backward");
      add(of, hint,
          {{DNNL_ARG_DIFF_SRC, dnnl_query_diff_src_md},
           {DNNL_ARG_WEIGHTS, dnnl_query_weights_md},
           {DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md}});
    }
    require(dnn.dilated_convolution_backward_weights_desc_init(&of, direct, &x, &w, &b, &y, ones, none, around, around), "backward");
    add(of, hint,
        {{DNNL_ARG_SRC, dnnl_query_src_md},
         {DNNL_ARG_DIFF_WEIGHTS, dnnl_query_diff_weights_md},
         {DNNL_ARG_DIFF_BIAS, dnnl_query_diff_weights_md},
         {DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md}});
  }
  ~BareConv() {
    for (const Step& step : steps_) {
      dnn_.primitive_destroy(step.primitive);
      dnn_.primitive_desc_destroy(step.desc);
    }
    for (const Memory& memory : memories_) dnn_.memory_destroy(memory.handle);
    dnn_.stream_destroy(stream_);
    dnn_.engine_destroy(engine_);
  }
  BareConv(const BareConv&) = delete;
  BareConv& operator=(const BareConv&) = delete;

  void run() {
    for (const Step& step : steps_)
      require(dnn_.primitive_execute(step.primitive, stream_, static_cast<int>(step.arguments.size()), step.arguments.data()), "execution");
    require(dnn_.stream_wait(stream_), "wait");
  }

 private:
  struct Step {
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    std::vector<dnnl_exec_arg_t> arguments;
  };
  struct Memory {
    int role;
    dnnl_memory_desc_t desc;
    std::vector<float> values;
    dnnl_memory_t handle = nullptr;
  };

  static void require(dnnl_status_t status, const char* what) {
    if (status != dnnl_success) throw std::runtime_error(std::string("oneDNN: ") + what + " failed");
  }
  dnnl_memory_desc_t described(const std::vector<std::int64_t>& shape, dnnl_format_tag_t tag) const {
    dnnl_dims_t dims{};
    std::copy(shape.begin(), shape.end(), dims);
    dnnl_memory_desc_t desc;
    require(dnn_.memory_desc_init_by_tag(&desc, static_cast<int>(shape.size()), dims, dnnl_f32, tag), "description");
    return desc;
  }
  dnnl_primitive_desc_t add(const dnnl_convolution_desc_t& of, const_dnnl_primitive_desc_t hint,
                            std::initializer_list<std::pair<int, dnnl_query_t>> arguments) {
    Step step{};
    require(dnn_.primitive_desc_create(&step.desc, &of, nullptr, engine_, hint), "description");
    require(dnn_.primitive_create(&step.primitive, step.desc), "primitive");
    for (const auto& [argument, query] : arguments) {
      const bool bias = argument == DNNL_ARG_BIAS || argument == DNNL_ARG_DIFF_BIAS;
      const dnnl_memory_desc_t* const desc = dnn_.primitive_desc_query_md(step.desc, query, bias ? 1 : 0);
      step.arguments.push_back({argument, memory(argument == DNNL_ARG_DIFF_DST ? DNNL_ARG_DST : argument, *desc)});
    }
    steps_.push_back(std::move(step));
    return steps_.back().desc;
  }
  // What lies alike and means the same is the same memory, as it is for a network.
  dnnl_memory_t memory(int role, const dnnl_memory_desc_t& desc) {
    for (const Memory& known : memories_)
      if (known.role == role && std::memcmp(&known.desc, &desc, sizeof desc) == 0) return known.handle;
    Memory made{.role = role, .desc = desc, .values = std::vector<float>(dnn_.memory_desc_get_size(&desc) / sizeof(float), 0.5F)};
    require(dnn_.memory_create(&made.handle, &desc, engine_, made.values.data()), "memory");
    memories_.push_back(std::move(made));
    return memories_.back().handle;
  }

  const OneDnnFunctions& dnn_;
  dnnl_engine_t engine_ = nullptr;
  dnnl_stream_t stream_ = nullptr;
  std::vector<Step> steps_;
  std::vector<Memory> memories_;
};

}  // namespace tidepool::gates

#endif

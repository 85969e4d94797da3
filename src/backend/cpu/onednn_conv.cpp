#include "backend/cpu/onednn_conv.h"

#include "backend/cpu/onednn_api.h"

#ifdef TIDEPOOL_ONEDNN

#include <algorithm>

namespace tidepool::inline v0 {

namespace {

using Workshop = OneDnn::Workshop;
enum Kind : std::int32_t { forward = 100, of_input, of_weights };  // numbers of no other kind of work

constexpr std::size_t alignment = 64;
std::size_t rounded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

// One tensor of a convolution: where the caller has it, and where the kernel wants it.
struct Argument {
  explicit Argument(const OneDnnFunctions& dnn) : ours(dnn.memory_destroy), theirs(dnn.memory_destroy), copy(dnn.primitive_destroy) {}
  int index = 0;  // as the library numbers them
  bool written = false;
  OwnedMemory ours, theirs;  // without a copy the first only
  Primitive copy;            // in, or out where it is written
  std::size_t offset = 0;    // of theirs, in the shared memory
  bool copied() const { return copy.get() != nullptr; }
  dnnl_memory_t used() const { return copied() ? theirs.get() : ours.get(); }
};

struct Convolution : Workshop::Kept {
  explicit Convolution(const OneDnnFunctions& dnn) : primitive(dnn.primitive_destroy), scratchpad(dnn.memory_destroy) {}
  Primitive primitive;
  OwnedMemory scratchpad;
  std::vector<Argument> arguments;
  std::size_t shared_bytes = 0;  // copies; the scratchpad begins where they end
  std::size_t scratchpad_bytes = 0;
};

struct Descs {  // of x, w, b, y
  dnnl_memory_desc_t x, w, b, y;
};

bool init_descs(const OneDnnFunctions& dnn, const OneDnnConv& c, bool any, Descs& d) {
  const dnnl_dims_t x{c.n, c.c, c.h, c.w}, y{c.n, c.o, c.oh, c.ow}, b{c.o};
  const dnnl_dims_t w{c.o, c.c, c.kh, c.kw}, grouped{c.groups, c.o / c.groups, c.c / c.groups, c.kh, c.kw};
  const auto init = [&](dnnl_memory_desc_t& desc, int rank, const dnnl_dims_t& dims, dnnl_format_tag_t ours) {
    return done(dnn.memory_desc_init_by_tag(&desc, rank, dims, dnnl_f32, any ? dnnl_format_tag_any : ours));
  };
  const auto images = [&](bool blocked) { return !blocked ? dnnl_nchw : c.block == 16 ? dnnl_nChw16c : dnnl_nChw8c; };
  return init(d.x, 4, x, images(c.blocked_x)) && init(d.y, 4, y, images(c.blocked_y)) &&
         done(dnn.memory_desc_init_by_tag(&d.b, 1, b, dnnl_f32, dnnl_a)) &&
         (c.groups == 1 ? init(d.w, 4, w, dnnl_oihw) : init(d.w, 5, grouped, dnnl_goihw));
}

// The description of one product; that of the gradients wants the forward's as a hint.
bool describe(Workshop& shop, Kind kind, const OneDnnConv& c, bool bias, dnnl_primitive_attr_t attr, const_dnnl_primitive_desc_t hint,
              dnnl_primitive_desc_t* made) {
  const OneDnnFunctions& dnn = shop.dnn;
  Descs any;
  if (!init_descs(dnn, c, true, any)) return false;
  const dnnl_dims_t strides{c.stride, c.stride}, padding{c.padding, c.padding}, dilation{c.dilation - 1, c.dilation - 1};
  const dnnl_memory_desc_t* const b = bias ? &any.b : nullptr;
  dnnl_convolution_desc_t desc;
  const auto algorithm = dnnl_convolution_direct;
  const dnnl_status_t status =
      kind == forward ? dnn.dilated_convolution_forward_desc_init(&desc, dnnl_forward_training, algorithm, &any.x, &any.w, b, &any.y,
                                                                  strides, dilation, padding, padding)
      : kind == of_input
          ? dnn.dilated_convolution_backward_data_desc_init(&desc, algorithm, &any.x, &any.w, &any.y, strides, dilation, padding, padding)
          : dnn.dilated_convolution_backward_weights_desc_init(&desc, algorithm, &any.x, &any.w, b, &any.y, strides, dilation, padding,
                                                               padding);
  return done(status) && done(dnn.primitive_desc_create(made, &desc, attr, shop.engine, hint));
}

// Adds an argument, with its copy where the kernel wants another layout.
bool add_argument(Workshop& shop, Convolution& made, const_dnnl_primitive_desc_t desc, int index, bool written,
                  const dnnl_memory_desc_t& ours) {
  const OneDnnFunctions& dnn = shop.dnn;
  const dnnl_memory_desc_t* const wanted = dnn.primitive_desc_query_md(desc, dnnl_query_exec_arg_md, index);
  Argument a(dnn);
  a.index = index;
  a.written = written;
  if (!wanted || !done(dnn.memory_create(a.ours.put(), &ours, shop.engine, DNNL_MEMORY_NONE))) return false;
  if (!dnn.memory_desc_equal(wanted, &ours)) {
    Description copy(dnn.primitive_desc_destroy);
    const dnnl_memory_desc_t *from = written ? wanted : &ours, *to = written ? &ours : wanted;
    if (!done(dnn.memory_create(a.theirs.put(), wanted, shop.engine, DNNL_MEMORY_NONE)) ||
        !done(dnn.reorder_primitive_desc_create(copy.put(), from, shop.engine, to, shop.engine, nullptr)) ||
        !done(dnn.primitive_create(a.copy.put(), copy.get())))
      return false;
    a.offset = made.shared_bytes;
    made.shared_bytes += rounded(dnn.memory_desc_get_size(wanted));
  }
  made.arguments.push_back(std::move(a));
  return true;
}

std::unique_ptr<Convolution> make(Workshop& shop, Kind kind, const OneDnnConv& c, bool bias) {
  const OneDnnFunctions& dnn = shop.dnn;
  auto made = std::make_unique<Convolution>(dnn);
  Owned<dnnl_primitive_attr_t> attr(dnn.primitive_attr_destroy);
  Description hint(dnn.primitive_desc_destroy), desc(dnn.primitive_desc_destroy);
  Descs ours;
  if (!done(dnn.primitive_attr_create(attr.put())) ||
      !done(dnn.primitive_attr_set_scratchpad_mode(attr.get(), dnnl_scratchpad_mode_user)) || !init_descs(dnn, c, false, ours) ||
      (kind != forward && !describe(shop, forward, c, bias, attr.get(), nullptr, hint.put())) ||
      !describe(shop, kind, c, bias, attr.get(), hint.get(), desc.put()) || !done(dnn.primitive_create(made->primitive.put(), desc.get())))
    return nullptr;
  const auto add = [&](int index, const dnnl_memory_desc_t& md, bool written) {
    return add_argument(shop, *made, desc.get(), index, written, md);
  };
  const bool added = kind == forward ? add(DNNL_ARG_SRC, ours.x, false) && add(DNNL_ARG_WEIGHTS, ours.w, false) &&
                                           add(DNNL_ARG_DST, ours.y, true) && (!bias || add(DNNL_ARG_BIAS, ours.b, false))
                     : kind == of_input ? add(DNNL_ARG_DIFF_SRC, ours.x, true) && add(DNNL_ARG_WEIGHTS, ours.w, false) &&
                                              add(DNNL_ARG_DIFF_DST, ours.y, false)
                                        : add(DNNL_ARG_SRC, ours.x, false) && add(DNNL_ARG_DIFF_WEIGHTS, ours.w, true) &&
                                              add(DNNL_ARG_DIFF_DST, ours.y, false) && (!bias || add(DNNL_ARG_DIFF_BIAS, ours.b, true));
  const dnnl_memory_desc_t* const pad = dnn.primitive_desc_query_md(desc.get(), dnnl_query_scratchpad_md, 0);
  if (!added || !pad || !done(dnn.memory_create(made->scratchpad.put(), pad, shop.engine, DNNL_MEMORY_NONE))) return nullptr;
  made->scratchpad_bytes = dnn.memory_desc_get_size(pad);
  return made;
}

bool copy(Workshop& shop, const Argument& a) {
  const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, a.written ? a.theirs.get() : a.ours.get()},
                                       {DNNL_ARG_TO, a.written ? a.ours.get() : a.theirs.get()}};
  return done(shop.dnn.primitive_execute(a.copy.get(), shop.stream, 2, arguments));
}

float* pointer(const OneDnnConvData& data, int index) {
  switch (index) {
    case DNNL_ARG_SRC:
    case DNNL_ARG_DIFF_SRC:
      return data.x;
    case DNNL_ARG_WEIGHTS:
    case DNNL_ARG_DIFF_WEIGHTS:
      return data.w;
    case DNNL_ARG_BIAS:
    case DNNL_ARG_DIFF_BIAS:
      return data.b;
    default:
      return data.y;
  }
}

constexpr std::size_t most_shared = std::size_t{1} << 28;  // beyond that our own kernels, which copy nothing, serve

bool execute(Workshop& shop, Convolution& conv, const OneDnnConvData& data) {
  const OneDnnFunctions& dnn = shop.dnn;
  const std::size_t bytes = conv.shared_bytes + rounded(conv.scratchpad_bytes) + alignment;
  auto* const shared = bytes <= most_shared ? static_cast<std::byte*>(shop.scratch(bytes)) : nullptr;
  if (!shared) return false;
  std::vector<dnnl_exec_arg_t> arguments{{DNNL_ARG_SCRATCHPAD, conv.scratchpad.get()}};
  bool good = done(dnn.memory_set_data_handle(conv.scratchpad.get(), shared + conv.shared_bytes));
  for (const Argument& a : conv.arguments) {
    good = good && done(dnn.memory_set_data_handle(a.ours.get(), pointer(data, a.index)));
    if (a.copied()) good = good && done(dnn.memory_set_data_handle(a.theirs.get(), shared + a.offset));
    if (a.copied() && !a.written) good = good && copy(shop, a);
    arguments.push_back({a.index, a.used()});
  }
  good = good && done(dnn.primitive_execute(conv.primitive.get(), shop.stream, static_cast<int>(arguments.size()), arguments.data()));
  for (const Argument& a : conv.arguments)
    if (a.copied() && a.written) good = good && copy(shop, a);
  return done(dnn.stream_wait(shop.stream)) && good;
}

bool run(OneDnn& onednn, Kind kind, const OneDnnConv& c, const OneDnnConvData& data) {
  Workshop* const shop = onednn.workshop();
  if (!shop) return false;
  const OneDnnThreads threads(shop->threads);
  const bool bias = data.b != nullptr;
  const Workshop::Key key{kind,
                          c.n,
                          c.c,
                          c.h,
                          c.w,
                          c.o,
                          c.oh,
                          c.ow,
                          c.kh,
                          c.kw,
                          c.stride,
                          c.padding,
                          c.dilation,
                          c.groups,
                          bias ? 1 : 0,
                          c.block,
                          c.blocked_x ? 1 : 0,
                          c.blocked_y ? 1 : 0};
  Convolution* const conv = shop->kept<Convolution>(key, [&] { return make(*shop, kind, c, bias); });
  return conv && execute(*shop, *conv, data);
}

}  // namespace

bool onednn_forward(OneDnn& onednn, const OneDnnConv& conv, const OneDnnConvData& data) { return run(onednn, forward, conv, data); }
bool onednn_input(OneDnn& onednn, const OneDnnConv& conv, const OneDnnConvData& data) { return run(onednn, of_input, conv, data); }
bool onednn_weights(OneDnn& onednn, const OneDnnConv& conv, const OneDnnConvData& data) { return run(onednn, of_weights, conv, data); }

}  // namespace tidepool::inline v0

#else

namespace tidepool::inline v0 {

bool onednn_forward(OneDnn&, const OneDnnConv&, const OneDnnConvData&) { return false; }
bool onednn_input(OneDnn&, const OneDnnConv&, const OneDnnConvData&) { return false; }
bool onednn_weights(OneDnn&, const OneDnnConv&, const OneDnnConvData&) { return false; }

}  // namespace tidepool::inline v0

#endif

// x · wᵀ, what a layer does forward: oneDNN's sgemm takes its time to turn w round, its matmul takes less with AVX-512 where sums are long
// (two threads of an EPYC: 128 x 784 by 256 x 784 275 and 265 µs, 64 x 6272 by 128 x 6272 744 and 536, 16 x 512 by 512 x 512 259 and 71).
#include "backend/cpu/onednn_api.h"

#ifdef TIDEPOOL_ONEDNN

#include <climits>

namespace tidepool::inline v0 {

namespace {

using Workshop = OneDnn::Workshop;
constexpr std::int32_t turned = 200;  // a number of no other kind of work
constexpr std::size_t long_sums = 256;

struct Turned : Workshop::Kept {
  explicit Turned(const OneDnnFunctions& dnn)
      : primitive(dnn.primitive_destroy),
        a(dnn.memory_destroy),
        b(dnn.memory_destroy),
        c(dnn.memory_destroy),
        scratchpad(dnn.memory_destroy) {}
  Primitive primitive;
  OwnedMemory a, b, c, scratchpad;
  std::size_t scratchpad_bytes = 0;
};

std::unique_ptr<Turned> make(Workshop& shop, const Gemm& g) {
  const OneDnnFunctions& dnn = shop.dnn;
  auto made = std::make_unique<Turned>(dnn);
  Owned<dnnl_primitive_attr_t> attr(dnn.primitive_attr_destroy);
  Description desc(dnn.primitive_desc_destroy);
  const auto m = static_cast<dnnl_dim_t>(g.m), n = static_cast<dnnl_dim_t>(g.n), k = static_cast<dnnl_dim_t>(g.k);
  const dnnl_dims_t of_a{m, k}, of_b{k, n}, of_c{m, n};
  dnnl_memory_desc_t a, b, c;
  dnnl_matmul_desc_t wanted;
  const auto memory = [&](OwnedMemory& to, const dnnl_memory_desc_t& md) {
    return done(dnn.memory_create(to.put(), &md, shop.engine, DNNL_MEMORY_NONE));
  };
  if (!done(dnn.primitive_attr_create(attr.put())) ||
      !done(dnn.primitive_attr_set_scratchpad_mode(attr.get(), dnnl_scratchpad_mode_user)) ||
      !done(dnn.memory_desc_init_by_tag(&a, 2, of_a, dnnl_f32, dnnl_ab)) ||
      !done(dnn.memory_desc_init_by_tag(&b, 2, of_b, dnnl_f32, dnnl_ba)) ||
      !done(dnn.memory_desc_init_by_tag(&c, 2, of_c, dnnl_f32, dnnl_ab)) || !done(dnn.matmul_desc_init(&wanted, &a, &b, nullptr, &c)) ||
      !done(dnn.primitive_desc_create(desc.put(), &wanted, attr.get(), shop.engine, nullptr)) ||
      !done(dnn.primitive_create(made->primitive.put(), desc.get())) || !memory(made->a, a) || !memory(made->b, b) || !memory(made->c, c))
    return nullptr;
  const dnnl_memory_desc_t* const pad = dnn.primitive_desc_query_md(desc.get(), dnnl_query_scratchpad_md, 0);
  if (!pad || !memory(made->scratchpad, *pad)) return nullptr;
  made->scratchpad_bytes = dnn.memory_desc_get_size(pad);
  return made;
}

}  // namespace

bool OneDnn::turned_product(const Gemm& g) {
  if (!g.transposed_b || g.transposed_a || g.add || g.k < long_sums || channel_block() != 16) return false;
  if (g.m > INT_MAX || g.n > INT_MAX || g.k > INT_MAX) return false;
  Workshop* const shop = workshop();
  if (!shop) return false;
  const OneDnnFunctions& dnn = shop->dnn;
  const OneDnnThreads threads(shop->threads);
  const Workshop::Key key{turned, static_cast<std::int32_t>(g.m), static_cast<std::int32_t>(g.n), static_cast<std::int32_t>(g.k)};
  Turned* const product = shop->kept<Turned>(key, [&] { return make(*shop, g); });
  if (!product) return false;
  void* const scratch = shop->scratch(product->scratchpad_bytes + 64);
  if (!scratch) return false;
  // The library writes to none but the result.
  if (!done(dnn.memory_set_data_handle(product->a.get(), const_cast<float*>(g.a))) ||
      !done(dnn.memory_set_data_handle(product->b.get(), const_cast<float*>(g.b))) ||
      !done(dnn.memory_set_data_handle(product->c.get(), g.c)) || !done(dnn.memory_set_data_handle(product->scratchpad.get(), scratch)))
    return false;
  const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, product->a.get()},
                                       {DNNL_ARG_WEIGHTS, product->b.get()},
                                       {DNNL_ARG_DST, product->c.get()},
                                       {DNNL_ARG_SCRATCHPAD, product->scratchpad.get()}};
  const bool good = done(dnn.primitive_execute(product->primitive.get(), shop->stream, 4, arguments));
  return done(dnn.stream_wait(shop->stream)) && good;
}

}  // namespace tidepool::inline v0

#endif

// Everything that the public face promises so far compiles and runs as it is written there.
#include <tidepool/tidepool.h>

#include <gtest/gtest.h>

#include <vector>

namespace tp = tidepool;
using namespace tp::literals;

namespace {

TEST(PublicFace, CompilesAndRunsAsWritten) {
  const tp::Settings before = tp::settings();
  tp::Shape s{2, 3};
  s.rank();
  s[0];
  s[-1];
  s.numel();
  EXPECT_TRUE(s.str() == "[2, 3]" && s == tp::Shape({2, 3}));
  tp::Tensor a = tp::tensor({1, 2, 3, 4}, {2, 2});
  std::vector<float> v(1000);
  tp::Tensor b = tp::from_host(v, {100, 10});
  std::vector<int32_t> vi(4);
  std::vector<uint8_t> vu(4);
  tp::from_host(vi, {4});
  tp::from_host(vu, {2, 2}, tp::device("cpu"));
  tp::zeros({2, 2});
  tp::ones({2, 2});
  tp::full({2, 2}, 0.5f);
  tp::empty({2, 2});
  tp::arange(10);
  tp::rand({2, 2});
  tp::randn({2, 2});
  tp::manual_seed(42);
  tp::zeros({2, 2}, {.dtype = tp::DType::i32, .device = tp::device("cpu")});
  tp::zeros_like(a);
  a.shape();
  a.dtype();
  a.device();
  a.numel();
  a.nbytes();
  std::vector<float> h = a.to_host<float>();
  tp::sum(a).item();
  tp::argmax(a, 1).slice(0, 1).item<int32_t>();
  a.copy_to(std::span<float>(h));
  a.copy_from(std::span<const float>(h));
  a.to(tp::device("cpu"));
  a.to(tp::DType::f16);
  a.reshape({4});
  a.reshape({-1, 2});
  a.flatten(1);
  a.slice(0, 1);
  tp::Tensor dst = tp::zeros({2, 2});
  tp::copy_(dst, a);
  tp::fill_(dst, 0.f);
  tp::zero_(dst);
  dst.clone();
  dst.release();
  dst.released();
  a + a - a* a / a;
  a + 1.f;
  1.f - a;
  2.f * a;
  a / 2.f;
  tp::add(a, a);
  tp::sub(a, a);
  tp::mul(a, a);
  tp::div(a, a);
  EXPECT_EQ(tp::add(a, 1.f).to_host<float>(), (std::vector<float>{2, 3, 4, 5}));
  EXPECT_EQ(tp::add(1, a).to_host<float>(), (std::vector<float>{2, 3, 4, 5}));
  EXPECT_EQ(tp::sub(a, 1.f).to_host<float>(), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(tp::sub(1.f, a).to_host<float>(), (std::vector<float>{0, -1, -2, -3}));
  EXPECT_EQ(tp::mul(a, 2).to_host<float>(), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_EQ(tp::mul(2.f, a).to_host<float>(), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_EQ(tp::div(a, 2.f).to_host<float>(), (std::vector<float>{0.5, 1, 1.5, 2}));
  EXPECT_EQ(tp::div(12.f, a).to_host<float>(), (std::vector<float>{12, 6, 4, 3}));
  tp::neg(a);
  tp::abs(a);
  tp::square(a);
  tp::sqrt(a);
  tp::exp(a);
  tp::log(a);
  tp::pow(a, 2.f);
  tp::sin(a);
  tp::cos(a);
  tp::clamp(a, 0.f, 1.f);
  tp::maximum(a, a);
  tp::minimum(a, a);
  tp::where(tp::gt(a, a), a, a);
  tp::eq(a, a);
  tp::ne(a, a);
  tp::lt(a, a);
  tp::le(a, a);
  tp::ge(a, a);
  tp::relu(a);
  tp::sigmoid(a);
  tp::tanh(a);
  tp::gelu(a);
  tp::leaky_relu(a, 0.01f);
  tp::silu(a);
  tp::softplus(a);
  tp::sum(a, 0);
  tp::sum(a, 0, true);
  tp::sum(a, {0, 1}, true);
  tp::mean(a, {0, 1}, true);
  tp::max(a);
  tp::max(a, 1);
  tp::min(a, 1, true);
  tp::var(a, {0, 1}, false);
  tp::norm(a);
  tp::softmax(a, 1);
  tp::log_softmax(a, -1);
  tp::matmul(a, a);
  tp::transpose(a);
  tp::Tensor img = tp::ones({2, 4, 6, 6});
  tp::permute(img, {0, 2, 3, 1});
  tp::broadcast_to(a, {3, 2, 2});
  tp::concat({a, a}, 0);
  tp::stack({a, a}, 0);
  tp::split(a, 2, 1);
  tp::Tensor idx = tp::from_host(std::vector<int32_t>{0, 1}, {2});
  tp::gather(a, 0, idx.reshape({1, 2}));
  tp::one_hot(idx, 3);
  tp::Tensor w = tp::ones({3, 2}), bias = tp::ones({3});
  tp::linear(a, w, bias, tp::Activation::relu);
  tp::linear(a, w, {}, tp::Activation::gelu);
  tp::Tensor cw = tp::ones({5, 4, 3, 3});
  tp::conv2d(img, cw, tp::ones({5}), {.stride = 1, .padding = 1, .dilation = 1, .groups = 1, .activation = tp::Activation::none});
  tp::conv2d(img, cw, {}, {.padding = 1});
  tp::conv2d_transpose(img, tp::ones({4, 5, 3, 3}), {}, {.stride = 1, .padding = 0, .output_padding = 0, .dilation = 1, .groups = 1});
  tp::max_pool2d(img, {.kernel = 2, .stride = 2, .padding = 0});
  tp::avg_pool2d(img, {.kernel = 2});
  tp::global_avg_pool2d(img);
  tp::Tensor col = tp::im2col(img, {.kernel = 3, .stride = 1, .padding = 1, .dilation = 1});
  tp::col2im(col, {2, 4, 6, 6}, {.kernel = 3, .stride = 1, .padding = 1, .dilation = 1});
  tp::nchw_to_nhwc(img);
  tp::nhwc_to_nchw(img);
  tp::Tensor c4 = tp::ones({4}), rm = tp::zeros({4}), rv = tp::ones({4});
  tp::batch_norm(img, c4, c4, rm, rv, {.training = true, .momentum = 0.1, .eps = 1e-5});
  tp::layer_norm(a, tp::ones({2}), tp::ones({2}));
  tp::layer_norm(a, tp::ones({2}), tp::ones({2}), 1e-5);
  tp::dropout(a, 0.5, true);
  tp::embedding(a, idx);
  tp::mse_loss(a, a);
  tp::l1_loss(a, a);
  tp::huber_loss(a, a);
  tp::bce_loss(tp::sigmoid(a), tp::sigmoid(a));
  tp::bce_with_logits(a, a);
  tp::cross_entropy(a, idx);
  tp::confusion_matrix(idx, idx, 2);
  tp::accuracy(a, idx);
  tp::Tensor y = tp::zeros({2, 3}), dx = tp::zeros({2, 2}), dw = tp::zeros({3, 2}), db = tp::zeros({3});
  tp::raw::linear_fwd(a, w, bias, tp::Activation::relu, y);
  tp::raw::linear_bwd(y, a, w, y.clone(), tp::Activation::relu, dx, dw, db);
  tp::raw::activation_bwd(tp::Activation::relu, y, y.clone(), tp::zeros({2, 3}));
  tp::raw::add_bias(y, bias, tp::zeros({2, 3}));
  tp::Tensor cy = tp::zeros({2, 5, 6, 6});
  tp::raw::conv2d_fwd(img, cw, {}, {.padding = 1}, cy);
  tp::raw::conv2d_bwd_input(cy, cw, {.padding = 1}, tp::zeros({2, 4, 6, 6}));
  tp::raw::conv2d_bwd_weights(cy, img, {.padding = 1}, tp::zeros({5, 4, 3, 3}));
  tp::raw::conv2d_bwd_bias(cy, tp::zeros({5}));
  tp::Tensor py = tp::zeros({2, 4, 3, 3}), pi = tp::zeros({2, 4, 3, 3}, {.dtype = tp::DType::i32});
  tp::raw::maxpool2d_fwd(img, {.kernel = 2}, py, pi);
  tp::raw::maxpool2d_bwd(py, pi, tp::zeros({2, 4, 6, 6}));
  tp::raw::im2col(img, {.kernel = 3, .padding = 1}, tp::zeros(col.shape()));
  tp::raw::col2im(col, {.kernel = 3, .padding = 1}, tp::zeros({2, 4, 6, 6}));
  tp::raw::mse_grad(a, a.clone(), 1.0f, dx);
  tp::raw::cross_entropy_grad(a, idx, 1.0f, dx);
  tp::raw::update_confusion_matrix(idx, idx, tp::zeros({2, 2}, {.dtype = tp::DType::i32}));
  tp::raw::adam_step(w, dw, tp::zeros({3, 2}), tp::zeros({3, 2}),
                     {.lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .weight_decay = 0, .step = 1});
  tp::raw::sgd_step(w, dw, tp::zeros({3, 2}), {.lr = 1e-2, .momentum = 0.9, .weight_decay = 0});
  tp::Tensor p = tp::ones({2, 2}).requires_grad();
  tp::Tensor loss = tp::mse_loss(tp::matmul(a, p), a);
  loss.backward();
  p.grad();
  p.zero_grad();
  tp::square(p).backward(tp::ones({2, 2}));
  { tp::NoGrad guard; }
  a.detach();
  tp::gradcheck([](const std::vector<tp::Tensor>& in) { return tp::sum(in[0] * in[1]); }, {a, a.clone()});
  tp::Ticket t = tp::commit();
  t.ready();
  t.wait();
  tp::sync();
  tp::tidy([&] {
    tp::Tensor q = a + a;
    return q;
  });
  { tp::Tidy scope; }
  tp::configure({.max_commands = 100, .max_cached_per_class = 50, .memory_limit = 2_GiB, .cache_limit = 512_MiB});
  tp::MemoryStats m = tp::memory();
  (void)m;
  tp::memory(tp::device("cpu"));
  tp::reset_peak();
  {
    const char* src = "layout(binding = 2) buffer O { float o[]; };\nvoid main() { if (item() < 4) o[item()] = 1.0; }";
    const auto fn = [](tp::KernelCall& call) {
      call.size();
      call.params<float>();
      call.buffer<float>(2)[0] = 1.0F;
    };
    tp::Kernel k({.name = "saxpy", .glsl = src, .cpu = fn, .bindings = 3, .writes = {2}});
    const std::int64_t n = 4;
    const float params = 2.0F;
    tp::Tensor kx = tp::ones({4}), ky = tp::ones({4}), out = tp::zeros({4});
    k(n, params, {kx, ky, out});
  }
  {
    std::vector<std::span<const float>> spans{v, v};
    tp::Compute compute({.chunk = 100});
    std::vector<tp::Tensor> ts = compute.upload(spans);
    auto ys = compute.map(ts, [](const tp::Tensor& item) { return tp::mean(tp::square(item)); });
    std::vector<std::vector<float>> hs = compute.download(ys);
    tp::Compute().run(spans, [](const tp::Tensor& item) { return tp::mean(tp::square(item)); });
  }
  tp::Plan plan = tp::capture([&] { tp::copy_(dx, a + a); });
  plan.run();
  plan.launches();
  tp::cleanup();
  tp::configure({.memory_limit = before.memory_limit});
}

}  // namespace

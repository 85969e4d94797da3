// Running, scopes and gradients.
#include "c/bench.h"

namespace tidepool::c_tests {

namespace {

void commit(Bench& b) {
  tp_ticket* ticket = nullptr;
  tp_tensor* out = nullptr;
  b.expect_ok(tp_relu(b.f32({1}, {1}), &out));
  b.own(out);
  b.expect_ok(tp_commit(&ticket));
  b.expect_ok(tp_ticket_wait(ticket));
  int ready = 0;
  b.expect_ok(tp_ticket_ready(ticket, &ready));
  EXPECT_EQ(ready, 1);
  b.expect_ok(tp_ticket_free(ticket));
  b.expect_ok(tp_commit(nullptr));
}

// What is asked of a ticket.
void with_ticket(Bench& b, const std::function<void(tp_ticket*)>& check) {
  tp_ticket* ticket = nullptr;
  b.expect_ok(tp_commit(&ticket));
  check(ticket);
  b.expect_ok(tp_ticket_free(ticket));
}

void free_ticket(Bench& b) {
  tp_ticket* ticket = nullptr;
  b.expect_ok(tp_commit(&ticket));
  b.expect_ok(tp_ticket_free(ticket));
  b.expect_error(tp_ticket_free(ticket), TP_RELEASED_ERROR, {"is a ticket that was freed already"});
  b.expect_ok(tp_ticket_free(nullptr));
}

void sync(Bench& b) {
  b.expect_ok(tp_sync());
  tp_tensor* out = nullptr;
  b.expect_ok(tp_one_hot(b.i32({5}, {1}), 3, &out));
  b.own(out);
  b.expect_error(tp_sync(), TP_ARGUMENT_ERROR, {"one_hot", "5"});
  b.expect_ok(tp_sync());
}

void cleanup(Bench& b) {
  tp_tensor* const kept = b.f32({3}, {1});
  tp_plan* const plan = b.plan();
  b.expect_ok(tp_cleanup());
  b.expect_values(kept, {3});
  b.expect_error(tp_plan_run(plan), TP_ERROR, {"the plan cannot run", "capture it again"});
}

// Three ways a capture can go; each function is at home in one of them.
void capture(Bench& b) {
  tp_tensor *x = b.f32({1, -2}, {2}), *y = nullptr;
  tp_plan* plan = nullptr;
  b.expect_ok(tp_capture_begin());
  b.expect_ok(tp_relu(x, &y));
  b.expect_ok(tp_capture_end(&plan));
  b.expect_values(b.own(y), {0, 0});  // nothing has run
  b.expect_ok(tp_plan_run(plan));
  b.expect_values(y, {1, 0});
  b.expect_ok(tp_fill(x, 4));
  b.expect_ok(tp_plan_run(plan));
  b.expect_values(y, {4, 4});
  b.expect_ok(tp_plan_free(plan));

  b.expect_ok(tp_capture_begin());
  b.expect_error(tp_capture_begin(), TP_ERROR, {"tp_capture_begin: this thread is capturing already"});
  b.expect_ok(tp_capture_cancel());
  b.expect_ok(tp_capture_begin());
  b.expect_ok(tp_capture_cancel());
}

void failed_capture(Bench& b) {
  tp_tensor *x = b.f32({1, -2}, {2}), *y = nullptr;
  tp_plan* plan = nullptr;
  b.expect_error(tp_capture_end(&plan), TP_ERROR, {"tp_capture_end: this thread is not capturing; call tp_capture_begin first"});

  b.expect_ok(tp_capture_begin());
  b.expect_ok(tp_relu(x, &y));
  b.own(y);
  float values[2];
  b.expect_error(tp_tensor_copy_to_f32(x, values, 2), TP_ERROR, {"copy_to", "inside capture"});
  b.expect_error(tp_relu(nullptr, &y), TP_ARGUMENT_ERROR, {"a is NULL"});
  plan = reinterpret_cast<tp_plan*>(&plan);
  b.expect_error(tp_capture_end(&plan), TP_ERROR, {"a call inside the capture failed: copy_to"});
  EXPECT_EQ(plan, nullptr) << "the first error counts, and there is no plan";
  b.expect_values(x, {1, -2});  // it is over
}

void end_capture(Bench& b) {
  failed_capture(b);
  tp_plan* plan = nullptr;
  b.expect_ok(tp_capture_begin());
  b.expect_error(tp_capture_end(&plan), TP_ERROR, {"launched nothing"});
  b.expect_ok(tp_capture_begin());
  b.expect_error(tp_capture_end(nullptr), TP_ARGUMENT_ERROR, {"tp_capture_end: plan is NULL"});
  b.expect_error(tp_capture_end(&plan), TP_ERROR, {"not capturing"});
}

void cancel_capture(Bench& b) {
  tp_tensor *x = b.f32({1}, {1}), *y = nullptr;
  b.expect_ok(tp_capture_cancel());
  b.expect_ok(tp_capture_begin());
  b.expect_ok(tp_relu(x, &y));
  b.own(y);
  b.expect_ok(tp_capture_cancel());
  b.expect_ok(tp_relu(x, &y));
  b.expect_values(b.own(y), {1});
}

void run_plan(Bench& b) {
  tp_tensor* const counter = b.zeros({1});
  tp_tensor* const one = b.f32({1}, {1});
  tp_tensor* sum = nullptr;
  tp_plan* plan = nullptr;
  b.expect_ok(tp_capture_begin());
  b.expect_ok(tp_add(counter, one, &sum));
  b.expect_ok(tp_copy(counter, b.own(sum)));
  b.expect_ok(tp_capture_end(&plan));
  b.sweep(tp_plan_run, plan);
  b.expect_ok(tp_plan_run(plan));
  b.expect_values(counter, {2});
  b.expect_ok(tp_plan_free(plan));
}

void free_plan(Bench& b) {
  tp_tensor* const filled = b.zeros({1});
  tp_plan* plan = nullptr;
  b.expect_ok(tp_capture_begin());
  b.expect_ok(tp_fill(filled, 1));
  b.expect_ok(tp_capture_end(&plan));
  b.expect_ok(tp_plan_free(plan));
  b.expect_error(tp_plan_free(plan), TP_RELEASED_ERROR, {"is a plan that was freed already"});
  b.expect_error(tp_plan_run(plan), TP_RELEASED_ERROR, {"tp_plan_run: plan is a plan that was freed already"});
  b.expect_ok(tp_plan_free(nullptr));
}

std::int64_t live_tensors() {
  tp_memory_stats stats;
  Bench::expect_ok(tp_memory(nullptr, &stats));
  return stats.tensors;
}

void tidy(Bench& b) {
  tp_tensor *x = b.f32({1, 2}, {2}), *h = nullptr, *kept = nullptr, *freed = nullptr, *inner = nullptr;
  const std::int64_t before = live_tensors();
  b.expect_ok(tp_tidy_begin());
  b.expect_ok(tp_add(x, x, &h));
  b.expect_ok(tp_relu(h, &h));  // the first h is freed at the end, though nobody holds its handle any more
  b.expect_ok(tp_square(h, &kept));
  b.expect_ok(tp_keep(kept));
  b.expect_ok(tp_square(h, &freed));
  b.expect_ok(tp_tensor_free(freed));
  b.expect_ok(tp_tidy_begin());
  b.expect_ok(tp_neg(h, &inner));
  b.expect_ok(tp_tidy_end());
  b.expect_error(tp_tensor_free(inner), TP_RELEASED_ERROR, {"freed already"});
  b.expect_values(h, {2, 4});  // the outer scope is still open
  b.expect_ok(tp_tidy_end());
  EXPECT_EQ(live_tensors(), before + 1);
  b.expect_values(b.own(kept), {4, 16});
  b.expect_error(tp_relu(h, &inner), TP_RELEASED_ERROR, {"freed already"});
  b.expect_values(x, {1, 2});
  b.expect_error(tp_tidy_end(), TP_ERROR, {"there is no scope on this thread; call tp_tidy_begin first"});
}

void many_in_a_scope(Bench& b) {
  const std::int64_t before = live_tensors(), shape[] = {1};
  tp_tensor* kept = nullptr;
  b.expect_ok(tp_tidy_begin());
  for (int i = 0; i < 500; ++i) {
    tp_tensor* made = nullptr;
    b.expect_ok(tp_full(shape, 1, static_cast<float>(i), TP_F32, nullptr, &made));
    if (i % 2) b.expect_ok(tp_tensor_free(made));
    if (i == 250) b.expect_ok(tp_keep(kept = made));
  }
  b.expect_ok(tp_tidy_end());
  EXPECT_EQ(live_tensors(), before + 1);
  b.expect_values(b.own(kept), {250});
}

void keep(Bench& b) {
  tidy(b);
  many_in_a_scope(b);
  b.expect_ok(tp_keep(b.f32({1}, {1})));  // outside of a scope there is nothing to keep it from
  b.expect_error(tp_keep(nullptr), TP_ARGUMENT_ERROR, {"tp_keep: tensor is NULL"});
  tp_tensor* const freed = b.f32({1}, {1});
  b.expect_ok(tp_tensor_free(freed));
  b.expect_error(tp_keep(freed), TP_RELEASED_ERROR, {"freed already"});
}

// d(w²)/dw at 3 is 6.
void gradients(Bench& b) {
  tp_tensor *w = b.f32({3}, {1}), *y = nullptr, *grad = nullptr;
  b.expect_ok(tp_tensor_requires_grad(w, 1));
  b.expect_ok(tp_tensor_grad(w, &grad));
  EXPECT_EQ(grad, nullptr) << "there is none yet";
  b.expect_ok(tp_square(w, &y));
  b.expect_ok(tp_tensor_backward(b.own(y), nullptr));
  b.expect_ok(tp_tensor_grad(w, &grad));
  b.expect_values(b.own(grad), {6});
  b.expect_ok(tp_square(w, &y));
  b.expect_ok(tp_tensor_backward(b.own(y), b.f32({10}, {1})));
  b.expect_values(grad, {66});
  b.expect_ok(tp_tensor_zero_grad(w));
  b.expect_values(grad, {0});
}

void requires_grad(Bench& b) {
  gradients(b);
  tp_tensor *w = b.f32({3}, {1}), *y = nullptr;
  b.sweep(tp_tensor_requires_grad, w, 1);
  b.expect_ok(tp_tensor_requires_grad(w, 0));
  b.expect_ok(tp_square(w, &y));
  b.expect_error(tp_tensor_backward(b.own(y), nullptr), TP_ERROR, {"backward"});
  b.expect_error(tp_tensor_requires_grad(b.zeros({1}, TP_I32), 1), TP_DTYPE_ERROR, {"requires_grad", "i32"});
}

void backward(Bench& b) {
  tp_tensor *w = b.f32({1, 2}, {2}), *y = nullptr;
  b.expect_ok(tp_tensor_requires_grad(w, 1));
  b.expect_ok(tp_square(w, &y));
  b.expect_error(tp_tensor_backward(b.own(y), nullptr), TP_SHAPE_ERROR, {"backward", "[2]"});
  b.optional({1}).sweep(tp_tensor_backward, y, b.f32({1, 1}, {2}));
}

void no_grad(Bench& b) {
  tp_tensor *w = b.f32({3}, {1}), *y = nullptr;
  b.expect_ok(tp_tensor_requires_grad(w, 1));
  b.expect_error(tp_no_grad_end(), TP_ERROR, {"call tp_no_grad_begin first"});
  b.expect_ok(tp_no_grad_begin());
  b.expect_ok(tp_no_grad_begin());
  b.expect_ok(tp_no_grad_end());
  b.expect_ok(tp_square(w, &y));
  b.expect_ok(tp_no_grad_end());
  b.expect_error(tp_tensor_backward(b.own(y), nullptr), TP_ERROR, {"backward"});
  b.expect_ok(tp_square(w, &y));
  b.expect_ok(tp_tensor_backward(b.own(y), nullptr));
}

}  // namespace

void add_run_cases(Cases& all) {
  all.push_back({"tp_commit", commit});
  all.push_back({"tp_ticket_ready", [](Bench& b) {
                   with_ticket(b, [&](tp_ticket* ticket) {
                     int ready = -1;
                     b.sweep(tp_ticket_ready, ticket, &ready);
                     EXPECT_TRUE(ready == 0 || ready == 1);
                   });
                 }});
  all.push_back({"tp_ticket_wait", [](Bench& b) { with_ticket(b, [&](tp_ticket* ticket) { b.sweep(tp_ticket_wait, ticket); }); }});
  all.push_back({"tp_ticket_free", free_ticket});
  all.push_back({"tp_sync", sync});
  all.push_back({"tp_cleanup", cleanup});
  all.push_back({"tp_capture_begin", capture});
  all.push_back({"tp_capture_end", end_capture});
  all.push_back({"tp_capture_cancel", cancel_capture});
  all.push_back({"tp_plan_run", run_plan});
  all.push_back({"tp_plan_launches", [](Bench& b) {
                   std::int64_t launches = 0;
                   b.sweep(tp_plan_launches, b.plan(), &launches);
                   EXPECT_EQ(launches, 1);
                 }});
  all.push_back({"tp_plan_free", free_plan});
  all.push_back({"tp_tidy_begin", tidy});
  all.push_back({"tp_tidy_end", tidy});
  all.push_back({"tp_keep", keep});
  all.push_back({"tp_tensor_requires_grad", requires_grad});
  all.push_back({"tp_tensor_backward", backward});
  all.push_back({"tp_tensor_grad", [](Bench& b) {
                   gradients(b);
                   tp_tensor* grad = nullptr;
                   b.sweep(tp_tensor_grad, b.zeros({1}), &grad);
                   EXPECT_EQ(grad, nullptr);
                 }});
  all.push_back({"tp_tensor_zero_grad", [](Bench& b) {
                   gradients(b);
                   b.sweep(tp_tensor_zero_grad, b.zeros({1}));
                 }});
  all.push_back({"tp_no_grad_begin", no_grad});
  all.push_back({"tp_no_grad_end", no_grad});
}

}  // namespace tidepool::c_tests

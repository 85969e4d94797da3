/* Exclusive or in C: a network of two layers whose backward pass is written out, trained call by call, and then from a plan. */
#include <tidepool/c.h>

#include <stdio.h>
#include <stdlib.h>

enum { samples = 4, inputs = 2, hidden = 8, outputs = 1, steps = 500 };

/* Ends the program with the library's message. Another program would go on: an error leaves everything as it was. */
static void check(tp_status status) {
  if (status == TP_OK) return;
  fprintf(stderr, "%s: %s\n", tp_status_name(status), tp_last_error());
  exit(EXIT_FAILURE);
}

/* y = act(x · wᵀ + b), and what training it takes. */
typedef struct layer {
  tp_tensor *w, *b;   /* parameters */
  tp_tensor *dw, *db; /* their gradients */
  tp_tensor *vw, *vb; /* and their velocities */
  tp_tensor *y, *dy;  /* the output, and its gradient */
  int activation;
} layer;

static tp_tensor* zeros(int64_t rows, int64_t columns) {
  const int64_t shape[] = {rows, columns};
  tp_tensor* out = NULL;
  check(tp_zeros(shape, 2, TP_F32, NULL, &out)); /* NULL: on the default device */
  return out;
}

static tp_tensor* zero_vector(int64_t count) {
  tp_tensor* out = NULL;
  check(tp_zeros(&count, 1, TP_F32, NULL, &out));
  return out;
}

static layer make_layer(int64_t from, int64_t to, int activation) {
  const int64_t shape[] = {to, from};
  layer made = {NULL,
                zero_vector(to),
                zeros(to, from),
                zero_vector(to),
                zeros(to, from),
                zero_vector(to),
                zeros(samples, to),
                zeros(samples, to),
                activation};
  check(tp_randn(shape, 2, TP_F32, NULL, &made.w));
  return made;
}

static void free_layer(layer* l) {
  tp_tensor* const all[] = {l->w, l->b, l->dw, l->db, l->vw, l->vb, l->y, l->dy};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) check(tp_tensor_free(all[i]));
}

static void update(layer* l) {
  tp_sgd_options sgd = TP_SGD_DEFAULTS;
  sgd.lr = 0.5;
  sgd.momentum = 0.9;
  check(tp_raw_sgd_step(l->w, l->dw, l->vw, &sgd));
  check(tp_raw_sgd_step(l->b, l->db, l->vb, &sgd));
}

/* Forward, backward, update: nine calls, none of which makes a tensor. */
static void step(tp_tensor* x, tp_tensor* target, layer* first, layer* second) {
  check(tp_raw_linear_fwd(x, first->w, first->b, first->activation, first->y));
  check(tp_raw_linear_fwd(first->y, second->w, second->b, second->activation, second->y));
  check(tp_raw_mse_grad(second->y, target, 2.0 / samples, second->dy));
  check(tp_raw_linear_bwd(second->dy, first->y, second->w, second->y, second->activation, first->dy, second->dw, second->db));
  check(tp_raw_linear_bwd(first->dy, x, first->w, first->y, first->activation, NULL, first->dw, first->db));
  update(first);
  update(second);
}

/* Trains from the same first numbers, and says how well it went: the largest distance from what is right. */
static float train(int from_a_plan) {
  const float all_inputs[] = {0, 0, 0, 1, 1, 0, 1, 1}, right[] = {0, 1, 1, 0};
  const int64_t x_shape[] = {samples, inputs}, y_shape[] = {samples, outputs};
  tp_tensor *x = NULL, *target = NULL;
  check(tp_from_f32(all_inputs, samples * inputs, x_shape, 2, NULL, &x));
  check(tp_from_f32(right, samples * outputs, y_shape, 2, NULL, &target));
  check(tp_manual_seed(1));
  layer first = make_layer(inputs, hidden, TP_TANH), second = make_layer(hidden, outputs, TP_SIGMOID);

  if (from_a_plan) {
    tp_plan* plan = NULL;
    check(tp_capture_begin());
    step(x, target, &first, &second); /* is recorded, not done */
    check(tp_capture_end(&plan));
    for (int i = 0; i < steps; ++i) check(tp_plan_run(plan));
    check(tp_plan_free(plan));
  } else {
    for (int i = 0; i < steps; ++i) step(x, target, &first, &second);
  }

  float said[samples], worst = 0;
  check(tp_tensor_copy_to_f32(second.y, said, samples)); /* waits until all of it is done */
  for (int i = 0; i < samples; ++i) {
    const float distance = said[i] > right[i] ? said[i] - right[i] : right[i] - said[i];
    printf("  %d xor %d = %.3f\n", i / 2, i % 2, (double)said[i]);
    if (distance > worst) worst = distance;
  }
  free_layer(&first);
  free_layer(&second);
  check(tp_tensor_free(x));
  check(tp_tensor_free(target));
  return worst;
}

int main(void) {
  const char* device = NULL;
  tp_memory_stats memory;
  check(tp_check_interface(TP_INTERFACE_MAJOR, TP_INTERFACE_MINOR));
  check(tp_device_id(NULL, &device));

  printf("Tidepool %s on %s, call by call:\n", tp_version(), device);
  const float by_calls = train(0);
  printf("from a plan:\n");
  const float by_plan = train(1);

  check(tp_memory(NULL, &memory));
  printf("%lld tensors are left\n", (long long)memory.tensors);
  return by_calls < 0.1F && by_plan < 0.1F && memory.tensors == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

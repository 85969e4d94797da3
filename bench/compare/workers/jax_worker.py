"""JAX: each step one jitted function, Adam written by hand, old parameters given up to the new. Pictures are NHWC, as JAX likes them."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from protocol import fashion, labels, serve


def dense(key, inputs, outputs):
    bound = inputs**-0.5
    w, b = jax.random.split(key)
    return jax.random.uniform(w, (inputs, outputs), minval=-bound, maxval=bound), jax.random.uniform(b, (outputs,), minval=-bound, maxval=bound)


def layers(*sizes):
    keys = jax.random.split(jax.random.key(1), len(sizes) - 1)
    return [dense(key, a, b) for key, a, b in zip(keys, sizes, sizes[1:])]


def forward(parameters, x, inner, last=lambda y: y):
    for w, b in parameters[:-1]:
        x = inner(x @ w + b)
    w, b = parameters[-1]
    return last(x @ w + b)


def mean_square(prediction, y):
    return jnp.mean((prediction - y) ** 2)


def cross_entropy(logits, y):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], 1))


def adam(parameters, gradients, moments, count):
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradients)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], gradients)
    rate, root = 1e-3 / (1 - 0.9**count), jnp.sqrt(1 - 0.999**count)
    new = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) / root + 1e-8), parameters, first, second)
    return new, (first, second)


class Training:
    def __init__(self, parameters, network, loss_function):
        zeros = lambda: jax.tree.map(jnp.zeros_like, parameters)  # noqa: E731
        self.state = parameters, (zeros(), zeros()), jnp.zeros(())

        @functools.partial(jax.jit, donate_argnums=0)
        def step(state, x, y):
            parameters, moments, count = state
            loss, gradients = jax.value_and_grad(lambda p: loss_function(network(p, x), y))(parameters)
            parameters, moments = adam(parameters, gradients, moments, count + 1)
            return (parameters, moments, count + 1), loss

        self.compiled = step

    def step(self, x, y):
        self.state, loss = self.compiled(self.state, x, y)
        return loss

    def on(self, x, y):
        x, y = jnp.asarray(x), jnp.asarray(y)

        def run(repetitions):
            for _ in range(repetitions):
                loss = self.step(x, y)
            jax.block_until_ready((self.state, loss))

        return run


def xor():
    network = functools.partial(forward, inner=jnp.tanh, last=jax.nn.sigmoid)
    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.float32)
    return Training(layers(2, 8, 1), network, mean_square).on(x, np.array([[0], [1], [1], [0]], np.float32))


def sine():
    x = np.random.default_rng(1).random((128, 1), np.float32) * 12 - 6
    return Training(layers(1, 256, 1), functools.partial(forward, inner=jnp.tanh), mean_square).on(x, np.sin(x))


def mlp():
    x = np.random.default_rng(1).random((128, 784), np.float32)
    return Training(layers(784, 256, 128, 10), functools.partial(forward, inner=jax.nn.relu), cross_entropy).on(x, labels(128))


def cnn_parameters():
    def kernel(key, inputs, outputs):
        w, b = dense(key, inputs * 9, outputs)
        return w.reshape(3, 3, inputs, outputs), b

    first, second, third, fourth = jax.random.split(jax.random.key(1), 4)
    return [kernel(first, 1, 32), kernel(second, 32, 64), dense(third, 3136, 128), dense(fourth, 128, 10)]


def cnn_network(parameters, x):
    for w, b in parameters[:2]:
        x = jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) + b
        x = jax.lax.reduce_window(jax.nn.relu(x), -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return forward(parameters[2:], x.reshape(len(x), -1), jax.nn.relu)


def cnn():
    x = np.random.default_rng(1).random((64, 28, 28, 1), np.float32)
    return Training(cnn_parameters(), cnn_network, cross_entropy).on(x, labels(64))


def repeated(function, *arguments):
    function = jax.jit(function)

    def run(repetitions):
        for _ in range(repetitions):
            last = function(*arguments)
        jax.block_until_ready(last)

    return run


def chain():
    def ten(x):
        return jnp.tanh(jnp.sqrt(jnp.abs(jax.nn.relu(x * 1.5 + 0.5) * x - 0.25))) * 0.9 + x

    return repeated(ten, jax.random.uniform(jax.random.key(1), (1 << 20,), minval=-1.0))


def means():
    arrays = [jax.random.uniform(key, (1 << 18,)) for key in jax.random.split(jax.random.key(1), 10)]
    return repeated(lambda arrays: [jnp.mean(jnp.square(array)) for array in arrays], arrays)


def inference():
    network, parameters = jax.jit(cnn_network), cnn_parameters()
    picture = np.random.default_rng(1).random((1, 28, 28, 1), np.float32)

    def run(repetitions):
        for _ in range(repetitions):
            np.asarray(network(parameters, picture))

    return run


def epoch():
    (x, y), (test_x, test_y) = fashion("train"), fashion("t10k")
    x, test_x = x.reshape(-1, 28, 28, 1), test_x.reshape(-1, 28, 28, 1)

    def network(parameters, pictures):
        return cnn_network(parameters, (pictures.astype(jnp.float32) / 255 - 0.286) / 0.353)

    training = Training(cnn_parameters(), network, cross_entropy)
    order = np.random.default_rng(1).permutation(len(x))
    for begin in range(0, len(x), 64):
        rows = order[begin : begin + 64]
        training.step(x[rows], y[rows].astype(np.int32))
    predict = jax.jit(lambda parameters, pictures: jnp.argmax(network(parameters, pictures), 1))
    parameters = training.state[0]
    found = [np.asarray(predict(parameters, test_x[i : i + 64])) for i in range(0, len(test_x), 64)]
    return float(np.mean(np.concatenate(found) == test_y))


serve({"xor": xor, "sine": sine, "mlp": mlp, "cnn": cnn, "chain": chain, "means": means, "inference": inference}, epoch)

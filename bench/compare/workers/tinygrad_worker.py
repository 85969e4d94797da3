"""tinygrad on WebGPU (Dawn), each step one TinyJit."""

import importlib.util
import os
import platform
from pathlib import Path

dawn = Path(importlib.util.find_spec("pydawn").origin).parent / "lib"
os.environ |= {"DEV": "WEBGPU", "TRAINING": "1", "WEBGPU_PATH": str(dawn / f"libwebgpu_dawn_{platform.machine()}.so")}

from protocol import labels, serve  # noqa: E402
from tinygrad import Tensor, TinyJit, nn  # noqa: E402

Tensor.manual_seed(1)


def repeated(step):
    step = TinyJit(step)

    def run(repetitions):
        for _ in range(repetitions):
            last = step()
        last.numpy()

    return run


def training(layers, x, y):
    optimizer = nn.optim.Adam(nn.state.get_parameters(layers), lr=1e-3)
    x.realize(), y.realize()

    def step():
        optimizer.zero_grad()
        loss = x.sequential(layers).sparse_categorical_crossentropy(y).backward()
        return loss.realize(*optimizer.schedule_step())

    return repeated(step)


def mlp():
    layers = [nn.Linear(784, 256), Tensor.relu, nn.Linear(256, 128), Tensor.relu, nn.Linear(128, 10)]
    return training(layers, Tensor.rand(128, 784), Tensor(labels(128).astype("int32")))


def cnn():
    layers = [
        nn.Conv2d(1, 32, 3, padding=1), Tensor.relu, Tensor.max_pool2d,
        nn.Conv2d(32, 64, 3, padding=1), Tensor.relu, Tensor.max_pool2d,
        lambda x: x.flatten(1), nn.Linear(3136, 128), Tensor.relu, nn.Linear(128, 10),
    ]  # fmt: skip
    return training(layers, Tensor.rand(64, 1, 28, 28), Tensor(labels(64).astype("int32")))


def matmul():
    a, b = Tensor.rand(512, 512).realize(), Tensor.rand(512, 512).realize()
    return repeated(lambda: (a @ b).realize())


serve({"mlp": mlp, "cnn": cnn, "matmul": matmul})

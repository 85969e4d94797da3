"""PyTorch: eager, or compiled with --compile. Adam is the fused one."""

import os
import sys

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from protocol import fashion, labels, serve

COMPILED = "--compile" in sys.argv
torch.set_num_threads(len(os.sched_getaffinity(0)))
torch.manual_seed(1)


def maybe_compiled(function):
    return torch.compile(function, dynamic=False) if COMPILED else function


def training(net, loss_function, x, y):
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3, fused=True)
    forward = maybe_compiled(lambda x, y: loss_function(net(x), y))

    def step(x=x, y=y):
        optimizer.zero_grad()
        loss = forward(x, y)
        loss.backward()
        optimizer.step()
        return loss

    def run(repetitions):
        for _ in range(repetitions):
            loss = step()
        loss.item()

    run.step = step
    return run


def cnn_network():
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(3136, 128), nn.ReLU(), nn.Linear(128, 10),
    )  # fmt: skip


def xor():
    net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1), nn.Sigmoid())
    x = torch.tensor([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    return training(net, functional.mse_loss, x, torch.tensor([[0.0], [1], [1], [0]]))


def sine():
    x = torch.rand(128, 1) * 12 - 6
    return training(nn.Sequential(nn.Linear(1, 256), nn.Tanh(), nn.Linear(256, 1)), functional.mse_loss, x, torch.sin(x))


def mlp():
    net = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
    return training(net, functional.cross_entropy, torch.rand(128, 784), torch.from_numpy(labels(128)))


def cnn():
    return training(cnn_network(), functional.cross_entropy, torch.rand(64, 1, 28, 28), torch.from_numpy(labels(64)))


def repeated(function, *arguments):
    function = maybe_compiled(function)

    def run(repetitions):
        with torch.inference_mode():
            for _ in range(repetitions):
                function(*arguments)

    return run


def chain():
    def ten(x):
        return torch.tanh(torch.sqrt(torch.abs(torch.relu(x * 1.5 + 0.5) * x - 0.25))) * 0.9 + x

    return repeated(ten, torch.rand(1 << 20) * 2 - 1)


def means():
    return repeated(lambda arrays: [array.square().mean() for array in arrays], [torch.rand(1 << 18) for _ in range(10)])


def inference():
    net = maybe_compiled(cnn_network().eval())
    picture = np.random.default_rng(1).random((1, 1, 28, 28), np.float32)

    def run(repetitions):
        with torch.inference_mode():
            for _ in range(repetitions):
                net(torch.from_numpy(picture)).numpy()

    return run


def epoch():
    x, y = (torch.from_numpy(part.copy()) for part in fashion("train"))
    test_x, test_y = (torch.from_numpy(part.copy()) for part in fashion("t10k"))
    y, test_y = y.long(), test_y.long()
    net = cnn_network()

    def floats(pictures):
        return (pictures.float() / 255 - 0.286) / 0.353

    step = training(net, functional.cross_entropy, None, None).step
    for rows in torch.randperm(len(x)).split(64):
        step(floats(x[rows]), y[rows])
    correct = 0
    with torch.inference_mode():
        for rows in torch.arange(len(test_x)).split(64):
            correct += (net(floats(test_x[rows])).argmax(1) == test_y[rows]).sum().item()
    return correct / len(test_x)


serve({"xor": xor, "sine": sine, "mlp": mlp, "cnn": cnn, "chain": chain, "means": means, "inference": inference}, epoch)

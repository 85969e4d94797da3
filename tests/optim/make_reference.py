#!/usr/bin/env python3
"""Writes reference.inc: a small network's parameters after 200 steps with PyTorch's optimizers (Debian's python3-torch)."""
import pathlib

import torch

torch.set_num_threads(1)


def numbers(count, seed):
    """The same numbers as optimizers_test.cpp makes: a linear congruential generator, exact in float."""
    values = []
    for _ in range(count):
        seed = (seed * 1664525 + 1013904223) % 2**32
        values.append((seed >> 8) / 2**23 - 1)
    return torch.tensor(values, dtype=torch.float32)


def train(make):
    x, y = numbers(64, 1).reshape(16, 4), numbers(16, 2).reshape(16, 1)
    w1, b1, w2, b2 = numbers(32, 3).reshape(8, 4), numbers(8, 4), numbers(8, 5).reshape(1, 8), numbers(1, 6)
    parameters = [p.clone().requires_grad_() for p in (w1, b1, w2, b2)]
    optimizer = make(parameters)
    for _ in range(200):
        optimizer.zero_grad()
        hidden = torch.tanh(torch.nn.functional.linear(x, parameters[0], parameters[1]))
        prediction = torch.nn.functional.linear(hidden, parameters[2], parameters[3])
        torch.nn.functional.mse_loss(prediction, y).backward()
        optimizer.step()
    return torch.cat([p.detach().flatten() for p in parameters]).tolist()


cases = {
    "adam": lambda p: torch.optim.Adam(p, lr=1e-2),
    "adam_decay": lambda p: torch.optim.Adam(p, lr=1e-2, weight_decay=0.05),
    "adamw": lambda p: torch.optim.AdamW(p, lr=1e-2, weight_decay=0.1),
    "sgd": lambda p: torch.optim.SGD(p, lr=5e-2, weight_decay=0.01),
    "momentum": lambda p: torch.optim.SGD(p, lr=1e-2, momentum=0.9),
    "nesterov": lambda p: torch.optim.SGD(p, lr=1e-2, momentum=0.9, nesterov=True),
    "rmsprop": lambda p: torch.optim.RMSprop(p, lr=1e-3, alpha=0.95, momentum=0.5),
}
lines = [f"// PyTorch {torch.__version__}; written by make_reference.py."]
for name, make in cases.items():
    values = ", ".join(f"{v:.9g}F" if "." in f"{v:.9g}" or "e" in f"{v:.9g}" else f"{v:.9g}.0F" for v in train(make))
    lines.append(f"inline const std::vector<float> {name}{{{values}}};")
pathlib.Path(__file__).with_name("reference.inc").write_text("\n".join(lines) + "\n")

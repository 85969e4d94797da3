#!/usr/bin/env python3
"""Writes model.safetensors, a PyTorch state_dict, and model.inc, what that network says of a given input.

Needs torch and safetensors. The weights are small whole multiples of 1/64, so that every format holds them exactly.
"""
import pathlib

import torch
from safetensors.torch import save_file

torch.manual_seed(1)
torch.set_num_threads(1)
net = torch.nn.Sequential(
    torch.nn.Conv2d(2, 4, 3, padding=1),
    torch.nn.BatchNorm2d(4),
    torch.nn.ReLU(),
    torch.nn.MaxPool2d(2),
    torch.nn.ConvTranspose2d(4, 3, 2, stride=2),
    torch.nn.Flatten(),
    torch.nn.Linear(3 * 36, 5),
    torch.nn.LayerNorm(5),
)
with torch.no_grad():
    for tensor in list(net.parameters()) + [net[1].running_mean]:
        tensor.copy_((tensor * 64).round() / 64)
    net[1].running_var.fill_(1.5)
net.eval()
x = ((torch.arange(2 * 2 * 36) * 37 % 101) / 64.0 - 0.75).reshape(2, 2, 6, 6)
y = net(x).detach().flatten().tolist()
here = pathlib.Path(__file__).parent
save_file(net.state_dict(), here / "model.safetensors")
half = {k: v.to(torch.bfloat16) if v.is_floating_point() else v for k, v in net.state_dict().items()}
save_file(half, here / "model_bf16.safetensors")
(here / "model.inc").write_text(f"// PyTorch {torch.__version__}; written by make.py.\n" + ", ".join(f"{v:.9g}F" for v in y) + "\n")

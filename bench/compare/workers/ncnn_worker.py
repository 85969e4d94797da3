"""ncnn on Vulkan, in 32 bits. Its Python has no way to leave a matrix on the device, so ten products follow each other in one network, and
the way there and back counts for a tenth."""

import os
import tempfile

import ncnn
import numpy as np

from protocol import serve

SIZE, PRODUCTS = 512, 10


def network(param, weights):
    """Weights follow each other in the file; each layer's first are announced by a word of zeros."""
    net = ncnn.Net()
    net.opt.use_vulkan_compute = True
    net.opt.num_threads = len(os.sched_getaffinity(0))
    for option in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_storage"):
        setattr(net.opt, option, False)
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/net.param", "w") as file:
            file.write(param)
        with open(f"{folder}/net.bin", "wb") as file:
            for weight, bias in weights:
                file.write(bytes(4) + weight.astype(np.float32).tobytes() + bias.astype(np.float32).tobytes())
        if net.load_param(f"{folder}/net.param") or net.load_model(f"{folder}/net.bin"):
            raise RuntimeError("ncnn does not take the network")
    return net


def repeated(net, x, check=lambda result: None):
    def run(repetitions):
        for _ in range(repetitions):
            extractor = net.create_extractor()
            extractor.input("in", ncnn.Mat(x))
            status, result = extractor.extract("out")
            if status:
                raise RuntimeError(f"ncnn's extract gave {status}")
            last = np.array(result)
        check(last)

    run.net = net  # lives as long
    return run


def matmul():
    random = np.random.default_rng(1)
    x = random.random((SIZE, SIZE), np.float32)
    matrices = [random.standard_normal((SIZE, SIZE), np.float32) / np.sqrt(SIZE) for _ in range(PRODUCTS)]
    names = ["in", *(f"p{i}" for i in range(1, PRODUCTS)), "out"]
    lines = ["7767517", f"{PRODUCTS + 1} {PRODUCTS + 1}", "Input input 0 1 in"]
    for i in range(PRODUCTS):
        lines.append(f"InnerProduct product{i} 1 1 {names[i]} {names[i + 1]} 0={SIZE} 1=0 2={SIZE * SIZE}")
    expected = x
    for matrix in matrices:
        expected = expected @ matrix.T

    def check(result):
        assert np.allclose(result, expected, rtol=1e-2, atol=1e-2), "a wrong product"

    run = repeated(network("\n".join(lines) + "\n", [(m, np.zeros(0)) for m in matrices]), x, check)
    run.each = PRODUCTS
    return run


def inference():
    param = """7767517
9 9
Input input 0 1 in
Convolution conv1 1 1 in a 0=32 1=3 4=1 5=1 6=288 9=1
Pooling pool1 1 1 a b 0=0 1=2 2=2
Convolution conv2 1 1 b c 0=64 1=3 4=1 5=1 6=18432 9=1
Pooling pool2 1 1 c d 0=0 1=2 2=2
Flatten flat 1 1 d e
InnerProduct hidden 1 1 e f 0=128 1=1 2=401408 9=1
InnerProduct last 1 1 f g 0=10 1=1 2=1280
Noop end 1 1 g out
"""
    random = np.random.default_rng(1)
    shapes = ((32, 9), (64, 288), (128, 3136), (10, 128))
    weights = [((random.random(shape) * 2 - 1) / np.sqrt(shape[1]), np.zeros(shape[0])) for shape in shapes]
    return repeated(network(param, weights), random.random((1, 28, 28), np.float32))


serve({"matmul": matmul, "inference": inference})

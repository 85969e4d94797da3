"""What is compared: the works, who takes part in each, and the goals that Tidepool set itself."""

from dataclasses import dataclass

TRAINING = "training steps"


@dataclass(frozen=True)
class Work:
    name: str  # what workers know it by
    title: str
    device: str  # "cpu" or "vulkan"
    peers: tuple[str, ...]
    kind: str = "steps"  # or "start", "first step", "epoch": a new process each time
    rows: int = 0  # samples in a step, where samples a second are shown
    goal: tuple[str, float] | None = None  # how many times faster than which peer
    goal_seconds: float = 0  # or a time
    note: str = ""

    @property
    def key(self) -> str:
        return f"{self.device}/{self.kind}/{self.name}"


CPU = ("torch", "torch-compile", "jax", "tfjs")
WORKS = (
    Work("xor", "XOR step: 2-8-1, batch 4, Adam", "cpu", CPU, goal=("jax", 20)),
    Work("sine", "sine step: 1-256-1, batch 128, Adam", "cpu", CPU, goal=("jax", 3)),
    Work("mlp", "MLP step: 784-256-128-10, batch 128, Adam", "cpu", CPU, goal=("jax", 1.25)),
    Work("cnn", "CNN step: 32 and 64 channels, 128 hidden, batch 64, Adam", "cpu", CPU, rows=64, goal=("torch", 2)),
    Work("chain", "ten elementwise operations on 1 M floats", "cpu", CPU, goal=("jax", 1.2)),
    Work("means", "ten times `mean(square(x))` of 1 MB", "cpu", CPU, goal=("torch", 1.5)),
    Work("inference", "CNN inference, batch 1, from and to the host", "cpu", CPU, goal=("torch", 2)),
    Work("start", "process start to first result", "cpu", ("torch", "jax", "tfjs", "mlx"), kind="start", goal=("mlx", 3)),
    Work("epoch", "Fashion-MNIST epoch with loading and evaluation", "cpu", ("torch", "torch-compile", "jax"), kind="epoch", goal=("torch", 2)),
    Work("matmul", "product of 512 × 512 matrices", "vulkan", ("ncnn", "wgpu", "tinygrad"), goal=("wgpu", 1.2)),
    Work("mlp", "MLP step, as above", "vulkan", ("tinygrad",), goal=("tinygrad", 25)),
    Work("cnn", "CNN step, as above", "vulkan", ("tinygrad",), rows=64, goal_seconds=64 / 150),
    Work("inference", "CNN inference, batch 1, as above", "vulkan", ("ncnn",)),
    Work("matmul", "process start to the first such product, shaders cached", "vulkan", ("ncnn", "wgpu", "tinygrad"), kind="first step"),
    Work("mlp", "process start to the first MLP step, shaders cached", "vulkan", ("tinygrad",), kind="first step", goal_seconds=0.5),
)


def chosen(names: list[str] | None) -> list[Work]:
    """The works that were asked for: by key, by name, or by device."""
    if not names:
        return list(WORKS)
    known = {word for work in WORKS for word in (work.key, work.name, work.device)}
    for name in names:
        if name not in known:
            raise SystemExit(f"bench/compare/run: no work '{name}'; there are {', '.join(dict.fromkeys(w.key for w in WORKS))}")
    return [work for work in WORKS if {work.key, work.name, work.device} & set(names)]

"""Who takes part, and how each is started.

    participant = PARTICIPANTS["jax"]
    command, variables = participant.start(place, threads=2, device="cpu")
"""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import environments
from environments import Environment, interpreter

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FIRST = {  # code that prints the product of two small matrices
    "torch": "import torch; print((torch.ones(2, 2) @ torch.ones(2, 2))[0, 0].item(), flush=True)",
    "jax": "import jax.numpy as jnp; print((jnp.ones((2, 2)) @ jnp.ones((2, 2)))[0, 0], flush=True)",
    "mlx": "import mlx.core as mx; print((mx.ones((2, 2)) @ mx.ones((2, 2)))[0, 0].item(), flush=True)",
}


@dataclass(frozen=True)
class Participant:
    name: str
    title: str
    environment: Environment | None = None
    worker: tuple[str, ...] = ()  # its file below workers/, and arguments
    variables: tuple[tuple[str, str], ...] = ()


PARTICIPANTS = {
    participant.name: participant
    for participant in (
        Participant("tidepool", "Tidepool"),
        Participant("torch", "PyTorch eager", environments.TORCH, ("torch_worker.py",)),
        Participant("torch-compile", "torch.compile", environments.TORCH, ("torch_worker.py", "--compile"), (("TORCHINDUCTOR_COMPILE_THREADS", "1"),)),
        Participant("jax", "JAX jit", environments.JAX, ("jax_worker.py",), (("JAX_PLATFORMS", "cpu"),)),
        Participant("tfjs", "TensorFlow.js wasm", environments.TFJS, ("tfjs_worker.mjs",)),
        Participant("mlx", "MLX", environments.MLX),
        Participant("ncnn", "ncnn", environments.NCNN, ("ncnn_worker.py",)),
        Participant("wgpu", "wgpu-py, WGSL by hand", environments.WGPU, ("wgpu_worker.py",)),
        Participant("tinygrad", "tinygrad WebGPU", environments.TINYGRAD, ("tinygrad_worker.py",)),
    )
}


@dataclass(frozen=True)
class Place:
    """Where things are on this machine."""

    cache: Path  # with an environment in a folder each
    build: Path  # with Tidepool's programs


def command_of(participant: Participant, place: Place, device: str, first: bool = False) -> list[str]:
    """The worker, or the program that only prints a first result."""
    if participant.environment is None:
        command = [str(place.build / "tidepool_compare_worker")] + ["first"] * first
    else:
        folder = place.cache / participant.environment.name
        command = [interpreter(participant.environment, folder)]
        if participant.environment.node:
            command += [str(HERE / "workers" / participant.worker[0]), str(folder)] + ["first"] * first
        elif first:
            command += ["-c", FIRST[participant.name] + "; import sys; sys.stdin.read()"]
        else:
            command += [str(HERE / "workers" / participant.worker[0]), *participant.worker[1:]]
    return [str(ROOT / "scripts" / "with-newer-mesa"), *command] if device == "vulkan" else command


def variables_of(participant: Participant, place: Place, device: str, threads: int) -> dict[str, str]:
    """The same for all, but for what a peer needs to be itself. Nobody is told how to wait: each waits as its users have it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TIDEPOOL_", "OMP_", "KMP_", "PYTHON", "LP_"))}
    if "TIDEPOOL_DATA" in os.environ:
        kept["TIDEPOOL_DATA"] = os.environ["TIDEPOOL_DATA"]
    kept |= {"OMP_NUM_THREADS": str(threads), "LP_NUM_THREADS": str(threads), "PYTHONDONTWRITEBYTECODE": "1"}
    kept |= {"TIDEPOOL_CACHE": str(place.cache / "shaders"), "MESA_SHADER_CACHE_DIR": str(place.cache / "shaders")}
    kept |= {"TORCHINDUCTOR_CACHE_DIR": str(place.cache / "inductor")}
    if participant.name == "tidepool" and device == "vulkan":
        kept["TIDEPOOL_DEVICE"] = "vulkan:0"
    return kept | dict(participant.variables)


def make_environments(names: list[str], place: Place) -> dict[str, str]:
    """Makes what is missing; names those that cannot be had, and why."""
    failed = {}
    for name in names:
        environment = PARTICIPANTS[name].environment
        if environment is None:
            continue
        try:
            environments.make(environment, place.cache, say=lambda text: print(text, file=sys.stderr))
        except environments.CannotInstall as error:
            failed[name] = str(error)
    return failed

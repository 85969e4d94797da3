"""Makes what each peer needs: a virtual environment of Python, or a folder of Node's, with versions that are fixed.

    folder = make(TORCH, Path("~/.cache/tidepool-compare").expanduser())
    python = interpreter(TORCH, folder)
"""

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


class CannotInstall(Exception):
    """The message says what is missing and what to do."""


@dataclass(frozen=True)
class Environment:
    name: str
    packages: tuple[str, ...]
    gigabytes: float  # that installing needs for a while; more than what stays
    node: bool = False


TORCH = Environment("torch", ("torch==2.15.0", "numpy==2.4.6"), 10)
JAX = Environment("jax", ("jax==0.10.2", "jaxlib==0.10.2", "numpy==2.4.6"), 1.5)
MLX = Environment("mlx", ("mlx[cpu]==0.32.4",), 0.3)
NCNN = Environment("ncnn", ("ncnn==1.0.20261020", "numpy==2.4.6"), 0.7)
WGPU = Environment("wgpu", ("wgpu==0.32.0", "numpy==2.4.6"), 0.4)
TINYGRAD = Environment("tinygrad", ("tinygrad==0.14.0", "dawn-python==0.3.0", "numpy==2.4.6"), 0.5)
TFJS = Environment("tfjs", ("@tensorflow/tfjs@4.22.0", "@tensorflow/tfjs-backend-wasm@4.22.0"), 1.0, node=True)


def interpreter(environment: Environment, folder: Path) -> str:
    return shutil.which("node") or "node" if environment.node else str(folder / "bin" / "python")


def make(environment: Environment, cache: Path, say=print) -> Path:
    """The environment's folder below the cache folder, made now if it is not there or of other versions."""
    folder = cache / environment.name
    stamp = folder / "packages.json"
    wanted = json.dumps(environment.packages)
    if stamp.is_file() and stamp.read_text() == wanted:
        return folder
    check_room(environment, cache)
    say(f"installing {', '.join(environment.packages)} in {folder}")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (install_node if environment.node else install_python)(environment, folder)
    stamp.write_text(wanted)
    return folder


def check_room(environment: Environment, cache: Path) -> None:
    cache.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(cache).free / 1e9
    if free < environment.gigabytes:
        raise CannotInstall(
            f"{environment.name} needs {environment.gigabytes:g} GB while it is installed, and {cache} has {free:.1f} GB left: "
            f"make room, name another folder with --folder, or leave it out with --peers"
        )


def install_python(environment: Environment, folder: Path) -> None:
    run([sys.executable, "-m", "venv", str(folder)], environment, "Debian's package python3-venv may be missing")
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-cache-dir", "--disable-pip-version-check"]
    run([*pip, *environment.packages], environment, "is the package index within reach?")


def install_node(environment: Environment, folder: Path) -> None:
    for program in ("node", "npm"):
        if not shutil.which(program):
            raise CannotInstall(f"{environment.name} needs {program}: install it (Debian: nodejs, npm), or leave it out with --peers")
    install = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--loglevel=error", "--save-exact"]
    run([*install, *environment.packages], environment, "is the registry within reach?")


def run(command: list[str], environment: Environment, hint: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-5:])
        raise CannotInstall(f"{environment.name}: `{' '.join(command)}` failed; {hint}\n{last}")


def installed_bytes(environment: Environment, folder: Path) -> int:
    """What the peer and all that it brings take on disk; not the interpreter, pip or setuptools."""
    if environment.node:
        return tree_bytes(folder / "node_modules")
    packages = next((folder / "lib").glob("python*/site-packages"))
    own = ("pip", "pkg_resources", "setuptools", "_distutils_hack", "distutils-precedence")
    return sum(tree_bytes(entry) for entry in packages.iterdir() if not entry.name.startswith(own))


def tree_bytes(path: Path) -> int:
    """Byte code that running left behind is not counted."""
    if path.is_symlink():
        return 0
    if path.is_dir():
        return sum(tree_bytes(entry) for entry in path.iterdir() if entry.name != "__pycache__")
    return path.stat().st_size

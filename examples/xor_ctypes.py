"""Exclusive or from Python, through the C interface and nothing but ctypes: the beginning of a binding.

    cmake -B build -DBUILD_SHARED_LIBS=ON && cmake --build build
    python3 examples/xor_ctypes.py build/libtidepool.so
"""

import ctypes
import sys
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_float, c_int, c_int64, c_uint64, c_void_p

INTERFACE = (1, 0)  # what this file was written against
F32, TANH, SIGMOID = 0, 3, 2


class AdamOptions(Structure):
    _fields_ = [("lr", c_double), ("beta1", c_double), ("beta2", c_double), ("eps", c_double), ("weight_decay", c_double), ("step", c_int64)]


# Parameters of the functions used here, as tidepool/c.h has them. All of these give a status.
FUNCTIONS = {
    "tp_check_interface": [c_int, c_int],
    "tp_manual_seed": [c_uint64],
    "tp_device_id": [c_void_p, POINTER(c_char_p)],
    "tp_from_f32": [POINTER(c_float), c_int64, POINTER(c_int64), c_int64, c_void_p, POINTER(c_void_p)],
    "tp_zeros": [POINTER(c_int64), c_int64, c_int, c_void_p, POINTER(c_void_p)],
    "tp_randn": [POINTER(c_int64), c_int64, c_int, c_void_p, POINTER(c_void_p)],
    "tp_tensor_free": [c_void_p],
    "tp_tensor_numel": [c_void_p, POINTER(c_int64)],
    "tp_tensor_copy_to_f32": [c_void_p, POINTER(c_float), c_int64],
    "tp_tensor_requires_grad": [c_void_p, c_int],
    "tp_tensor_backward": [c_void_p, c_void_p],
    "tp_tensor_grad": [c_void_p, POINTER(c_void_p)],
    "tp_tensor_zero_grad": [c_void_p],
    "tp_linear": [c_void_p, c_void_p, c_void_p, c_int, POINTER(c_void_p)],
    "tp_mse_loss": [c_void_p, c_void_p, POINTER(c_void_p)],
    "tp_raw_adam_step": [c_void_p, c_void_p, c_void_p, c_void_p, POINTER(AdamOptions)],
}


class TidepoolError(RuntimeError):
    """What a function said, with the name of its status."""


class Library:
    """The shared library; a status that is not TP_OK becomes an exception."""

    def __init__(self, path):
        self._library = ctypes.CDLL(path)
        for name in ("tp_last_error", "tp_status_name", "tp_version"):
            getattr(self._library, name).restype = c_char_p
        for name, parameters in FUNCTIONS.items():
            getattr(self._library, name).argtypes = parameters
        self.call("tp_check_interface", *INTERFACE)
        self.version = self._library.tp_version().decode()

    def default_device(self):
        name = c_char_p()
        self.call("tp_device_id", None, byref(name))
        return name.value.decode()

    def call(self, name, *arguments):
        status = getattr(self._library, name)(*arguments)
        if status:
            raise TidepoolError(f"{self._library.tp_status_name(status).decode()}: {self._library.tp_last_error().decode()}")

    def make(self, name, *arguments):
        """Calls a function that gives a tensor."""
        handle = c_void_p()
        self.call(name, *arguments, byref(handle))
        return Tensor(self, handle)

    def tensor(self, values, shape):
        return self.make("tp_from_f32", (c_float * len(values))(*values), len(values), (c_int64 * len(shape))(*shape), len(shape), None)

    def made(self, name, shape):
        return self.make(name, (c_int64 * len(shape))(*shape), len(shape), F32, None)


class Tensor:
    """Owns a handle. The garbage collector gives it back, from whatever thread."""

    def __init__(self, library, handle):
        self._library, self._as_parameter_ = library, handle

    def __del__(self):
        self._library.call("tp_tensor_free", self)

    def values(self):
        count = c_int64()
        self._library.call("tp_tensor_numel", self, byref(count))
        values = (c_float * count.value)()
        self._library.call("tp_tensor_copy_to_f32", self, values, count.value)
        return list(values)


class Parameter:
    """A tensor that learns, with Adam's two moments."""

    def __init__(self, library, name, shape):
        self.library, self.tensor = library, library.made(name, shape)
        self.mean, self.square = library.made("tp_zeros", shape), library.made("tp_zeros", shape)
        library.call("tp_tensor_requires_grad", self.tensor, 1)

    def update(self, options):
        grad = self.library.make("tp_tensor_grad", self.tensor)
        self.library.call("tp_raw_adam_step", self.tensor, grad, self.mean, self.square, byref(options))
        self.library.call("tp_tensor_zero_grad", self.tensor)


def main():
    tp = Library(sys.argv[1] if len(sys.argv) > 1 else "libtidepool.so")
    x, y = tp.tensor([0, 0, 0, 1, 1, 0, 1, 1], [4, 2]), tp.tensor([0, 1, 1, 0], [4, 1])

    try:
        tp.make("tp_mse_loss", x, y)
    except TidepoolError as error:
        print(f"a mistake is an exception: {error}")

    tp.call("tp_manual_seed", 1)
    w1, b1 = Parameter(tp, "tp_randn", [8, 2]), Parameter(tp, "tp_zeros", [8])
    w2, b2 = Parameter(tp, "tp_randn", [1, 8]), Parameter(tp, "tp_zeros", [1])
    for step in range(1, 401):
        hidden = tp.make("tp_linear", x, w1.tensor, b1.tensor, TANH)
        said = tp.make("tp_linear", hidden, w2.tensor, b2.tensor, SIGMOID)
        loss = tp.make("tp_mse_loss", said, y)
        tp.call("tp_tensor_backward", loss, None)
        for parameter in (w1, b1, w2, b2):
            parameter.update(AdamOptions(lr=0.05, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0, step=step))

    print(f"Tidepool {tp.version} on {tp.default_device()}: loss {loss.values()[0]:.1e}")
    for i, value in enumerate(said.values()):
        print(f"  {i // 2} xor {i % 2} = {value:.3f}")
    return 0 if loss.values()[0] < 1e-2 else 1


if __name__ == "__main__":
    sys.exit(main())

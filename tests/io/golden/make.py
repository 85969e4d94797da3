#!/usr/bin/env python3
"""Makes the golden files with Python's own package: pip install safetensors numpy, then run this here."""
import pathlib

import numpy
import safetensors
import safetensors.numpy

here = pathlib.Path(__file__).parent

safetensors.numpy.save_file(
    {
        "weight": numpy.arange(6, dtype=numpy.float32).reshape(2, 3) / 4,
        "half": numpy.array([1, -2.5, 65504, 2**-24], dtype=numpy.float16),
        "double": numpy.array([0.1, -1e30], dtype=numpy.float64),
        "long": numpy.array([-(2**31), 2**31 - 1, 7], dtype=numpy.int64),
        "too long": numpy.array([1, 2**31], dtype=numpy.int64),
        "int": numpy.array([[-1], [2]], dtype=numpy.int32),
        "short": numpy.array([-300, 300], dtype=numpy.int16),
        "byte": numpy.array([-128, 127], dtype=numpy.int8),
        "image": numpy.array([0, 128, 255], dtype=numpy.uint8),
        "mask": numpy.array([True, False, True]),
        "scalar": numpy.array(3.5, dtype=numpy.float32),
        "empty": numpy.zeros([0], dtype=numpy.float32),
        'naïve "name"\n': numpy.array([9], dtype=numpy.uint8),
    },
    here / "numpy.safetensors",
    metadata={"format": "np", "note": "Zeilen\numbruch"},
)

# NumPy has no bfloat16; these are the upper halves of 1, -2 and 3.140625 as float32.
brain = numpy.array([0x3F80, 0xC000, 0x4049], dtype="<u2")
spec = safetensors.TensorSpec(dtype="bfloat16", shape=[3], data_ptr=brain.ctypes.data, data_len=brain.nbytes)
(here / "brain.safetensors").write_bytes(safetensors.serialize({"brain": spec}))

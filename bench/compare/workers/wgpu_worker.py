"""wgpu-py with a product of matrices written by hand for this driver: eight rows and eight columns in registers for each of eight lanes."""

import numpy as np
import wgpu

from protocol import serve

SIZE = 512
KERNEL = """
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4f>;

const n = SIZEu;
const n4 = n / 4u;

@compute @workgroup_size(8, 1)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) lane: vec3u) {
  let row = group.y * 8u;
  let column = group.x * 16u + lane.x;
DECLARE
  for (var k = 0u; k < n; k++) {
    let left = b[k * n4 + column];
    let right = b[k * n4 + column + 8u];
    var s: f32;
STEP
  }
STORE
}
"""


def kernel():
    """Unrolled by hand, as loops over arrays in registers are slow here."""
    rows = range(8)
    declare = "\n".join(f"  var l{i} = vec4f(); var r{i} = vec4f();" for i in rows)
    step = "\n".join(f"    s = a[(row + {i}u) * n + k]; l{i} = fma(vec4f(s), left, l{i}); r{i} = fma(vec4f(s), right, r{i});" for i in rows)
    store = "\n".join(f"  c[(row + {i}u) * n4 + column] = l{i}; c[(row + {i}u) * n4 + column + 8u] = r{i};" for i in rows)
    return KERNEL.replace("SIZE", str(SIZE)).replace("DECLARE", declare).replace("STEP", step).replace("STORE", store)


def matmul():
    device = wgpu.gpu.request_adapter_sync(power_preference="high-performance").request_device_sync()
    random = np.random.default_rng(1)
    a, b = (random.random((SIZE, SIZE), np.float32) for _ in range(2))
    usage = wgpu.BufferUsage.STORAGE
    buffers = [device.create_buffer_with_data(data=matrix, usage=usage) for matrix in (a, b)]
    buffers.append(device.create_buffer(size=a.nbytes, usage=usage | wgpu.BufferUsage.COPY_SRC))
    pipeline = device.create_compute_pipeline(
        layout="auto", compute={"module": device.create_shader_module(code=kernel()), "entry_point": "main"}
    )
    entries = [{"binding": i, "resource": {"buffer": buffer}} for i, buffer in enumerate(buffers)]
    group = device.create_bind_group(layout=pipeline.get_bind_group_layout(0), entries=entries)

    def run(repetitions):
        encoder = device.create_command_encoder()
        work = encoder.begin_compute_pass()
        work.set_pipeline(pipeline)
        work.set_bind_group(0, group)
        for _ in range(repetitions):
            work.dispatch_workgroups(SIZE // 64, SIZE // 8)
        work.end()
        device.queue.submit([encoder.finish()])
        device.queue.read_buffer(buffers[2], size=4)  # waits

    run(1)
    found = np.frombuffer(device.queue.read_buffer(buffers[2]), np.float32).reshape(SIZE, SIZE)
    assert np.allclose(found, a @ b, rtol=1e-4), "the kernel is wrong"
    return run


serve({"matmul": matmul})

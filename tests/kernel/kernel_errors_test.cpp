// What is wrong with a kernel, or with a call of it, is said at once and changes nothing.
#include <gtest/gtest.h>

#include <cstdlib>

#include "kernel/saxpy.h"

namespace tidepool::inline v0 {
namespace {

class KernelErrors : public KernelTest {};
INSTANTIATE_TEST_SUITE_P(On, KernelErrors, devices_for_tests(), device_name);

template <class E>
std::string saying(const KernelOptions& options) {
  return message_of<E>([&] { Kernel kernel(options); });
}

TEST(KernelOptionErrors, SayWhatIsWanted) {
  const auto with = [](auto change) {
    KernelOptions options = saxpy_options();
    change(options);
    return saying<ArgumentError>(options);
  };
  EXPECT_EQ(with([](KernelOptions& o) { o.bindings = 0; }), "saxpy: bindings is 0; wanted 1 to 8");
  EXPECT_EQ(with([](KernelOptions& o) { o.bindings = 9; }), "saxpy: bindings is 9; wanted 1 to 8");
  EXPECT_HAS(with([](KernelOptions& o) { o.writes = {}; }), "saxpy: it writes nothing");
  EXPECT_EQ(with([](KernelOptions& o) { o.writes = {3}; }), "saxpy: it writes binding 3; there are 0 to 2");
  EXPECT_EQ(with([](KernelOptions& o) { o.writes = {-1}; }), "saxpy: it writes binding -1; there are 0 to 2");
  EXPECT_HAS(with([](KernelOptions& o) { o.spirv = {1}; }), "got both glsl and spirv");
  EXPECT_HAS(with([](KernelOptions& o) {
               o.glsl = "";
               o.cpu = nullptr;
             }),
             "it has no form to run in");
}

TEST_P(KernelErrors, OfAnEmptyKernelAreReleasedErrors) {
  const Kernel none;
  EXPECT_HAS(message_of<ReleasedError>([&] { none(1, {ones({1})}); }), "the kernel is empty");
  EXPECT_HAS(message_of<ReleasedError>([&] { none.name(); }), "the kernel is empty");
}

TEST_P(KernelErrors, OfTensorsNameThem) {
  const Kernel saxpy(saxpy_options());
  const Tensor x = ones({4}), y = ones({4}), out = zeros({4});
  const SaxpyParams p{1, 4};
  EXPECT_EQ(message_of<ArgumentError>([&] { saxpy(4, p, {x, y}); }), "saxpy: got 2 tensors; wanted 3");
  EXPECT_EQ(message_of<ArgumentError>([&] { saxpy(-1, p, {x, y, out}); }), "saxpy: n is -1; wanted 0 to 4278190080 work items");
  EXPECT_EQ(message_of<ArgumentError>([&] {
              saxpy(std::int64_t{1} << 33, p, {x, y, out});
            }),
            "saxpy: n is 8589934592; wanted 0 to 4278190080 work items");
  EXPECT_HAS(message_of<ReleasedError>([&] { saxpy(4, p, {x, Tensor(), out}); }), "saxpy: the tensor is empty");
  const Tensor gone = ones({4});
  gone.release();
  EXPECT_HAS(message_of<ReleasedError>([&] { saxpy(4, p, {x, y, gone}); }), "was released");
  EXPECT_HAS(message_of<ArgumentError>([&] {
               saxpy(4, p, {x, out, out});
             }),
             "saxpy: what it writes [4] shares memory with another tensor [4]");
  EXPECT_HAS(message_of<ArgumentError>([&] { saxpy(2, p, {x, out.slice(1, 3), out.slice(0, 2)}); }), "shares memory");
  saxpy(2, SaxpyParams{1, 2}, {x, out.slice(2, 4), out.slice(0, 2)});
  expect_values(out, {1, 1, 0, 0}, "apart within one tensor");
  saxpy(4, p, {x, x, out});
  expect_all(out, 2.0F);
}

TEST_P(KernelErrors, OfDevicesSayWhichFormToAdd) {
  KernelOptions options = saxpy_options();
  const Tensor x = ones({4}), out = zeros({4});
  if (id() == "vulkan:0") {
    options.glsl = "";
    EXPECT_EQ(
        message_of<DeviceError>([&] { run(Kernel(options), 4, 1.0F, x, x, out); }),
        "saxpy: it has no shader, so it cannot run on vulkan:0; add one as glsl or spirv, or move the tensors with to(device(\"cpu\"))");
    const Tensor elsewhere = ones({4}, {.device = device("cpu")});
    EXPECT_HAS(message_of<DeviceError>([&] { run(Kernel(saxpy_options()), 4, 1.0F, elsewhere, x, out); }),
               "different devices: vulkan:0 and cpu");
  } else {
    options.cpu = nullptr;
    EXPECT_EQ(message_of<DeviceError>([&] { run(Kernel(options), 4, 1.0F, x, x, out); }),
              "saxpy: it has no CPU function, so it cannot run on " + id() + "; add one as cpu, or move the tensors to a Vulkan device");
    EXPECT_THROW(capture([&] { run(Kernel(options), 4, 1.0F, x, x, out); }), DeviceError);
  }
  expect_all(out, 0.0F);
}

TEST_P(KernelErrors, OfParametersSayHowManyBytes) {
  const Kernel saxpy(saxpy_options());
  const Tensor x = ones({4}), out = zeros({4});
  if (id() == "vulkan:0") {
    EXPECT_EQ(message_of<ArgumentError>([&] { saxpy(4, 1.0F, {x, x, out}); }), "saxpy: got 4 bytes of parameters; the shader reads 8");
    EXPECT_EQ(message_of<ArgumentError>([&] { saxpy(4, {x, x, out}); }), "saxpy: got 0 bytes of parameters; the shader reads 8");
  }
  if (id() == "cpu") {
    EXPECT_EQ(message_of<ArgumentError>([&] {
                saxpy(4, 1.0F, {x, x, out});
              }),
              "saxpy: the CPU function reads 8 bytes of parameters; it was called with 4");
  }
  run(saxpy, 4, 1.0F, x, x, out);
  struct Other {
    float a;
    std::uint32_t n, more;
  };
  EXPECT_EQ(message_of<ArgumentError>([&] {
              saxpy(4, Other{1, 4, 0}, {x, x, out});
            }),
            "saxpy: got 12 bytes of parameters; wanted 8, as in its calls before");
  run(saxpy, 4, 2.0F, x, x, out);
  expect_all(out, 3.0F);
}

TEST(KernelErrorsOnCpu, OfBuffersThatItHasNot) {
  for (const std::int64_t wrong : {-1, 1}) {
    const Kernel kernel({.name = "reach", .cpu = [wrong](KernelCall& call) { call.buffer<float>(wrong); }, .bindings = 1, .writes = {0}});
    EXPECT_EQ(message_of<ArgumentError>([&] { kernel(1, {ones({1})}); }),
              "reach: the CPU function wants buffer " + std::to_string(wrong) + "; there are 0 to 0");
  }
}

TEST_P(KernelErrors, OfGradientsAreThoseOfEveryWriteInPlace) {
  const Kernel saxpy(saxpy_options());
  const Tensor x = ones({4}), w = ones({4}).requires_grad(), y = ones({4}), loss = sum(w * y);
  EXPECT_HAS(message_of<Error>([&] { run(saxpy, 4, 1.0F, x, x, w); }), "saxpy: the tensor wants a gradient");
  run(saxpy, 4, 1.0F, x, x, y);  // which the gradient of w * y needs
  EXPECT_HAS(message_of<Error>([&] { loss.backward(); }), "written in place");
  {
    const NoGrad guard;
    run(saxpy, 4, 1.0F, x, x, w);
  }
  expect_all(w, 2.0F);
}

// Shaders. The mistakes are found on every device, as everywhere there is a compiler.

class ShaderErrors : public testing::Test {
 protected:
  static std::string with(const std::string& glsl, std::int64_t bindings = 1, std::vector<std::int64_t> writes = {0}) {
    return saying<ArgumentError>({.name = "mine", .glsl = glsl, .cpu = saxpy_on_cpu, .bindings = bindings, .writes = std::move(writes)});
  }
};

#ifdef TIDEPOOL_VULKAN

TEST_F(ShaderErrors, ShowTheLineThatDoesNotCompile) {
  EXPECT_EQ(with("layout(binding = 0) buffer X { float x[]; };\nvoid main() {\n  x[0] = speed;\n}"),
            "mine: the GLSL does not compile: line 3: 'speed' : undeclared identifier; the line is: x[0] = speed;");
  EXPECT_EQ(with("#version 450\nvoid main() {\n  x[0] = 1.0;\n}"),
            "mine: the GLSL does not compile: line 3: 'x' : undeclared identifier; the line is: x[0] = 1.0;");
}

TEST_F(ShaderErrors, OfBindingsSayWhich) {
  EXPECT_EQ(with("layout(binding = 1) buffer X { float x[]; };\nvoid main() { x[0] = 1.0; }"),
            "mine: the shader has binding 1; the kernel has 0 to 0");
  EXPECT_EQ(with("layout(binding = 8) buffer X { float x[]; };\nvoid main() { x[0] = 1.0; }", 8),
            "mine: the shader has a buffer at binding 8; there are 0 to 7");
  EXPECT_EQ(with("layout(set = 1, binding = 0) buffer X { float x[]; };\nvoid main() { x[0] = 1.0; }"),
            "mine: the shader has a buffer in descriptor set 1; wanted set 0");
  EXPECT_HAS(with("layout(binding = 0) buffer X { float x[]; } all[2];\nvoid main() { all[0].x[0] = 1.0; }"), "has an array of buffers");
  EXPECT_HAS(with("layout(binding = 0) uniform X { float x; };\nlayout(binding = 0) buffer Y { float y[]; };\nvoid main() { y[0] = x; }"),
             "has a uniform block");
  EXPECT_HAS(with("layout(binding = 0, r32f) uniform image2D x;\nvoid main() { imageStore(x, ivec2(0), vec4(1)); }"), "has an image");
}

TEST_F(ShaderErrors, OfWritesThatWereNotNamed) {
  const std::string two = "layout(binding = 0) buffer X { uint x[]; };\nlayout(binding = 1) buffer Y { uint y[]; };\n";
  const std::string expected = "mine: the shader writes binding 1, which is not named in writes";
  EXPECT_EQ(with(two + "void main() { x[0] = 1; y[0] = 1; }", 2), expected);
  EXPECT_EQ(with(two + "void main() { x[0] = 1; atomicAdd(y[3], 1); }", 2), expected);
  EXPECT_EQ(with(two + "void main() { x[0] = 1; atomicCompSwap(y[3], 1, 2); }", 2), expected);
  EXPECT_EQ(with(two + "void f(uint i) { y[i] = 2; }\nvoid main() { x[0] = 1; f(x[1]); }", 2), expected);
  Kernel({.name = "reads", .glsl = two + "void main() { x[0] = y[1]; }", .bindings = 2, .writes = {0}});
}

TEST_F(ShaderErrors, OfWhatNotEveryDeviceHas) {
  EXPECT_HAS(with("layout(binding = 0) buffer X { double x[]; };\nvoid main() { x[0] = 1.0; }"), "wants numbers of type double");
  EXPECT_HAS(with("#extension GL_EXT_shader_explicit_arithmetic_types : require\nlayout(binding = 0) buffer X { uint8_t x[]; };\n"
                  "void main() { x[0] = uint8_t(1); }"),
             "wants integers of 8 bits");
  std::string members;
  for (int i = 0; i < 33; ++i) members += "float m" + std::to_string(i) + "; ";
  EXPECT_EQ(with("layout(push_constant) uniform P { " + members +
                 "} p;\nlayout(binding = 0) buffer X { float x[]; };\n"
                 "void main() { x[0] = p.m32; }"),
            "mine: the shader has 132 bytes of push constants; wanted at most 128");
}

TEST_F(ShaderErrors, OfDevicesAreSaidWhenTheyRunThere) {
  SKIP_WITHOUT_DEVICE("vulkan:0");
  const Tensor x = ones({4}, {.device = device("vulkan:0")});
  const auto run = [&](const std::string& glsl) {
    return message_of<DeviceError>([&] { Kernel({.name = "mine", .glsl = glsl, .bindings = 1, .writes = {0}})(4, {x}); });
  };
  EXPECT_HAS(run("shared float much[100000];\nlayout(binding = 0) buffer X { float x[]; };\n"
                 "void main() { much[item()] = x[0]; barrier(); x[0] = much[item() + 1]; }"),
             "wants 400000 bytes of shared memory");
  EXPECT_HAS(run("#version 450\nlayout(local_size_x = 1024, local_size_y = 64) in;\nlayout(binding = 0) buffer X { float x[]; };\n"
                 "void main() { x[0] = 1.0; }"),
             "wants workgroups of 1024 x 64 x 1");
  EXPECT_EQ(x.to_host<float>(), std::vector<float>(4, 1.0F));
}

TEST_F(ShaderErrors, OfACompilerThatIsNotThereAreSaidOnVulkanOnly) {
  SKIP_WITHOUT_DEVICE("vulkan:0");
  ::setenv("TIDEPOOL_SHADERC", "0", 1);
  ::setenv("TIDEPOOL_CACHE", "off", 1);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  const Kernel saxpy(saxpy_options());
  const SaxpyParams p{1, 4};
  for (const char* id : {"cpu", "vulkan:0"}) {
    const Tensor x = ones({4}, {.device = device(id)}), out = zeros({4}, {.device = device(id)});
    if (id == std::string("cpu"))
      saxpy(4, p, {x, x, out});
    else
      EXPECT_HAS(message_of<DeviceError>([&] { saxpy(4, p, {x, x, out}); }), "saxpy: compiling GLSL needs");
  }
  ::setenv("PATH", path.c_str(), 1);
  ::unsetenv("TIDEPOOL_SHADERC");
  ::unsetenv("TIDEPOOL_CACHE");
  const Tensor x = ones({4}, {.device = device("vulkan:0")}), out = zeros({4}, {.device = device("vulkan:0")});
  saxpy(4, p, {x, x, out});
  EXPECT_EQ(out.to_host<float>(), std::vector<float>(4, 2.0F)) << "now there is one";
}

#endif

}  // namespace
}  // namespace tidepool::inline v0

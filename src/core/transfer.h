// Bytes between the host and a tensor, whatever its type.
#pragma once

#include <tidepool/tensor.h>

#include <cstddef>
#include <span>

namespace tidepool::inline v0 {

// Upload may bring fewer bytes than the tensor has: its first ones.
void upload_bytes(const char* operation, const Tensor& to, std::span<const std::byte> bytes);
void download_bytes(const char* operation, const Tensor& from, std::span<std::byte> bytes);

}  // namespace tidepool::inline v0

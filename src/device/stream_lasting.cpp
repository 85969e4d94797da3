// What a stream keeps on its device for as long as it is open: where kernels complain, and where its random numbers stand.
#include "device/stream.h"

#include <cstddef>
#include <utility>

namespace tidepool::inline v0 {

Operand Stream::lasting(LastingBlock& lasting, Access access) {
  Block& block = lasting.block;
  if (!block.memory) take_lasting(block);
  return {&block, 0, block.bytes, access, 4};
}

void Stream::take_lasting(Block& block) {
  block.memory = pool_.take_lasting(block.bytes, "allocate");
  try {
    clear(block);
  } catch (...) {  // what is in it means nothing
    pool_.give_up_lasting(std::exchange(block.memory, nullptr), block.bytes);
    throw;
  }
}

Operand Stream::complaints() { return lasting(complaints_, Access::read_write); }

Operand Stream::random_state(Access access) {
  const Operand operand = lasting(random_, access);
  refresh_seed();
  return operand;
}

RandomPosition Stream::random_position() {
  random_state(Access::read);
  RandomPosition position{};
  download(random_.block, 0, std::as_writable_bytes(std::span(&position, 1)));
  return position;
}

void Stream::set_random_position(const RandomPosition& position) {
  take_random_seed(std::uint64_t{position.seed[1]} << 32 | position.seed[0]);
  random_state(Access::read_write);
  upload(random_.block, 0, std::as_bytes(std::span(&position, 1)));
}

// Takes a seed that was set since numbers were last drawn, here or before the device was closed.
void Stream::refresh_seed() {
  if (!random_.block.memory) return;
  const RandomSeed wanted = random_seed();
  if (seed_version_ == wanted.version) return;
  RandomPosition position{.seed = {static_cast<std::uint32_t>(wanted.seed), static_cast<std::uint32_t>(wanted.seed >> 32)}, .call = {}};
  if (random_start_.version == wanted.version) position = random_start_.position;
  upload(random_.block, 0, std::as_bytes(std::span(&position, 1)));
  if (seed_version_ == 0) upload(random_.block, offsetof(RandomState, normal_table), std::as_bytes(normal_table()));
  seed_version_ = wanted.version;
}

RandomPlace Stream::random_place() {
  RandomPlace place{.position = {}, .version = seed_version_};
  guarded([&] { backend_->download(random_.block.memory, 0, std::as_writable_bytes(std::span(&place.position, 1))); });
  return place;
}

void Stream::hear_complaints() {
  Block& block = complaints_.block;
  if (!block.memory) [[likely]]
    return;
  flush_for(block);
  Complaint complaint{};
  guarded([&] { backend_->download(block.memory, 0, std::as_writable_bytes(std::span(&complaint, 1))); });
  if (complaint.code == 0) return;
  clear(block);
  throw_complaint(complaint);
}

}  // namespace tidepool::inline v0

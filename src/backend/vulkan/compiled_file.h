// SPIR-V that an earlier process compiled from the same text, on disk: glsl/<hash>.spv in the folder for caches (cache_folder.h). To start
// a compiler takes longer than a small program runs. Nothing here is an error: without it, it is compiled again.
//
//     const CompiledFile file(text);
//     if (auto words = file.read(); !words.empty()) return words;
//     …
//     file.write(words);
//
// There are no more than 256 of them: the oldest go.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidepool::inline v0 {

class CompiledFile {
 public:
  static constexpr std::size_t most = 256;
  explicit CompiledFile(std::string_view text);

  std::vector<std::uint32_t> read() const;  // empty: there is none, or it is damaged
  void write(std::span<const std::uint32_t> words) const;
  const std::string& path() const { return path_; }  // empty: none is kept

 private:
  std::string path_;
};

}  // namespace tidepool::inline v0

#include "backend/vulkan/kernel_list.h"

#include <algorithm>
#include <sstream>

#include "backend/vulkan/shaders.h"
#include "platform/cat.h"

namespace tidepool::inline v0 {
namespace {

constexpr int forgotten_after = 8;  // processes that did not use it

const Shader* find_shader(std::string_view name) {
  const auto all = shaders();
  const auto found = std::ranges::lower_bound(all, name, {}, &Shader::name);
  return found != all.end() && found->name == name ? &*found : nullptr;
}

}  // namespace

std::string recipe_of(const KernelDef& kernel) {
  const Shader* shader = kernel.spirv.empty() ? find_shader(kernel.shader ? kernel.shader : kernel.name) : nullptr;
  if (!shader) return "";
  std::string recipe = cat(shader->name, ' ', hash(std::as_bytes(shader->words)), ' ', int{kernel.bindings});
  for (std::size_t i = 0; i < kernel.constant_count; ++i) recipe += cat(' ', kernel.constants[i]);
  return recipe;
}

std::optional<KernelDef> kernel_of(const std::string& recipe) {
  std::istringstream words(recipe);
  std::string name, words_hash;
  std::uint32_t bindings = 0, constant = 0;
  words >> name >> words_hash >> bindings;
  const Shader* shader = find_shader(name);
  if (!shader || bindings > max_bindings) return std::nullopt;
  KernelDef kernel{.name = shader->name.data(), .bindings = static_cast<std::uint8_t>(bindings)};
  while (kernel.constant_count < kernel.constants.size() && words >> constant) kernel.constants[kernel.constant_count++] = constant;
  if (recipe_of(kernel) != recipe) return std::nullopt;  // another shader by now, or no recipe at all
  return kernel;
}

KernelList::KernelList(const VkPhysicalDeviceProperties& device) : file_(device, "kernels") {
  const std::vector<std::byte> bytes = file_.read();
  written_.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::istringstream lines(written_);
  int age = 0;
  for (std::string recipe; lines >> age && std::getline(lines >> std::ws, recipe);) before_[recipe] = age + 1;
  std::erase_if(before_, [](const auto& line) { return line.second > forgotten_after; });
}

std::vector<std::string> KernelList::known() const {
  std::vector<std::string> recipes;
  for (const auto& [recipe, age] : before_) recipes.push_back(recipe);
  std::ranges::stable_sort(recipes, {}, [this](const std::string& recipe) { return before_.at(recipe); });
  return recipes;
}

void KernelList::used(const std::string& recipe) {
  if (kept() && !recipe.empty()) now_[recipe] = 0;
}

std::string KernelList::text() const {
  std::map<std::string, int> all = now_;
  all.insert(before_.begin(), before_.end());
  std::string lines;
  for (const auto& [recipe, age] : all) lines += cat(age, ' ', recipe, '\n');
  return lines;
}

void KernelList::write() {
  if (!kept() || now_.empty()) return;  // a process that used none says nothing about the next
  std::string lines = text();
  if (lines == written_) return;
  written_ = std::move(lines);
  file_.write(std::as_bytes(std::span(written_)));
}

}  // namespace tidepool::inline v0

#include "conformance/support.h"

#include <algorithm>
#include <sstream>

#include "conformance/checks.h"
#include "ops/families.h"

namespace tidepool::conformance {

namespace {

constexpr std::int64_t long_enough = 10'000;

bool works(const OpCases& cases, const Case& c, const Device& device, bool backward) {
  try {
    if (device.id() == "null") return run(cases, c, device).gradients.size() > 0 || !backward;
    if (!backward) return static_cast<bool>(values_agree(cases, c, device));
    return static_cast<bool>(gradients_agree(cases, c, device));
  } catch (const Error&) {
    return false;
  }
}

bool all_work(const OpCases& cases, const Device& device, bool backward) {
  return std::ranges::all_of(cases.over, [&](const Case& c) {
    if (c.shape.numel() > long_enough || !applies(cases, c, device)) return true;
    if (backward && !has_gradients(cases, c)) return true;
    return works(cases, c, device, backward);
  });
}

const char* cell(bool works) { return works ? "✓" : "—"; }

}  // namespace

std::vector<std::string> operations_without_cases(const std::vector<OpCases>& list) {
  std::vector<std::string> missing;
  for (const OpDef* op : all_operations())
    if (std::ranges::none_of(list, [op](const OpCases& cases) { return cases.op == op->name; })) missing.emplace_back(op->name);
  return missing;
}

Support support_on(const std::string& op, const std::vector<OpCases>& list, const Device& device) {
  Support support{.forward = true, .backward = true};
  bool differentiable = false;  // in some form: others, of whole numbers, have no gradients to get wrong
  for (const OpCases& cases : list) {
    if (cases.op != op) continue;
    if (!cases.vulkan && device.id().starts_with("vulkan")) return {};
    support.forward = support.forward && all_work(cases, device, false);
    if (!cases.differentiable) continue;
    differentiable = true;
    support.backward = support.backward && all_work(cases, device, true);
  }
  support.backward = support.backward && differentiable;
  return support;
}

std::string support_page(const std::vector<OpCases>& list) {
  std::ostringstream page;
  page << "# Operations\n\n"
          "What works where: ✓ stands for every case of tests/conformance/ up to 10,000 elements with the right values (forward) or\n"
          "gradients (backward); `null` computes nothing and only has to accept the call. A test keeps this page true; it is rewritten by\n"
          "`TIDEPOOL_WRITE_DOCS=1 build/release/tidepool_test_conformance --gtest_filter='SupportTable*'`.\n\n"
          "| operation | cpu forward | cpu backward | vulkan forward | vulkan backward | null |\n"
          "|---|:-:|:-:|:-:|:-:|:-:|\n";
  std::vector<std::string> done;
  for (const OpCases& cases : list) {
    if (std::ranges::find(done, cases.op) != done.end()) continue;
    done.push_back(cases.op);
    const Support cpu = support_on(cases.op, list, device("cpu")), vulkan = support_on(cases.op, list, device("vulkan:0")),
                  null = support_on(cases.op, list, device("null"));
    page << "| " << cases.op << " | " << cell(cpu.forward) << " | " << cell(cpu.backward) << " | " << cell(vulkan.forward) << " | "
         << cell(vulkan.backward) << " | " << cell(null.forward && (null.backward || !cases.differentiable)) << " |\n";
  }
  return page.str();
}

}  // namespace tidepool::conformance

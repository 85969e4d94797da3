#include "conformance/support.h"

#include <fstream>
#include <sstream>

#include "platform/environment.h"
#include "support/devices.h"

namespace tidepool::conformance {
namespace {

class SupportTable : public LibraryTest {};

TEST_F(SupportTable, EveryOperationHasCases) {
  for (const std::string& op : operations_without_cases(all_cases()))
    ADD_FAILURE() << op << " has no cases: add them to its family's file in tests/conformance/";
}

TEST_F(SupportTable, InTheDocsIsWhatReallyRanOnCpuAndVulkan) {
  SKIP_WITHOUT_DEVICE("vulkan:0");  // the table would lack a column
  const std::string path = TIDEPOOL_SOURCE_DIR "/docs/operations.md";
  const std::string page = support_page(all_cases());
  if (environment("TIDEPOOL_WRITE_DOCS") == "1") {
    std::ofstream file(path);
    file << page;
    ASSERT_TRUE(file.flush()) << "cannot write " << path;
    return;
  }
  std::ifstream file(path);
  std::stringstream written;
  written << file.rdbuf();
  EXPECT_EQ(written.str(), page) << path << " is not what ran; the command in its first lines writes it anew";
}

}  // namespace
}  // namespace tidepool::conformance

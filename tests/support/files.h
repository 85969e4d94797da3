// Folders for tests' files, and ways to spoil them.
//
//     const TemporaryFolder folder;  // gone when the variable is
//     class Reading : public FilesTest {};
//     TEST_F(Reading, …) { write("a.idx", bytes); data::idx(path("a.idx"), …); }
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <tidepool/error.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <system_error>

namespace tidepool::inline v0 {

class TemporaryFolder {
 public:
  TemporaryFolder() : name_((std::filesystem::temp_directory_path() / "tidepool-XXXXXX").string()) {
    if (!mkdtemp(name_.data())) throw std::system_error(errno, std::generic_category(), name_);
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(name_, error);
    if (error) ADD_FAILURE() << name_ << " was left behind: " << error.message();
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& name() const { return name_; }
  std::string path(const std::string& name) const { return name_ + "/" + name; }

 private:
  std::string name_;
};

inline std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class FilesTest : public testing::Test {
 protected:
  FilesTest() { chmod(folder().c_str(), 0777); }  // for tests that are somebody else for a while

  const std::string& folder() const { return folder_.name(); }
  std::string path(const std::string& name) const { return folder_.path(name); }
  std::string write(const std::string& name, const std::string& bytes) const {
    unlink(path(name).c_str());  // ext4 waits for the disk when a file is truncated and written again
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::set<std::string> names() const {
    std::set<std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) result.insert(entry.path().filename().string());
    return result;
  }
  // These bytes as a .gz.
  std::string packed(const std::string& bytes) const {
    const std::string plain = write("to-pack", bytes);
    EXPECT_EQ(std::system(("gzip -9 -n -f '" + plain + "'").c_str()), 0) << "gzip is needed";  // NOLINT: our own command
    std::string result = contents(plain + ".gz");
    std::filesystem::remove(plain + ".gz");
    return result;
  }

  // True when it loads; otherwise it must throw an error of ours, in one line, that names a file of the folder.
  bool loads(const std::function<void()>& load) const {
    try {
      load();
      return true;
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(folder()), std::string::npos) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      EXPECT_LT(message.size(), 600U) << message;
    }
    return false;
  }
  // The file cut off after every length below its own: none of them loads.
  void expect_no_beginning_loads(const std::string& name, const std::string& good, const std::function<void()>& load) const {
    for (std::size_t length = 0; length < good.size(); ++length) {
      write(name, good.substr(0, length));
      EXPECT_FALSE(loads(load)) << "the first " << length << " of " << good.size() << " bytes";
    }
    write(name, good);
    EXPECT_TRUE(loads(load));
  }
  // Some bytes changed, taken out or put in, again and again: whatever comes of it, it is an error of ours or it loads. How many did not
  // load.
  int spoil(const std::string& name, const std::string& good, int times, const std::function<void()>& load) const {
    std::mt19937 random(1);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
    int refused = 0;
    for (int i = 0; i < times; ++i) {
      std::string bad = good;
      for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
        const std::size_t at = below(bad.size());
        switch (below(5)) {
          case 0:
            bad[at] = static_cast<char>(random());
            break;
          case 1:
            bad[at] = static_cast<char>(bad[at] ^ (1 << below(8)));
            break;
          case 2:
            bad[at] = "\0\xff\x7f\x80"[below(4)];
            break;
          case 3:
            bad.insert(at, 1, static_cast<char>(random()));
            break;
          default:
            bad.size() > 1 ? bad.erase(at, 1) : bad;
            break;
        }
      }
      write(name, bad);
      refused += !loads(load);
    }
    return refused;
  }

 private:
  TemporaryFolder folder_;
};

// While it lives, a test that runs as root has the rights of nobody; without root it changes nothing.
class AsNobody {
 public:
  AsNobody() : root_(geteuid() == 0) {
    if (root_ && seteuid(65534) != 0) ADD_FAILURE() << "cannot become nobody";
  }
  ~AsNobody() {
    if (root_ && seteuid(0) != 0) std::abort();  // nothing after this would be as it should
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

 private:
  bool root_;
};

}  // namespace tidepool::inline v0

// Files that are replaced at once, or not at all.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "platform/replace_file.h"
#include "support/errors.h"
#include "support/files.h"

namespace tidepool::inline v0 {
namespace {

class ReplaceFile : public FilesTest {
 protected:
  using Names = std::set<std::string>;

  static void save(const std::string& path, const std::string& text, bool keep_previous = false) {
    const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
    const std::array<std::span<const std::byte>, 3> pieces{bytes.first(text.size() / 2), {}, bytes.subspan(text.size() / 2)};
    replace_file("save", path, pieces, keep_previous);
  }
  static std::string problem(const std::string& path, const std::string& text = "new") {
    return message_of<IoError>([&] { save(path, text); });
  }
};

TEST_F(ReplaceFile, WritesAndReplacesAndLeavesNothingBeside) {
  save(path("a"), "first");
  EXPECT_EQ(contents(path("a")), "first");
  save(path("a"), "second");
  EXPECT_EQ(contents(path("a")), "second");
  save(path("empty"), "");
  EXPECT_EQ(contents(path("empty")), "");
  EXPECT_EQ(names(), (Names{"a", "empty"}));
}

TEST_F(ReplaceFile, KeepsPermissionsAndFollowsLinks) {
  write("real", "old");
  ASSERT_EQ(chmod(path("real").c_str(), 0640), 0);
  ASSERT_EQ(symlink("real", path("link").c_str()), 0);
  save(path("link"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(contents(path("real")), "new");
  struct stat status {};
  ASSERT_EQ(stat(path("real").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
  ASSERT_EQ(symlink("nowhere", path("loose").c_str()), 0);
  EXPECT_HAS(problem(path("loose")), "a link that leads nowhere");
}

TEST_F(ReplaceFile, WhatALinkLeadsToHasItsPreviousBesideIt) {
  std::filesystem::create_directory(path("disk"));
  write("disk/real", "1");
  ASSERT_EQ(symlink("disk/real", path("link").c_str()), 0);
  EXPECT_EQ(previous_of(path("link")), path("disk/real.previous"));
  EXPECT_EQ(previous_of(path("plain")), path("plain.previous"));
  save(path("link"), "2", true);
  EXPECT_EQ(contents(path("disk/real")), "2");
  EXPECT_EQ(contents(previous_of(path("link"))), "1");
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(names(), (Names{"disk", "link"}));
}

TEST_F(ReplaceFile, LinksLeadOnFromWhereTheyAre) {
  std::filesystem::create_directories(path("a/b"));
  std::filesystem::create_directory(path("c"));
  write("c/real", "1");
  ASSERT_EQ(symlink("a/b/second", path("first").c_str()), 0);
  ASSERT_EQ(symlink("../../c/third", path("a/b/second").c_str()), 0);
  ASSERT_EQ(symlink(path("c/real").c_str(), path("c/third").c_str()), 0);
  save(path("first"), "2", true);
  EXPECT_EQ(contents(path("c/real")), "2");
  EXPECT_EQ(contents(path("c/real.previous")), "1");
  for (const char* link : {"first", "a/b/second", "c/third"}) EXPECT_TRUE(std::filesystem::is_symlink(path(link))) << link;
  EXPECT_EQ(names(), (Names{"a", "c", "first"}));
}

TEST_F(ReplaceFile, ALinkWhoseFileWasMovedToBeKeptLeadsToItsPlace) {
  std::filesystem::create_directory(path("disk"));
  ASSERT_EQ(symlink("disk/real", path("link").c_str()), 0);
  EXPECT_HAS(problem(path("link")), path("link") + ": is a link that leads nowhere: No such file or directory");
  EXPECT_THROW(require_replaceable("save", path("link")), IoError);
  write("disk/real.previous", "1");  // as a process leaves it that died between the two names
  EXPECT_NO_THROW(require_replaceable("save", path("link")));
  save(path("link"), "2", true);
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(contents(path("disk/real")), "2");
  EXPECT_EQ(contents(path("disk/real.previous")), "1") << "there was nothing newer to keep";
}

TEST_F(ReplaceFile, LinksThatLeadInACircleAreLeftAlone) {
  for (const int length : {1, 2, 3, 7}) {
    const auto link = [&](int i) { return std::to_string(length) + "." + std::to_string(i % length); };
    for (int i = 0; i < length; ++i) ASSERT_EQ(symlink(link(i + 1).c_str(), path(link(i)).c_str()), 0);
    const Names before = names();
    EXPECT_HAS(problem(path(link(0))), "is a link that leads nowhere: Too many levels of symbolic links");
    EXPECT_NO_THROW(remove_abandoned(path(link(0))));
    EXPECT_NO_THROW(previous_of(path(link(0))));
    EXPECT_EQ(names(), before);
    for (int i = 0; i < length; ++i) EXPECT_TRUE(std::filesystem::is_symlink(path(link(i)))) << link(i);
  }
}

TEST_F(ReplaceFile, WhatKilledProcessesLeftIsRemovedWhereALinkLeads) {
  constexpr const char* dead = "999999999";  // more than Linux gives to any process
  const std::string mine = std::to_string(getpid());
  std::filesystem::create_directory(path("disk"));
  ASSERT_EQ(symlink("disk/real", path("link").c_str()), 0);
  for (const std::string name : {"real", "real.previous", "other.tmp-x"}) write("disk/" + name, "");
  for (const std::string name : {"real.tmp-", "other.tmp-"}) write("disk/" + name + dead, "half");
  write("disk/real.tmp-" + mine, "half");
  write("disk/real.tmp-" + std::string(dead) + "-1", "half");
  remove_abandoned(path("link"));
  Names left;
  for (const auto& entry : std::filesystem::directory_iterator(path("disk"))) left.insert(entry.path().filename().string());
  EXPECT_EQ(left, (Names{"real", "real.previous", "real.tmp-" + mine, "other.tmp-x", std::string("other.tmp-") + dead}));
}

TEST_F(ReplaceFile, KeepsThePreviousFile) {
  save(path("a"), "1", true);
  EXPECT_EQ(names(), (Names{"a"}));
  for (int i = 2; i < 5; ++i) {
    save(path("a"), std::to_string(i), true);
    EXPECT_EQ(contents(path("a")), std::to_string(i));
    EXPECT_EQ(contents(path("a.previous")), std::to_string(i - 1));
  }
  EXPECT_EQ(names(), (Names{"a", "a.previous"}));
}

TEST_F(ReplaceFile, GoesOnAfterAProcessThatDiedBetweenTheTwoNames) {
  write("a", "1");
  std::filesystem::create_hard_link(path("a"), path("a.previous"));
  save(path("a"), "2", true);
  EXPECT_EQ(contents(path("a")), "2");
  EXPECT_EQ(contents(path("a.previous")), "1");
  EXPECT_EQ(names(), (Names{"a", "a.previous"}));
  write("b.tmp-" + std::to_string(getpid()), "half");  // somebody had our number
  save(path("b"), "whole");
  EXPECT_EQ(contents(path("b")), "whole");
}

TEST_F(ReplaceFile, ThreadsThatSaveTheSameFileLeaveOneOfTheirs) {
  const auto text = [](int i) { return std::string(100'000, static_cast<char>('a' + i)); };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int n = 0; n < 5; ++n) save(path("a"), text(i), true);
    });
  for (std::thread& thread : threads) thread.join();
  const std::string last = contents(path("a"));
  EXPECT_TRUE(last == text(0) || last == text(1) || last == text(2) || last == text(3));
  EXPECT_EQ(names(), (Names{"a", "a.previous"}));
}

TEST_F(ReplaceFile, SaysWhyItCannotWrite) {
  EXPECT_EQ(problem(path("none/a")),
            "save: " + path("none/a") + ": cannot be written: there is no folder " + path("none") + "; make it first");
  EXPECT_HAS(problem(folder()), "is a directory");
  EXPECT_HAS(problem(""), "the path is empty");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_HAS(problem(path("pipe")), "only a regular file is replaced");
  write("file", "x");
  EXPECT_HAS(problem(path("file/a")), "Not a directory");
  EXPECT_EQ(names(), (Names{"file", "pipe"}));
}

TEST_F(ReplaceFile, AFolderThatMayNotBeWrittenKeepsItsFile) {
  std::filesystem::create_directory(path("locked"));
  const std::string file = write("locked/a", "old");
  ASSERT_EQ(chmod(path("locked").c_str(), 0555), 0);
  {
    const AsNobody nobody;
    EXPECT_HAS(problem(file), "Permission denied");
  }
  EXPECT_EQ(contents(file), "old");
  ASSERT_EQ(chmod(path("locked").c_str(), 0755), 0);
}

TEST_F(ReplaceFile, AFileThatGrowsTooLargeLeavesTheOldOne) {
  write("a", "old");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 4096, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string message;
  try {
    save(path("a"), std::string(100'000, 'x'));
  } catch (const IoError& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_HAS(message, path("a") + ": cannot be written: File too large");
  EXPECT_EQ(contents(path("a")), "old");
  EXPECT_EQ(names(), (Names{"a"}));
}

TEST_F(ReplaceFile, AFullDiskLeavesTheOldFile) {
  std::filesystem::create_directory(path("disk"));
  if (mount("tmpfs", path("disk").c_str(), "tmpfs", 0, "size=64k") != 0)
    GTEST_SKIP() << "a small disk cannot be made: " << std::strerror(errno) << ": run this test as root, with the right to mount";
  const std::string file = write("disk/a", "old");
  const std::string message = problem(file, std::string(1'000'000, 'x'));
  const std::string after = contents(file);
  const auto left = std::distance(std::filesystem::directory_iterator(path("disk")), {});
  umount(path("disk").c_str());
  EXPECT_HAS(message, file + ": cannot be written: No space left on device");
  EXPECT_EQ(after, "old");
  EXPECT_EQ(left, 1);
}

}  // namespace
}  // namespace tidepool::inline v0

#include "plan/intranode/shared_pages.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <functional>
#include <set>
#include <string>

namespace {

using aapc::machine::SharedPages;

constexpr std::size_t bytes = 8192;

/// Another process, which is killed when it has done its part and has been looked at.
class Child {
  public:
    /// `act` gives what the child says to its parent.
    explicit Child(const std::function<SharedPages::Name()>& act) {
        std::array<int, 2> ends{};
        EXPECT_EQ(pipe(ends.data()), 0);
        process_ = fork();
        if (process_ == 0) {
            const SharedPages::Name name = act();
            static_cast<void>(!write(ends[1], &name, sizeof name));
            pause();
            _exit(0);
        }
        EXPECT_EQ(read(ends[0], &said, sizeof said), static_cast<ssize_t>(sizeof said));
        close(ends[0]);
        close(ends[1]);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() { end(); }

    void end() {
        if (process_ > 0) {
            kill(process_, SIGKILL);
            waitpid(process_, nullptr, 0);
            process_ = 0;
        }
    }

    SharedPages::Name said;

  private:
    pid_t process_ = 0;
};

/// Files that any process of this machine could have left.
std::set<std::string> shared_files() {
    std::set<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm", error)) {
        if (const std::string name = entry.path().filename(); name.starts_with("aapc-")) {
            names.insert(name);
        }
    }
    return names;
}

TEST(SharedPages, AreOneMemoryInTwoProcesses) {
    SharedPages pages;
    Child child([&] {
        const SharedPages::Name name = pages.create(bytes);
        std::memcpy(pages.data(), "from the child", 15);
        return name;
    });
    SharedPages mine;
    ASSERT_TRUE(mine.attach(child.said, bytes));
    EXPECT_STREQ(reinterpret_cast<const char*>(mine.data()), "from the child");
    EXPECT_EQ(mine.data()[bytes - 1], std::byte{0});
    child.end();
    EXPECT_STREQ(reinterpret_cast<const char*>(mine.data()), "from the child") << "it lives as long as it is mapped";
}

TEST(SharedPages, AMakerThatIsKilledBeforeAnybodyMetLeavesNothing) {
    const std::set<std::string> before = shared_files();
    SharedPages pages;
    Child child([&] { return pages.create(bytes); });
    ASSERT_NE(child.said.process, 0);
    child.end();
    const std::set<std::string> after = shared_files();
    EXPECT_EQ(after.count("aapc-" + std::to_string(child.said.process) + "-" + std::to_string(child.said.moment)), 0U);
    EXPECT_LE(after.size(), before.size());
    SharedPages mine;
    EXPECT_FALSE(mine.attach(child.said, bytes));
}

TEST(SharedPages, CannotBeAttachedWhenTheyAreWithdrawn) {
    SharedPages pages;
    const SharedPages::Name name = pages.create(bytes);
    SharedPages before;
    EXPECT_TRUE(before.attach(name, bytes));
    pages.withdraw();
    SharedPages after;
    EXPECT_FALSE(after.attach(name, bytes));
    pages.data()[5] = std::byte{7};
    EXPECT_EQ(before.data()[5], std::byte{7});
}

TEST(SharedPages, OtherFilesOfAProcessAreNotTaken) {
    SharedPages pages;
    SharedPages::Name name = pages.create(bytes);
    ++name.moment;  // as on a host that has a process of that number, with another file of that number
    SharedPages other;
    EXPECT_FALSE(other.attach(name, bytes));
    EXPECT_FALSE(other.attach({}, bytes));
    EXPECT_EQ(other.data(), nullptr);
}

}  // namespace

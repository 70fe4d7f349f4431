#include "interposer/remarks.hpp"

#include <fmt/core.h>
#include <unistd.h>

namespace aapc::interposer {

namespace {

/// What was said of settings that are not followed.
std::string& rejected() {
    static std::string remarks;
    return remarks;
}

/// One call, so that lines of several processes do not mix.
void write_out(std::string_view text) {
    if (write(STDERR_FILENO, text.data(), text.size()) < 0) {
        return;  // standard error is closed; the program goes on all the same
    }
}

}  // namespace

void say(std::string_view line) noexcept {
    std::string text;
    const bool made = mpi::have_memory_for([&] {
        text = "aapc: ";
        for (const char character : line) {
            const auto byte = static_cast<unsigned char>(character);
            if (byte < 0x20 || byte == 0x7f) {
                text += fmt::format("\\x{:02X}", byte);
            } else {
                text += character;
            }
        }
        text += '\n';
    });
    write_out(made ? std::string_view(text) : "aapc: no memory is left to say what is wrong\n");
}

void reject(std::string_view remark) noexcept {
    say(remark);
    // Whoever asks is told what there was memory for.
    static_cast<void>(mpi::have_memory_for([&] {
        rejected().reserve(rejected().size() + remark.size() + 2);
        rejected() += rejected().empty() ? "" : "; ";
        rejected() += remark;
    }));
}

const char* rejected_settings() { return rejected().empty() ? nullptr : rejected().c_str(); }

}  // namespace aapc::interposer

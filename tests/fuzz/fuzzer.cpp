// The reader that AAPC_FUZZ_READER names, under libFuzzer.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "fuzz/readers.hpp"

namespace {

const aapc::fuzz::Reader& chosen() {
    const char* const name = std::getenv("AAPC_FUZZ_READER");
    for (const aapc::fuzz::Reader& reader : aapc::fuzz::readers()) {
        if (name != nullptr && reader.name == name) {
            return reader;
        }
    }
    std::fputs("set AAPC_FUZZ_READER to one of tests/fuzz/seeds\n", stderr);
    std::exit(2);
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const aapc::fuzz::Reader& reader = chosen();
    reader.read({reinterpret_cast<const char*>(data), size});
    return 0;
}

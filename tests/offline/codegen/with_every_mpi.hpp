/// @file
/// Tests that run generated routines with each MPI on this machine.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "offline/codegen/routine_support.hpp"

namespace aapc::test {

inline constexpr std::string_view on_this_machine = "-DAAPC_SKIP_MACHINE_CHECK -DAAPC_MINIMUM_BYTES=1";

class WithEveryMpi : public ::testing::TestWithParam<Mpi> {
  protected:
    /// Builds `program` with the routine for `network` and runs it.
    CommandResult run(const Network& network, const std::string& method, std::string_view program,
                      std::string_view options, std::string_view arguments) {
        return run_routine(network, routine_for(network, method), program, options, arguments);
    }

    /// The same with a routine that may not be quite what was generated.
    CommandResult run_routine(const Network& network, std::string_view routine, std::string_view program,
                              std::string_view options, std::string_view arguments) {
        write_file(directory_.file("alltoall.c"), routine);
        const CommandResult built =
            build_program(GetParam(), program, directory_.file("alltoall.c"), options, directory_.file("program"));
        if (built.status != 0) {
            return built;
        }
        return run_ranks(GetParam(), full_placement(network).participants(),
                         fmt::format("{} {}", directory_.file("program"), arguments));
    }

  private:
    TemporaryDirectory directory_;
};

}  // namespace aapc::test

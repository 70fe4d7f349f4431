#!/bin/sh
# Builds what ./demo builds, less optimised, and runs it once: layers are left out there, and what is left has to be
# enough for the subcommands that the demo uses.
#   demo_build.sh SOURCE-DIRECTORY BUILD-DIRECTORY MPI
set -eu
cmake -S "$1" -B "$2" -D CMAKE_BUILD_TYPE=None -D AAPC_ONLY_DEMO=ON -D AAPC_ONLY_MPI="$3" -D AAPC_UNITY=ON
cmake --build "$2" --parallel 2 --target aapc_program "aapc_interpose_$3"
"$2/bin/aapc" topology "$1/examples/chain-4x4.toml"
"$2/bin/aapc" topology "$1/examples/torus-8x8.toml"
"$2/bin/aapc" --version

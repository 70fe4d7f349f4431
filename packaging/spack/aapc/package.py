# Copyright 2026 the aapc authors.
#
# SPDX-License-Identifier: BSD-3-Clause

from spack.package import *


class Aapc(CMakePackage):
    """Topology-aware MPI_Alltoall: schedules for the wires that a cluster has,
    and libraries that carry them out in unmodified MPI programs."""

    # Give the place of your copy: spack install aapc, with `git` in packages.yaml
    # or a `spack develop --path DIRECTORY aapc@main`.
    git = "file:///usr/src/aapc"

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("mpi", default=True, description="Build the executor and the interposer")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")

    depends_on("boost@1.74:", type="build")
    depends_on("cli11@2.1:", type="build")
    depends_on("eigen@3.3:", type="build")
    depends_on("fmt@9:", type="build")
    depends_on("nlohmann-json@3.10:", type="build")
    depends_on("tl-expected", type=("build", "link"))
    depends_on("tomlplusplus@3.3:", type="build")
    depends_on("pugixml@1.11:")
    depends_on("yaml-cpp@0.7:")
    depends_on("mpi", when="+mpi")

    conflicts("%gcc@:11", msg="aapc is written in C++20")
    conflicts("platform=darwin", msg="aapc preloads shared objects and reads ELF files")

    def cmake_args(self):
        args = [
            self.define_from_variant("AAPC_BUILD_MPI", "mpi"),
            self.define("AAPC_BUILD_TESTS", False),
        ]
        if self.spec.satisfies("+mpi"):
            mpi = self.spec["mpi"]
            name = "openmpi" if mpi.name == "openmpi" else "mpich"
            upper = name.upper()
            args += [
                self.define("AAPC_ONLY_MPI", name),
                self.define("AAPC_{0}_CC".format(upper), mpi.mpicc),
                self.define("AAPC_{0}_MPIEXEC".format(upper), mpi.prefix.bin.mpiexec),
            ]
        return args

    def setup_run_environment(self, env):
        env.prepend_path("CMAKE_PREFIX_PATH", self.prefix)

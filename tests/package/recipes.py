#!/usr/bin/env python3
"""Whether the recipes for Spack, EasyBuild and containers say what the project needs: no package of the guide is missing,
every option exists, and their style is kept as far as it can be checked here.

    recipes.py SOURCE-DIRECTORY SCRATCH-DIRECTORY

CMake is configured with the arguments that the recipe for Spack gives, for each MPI that is here and for none, and with
those of the recipe for EasyBuild.
"""

import re
import shutil
import subprocess
import sys
import types
from pathlib import Path

# What find_package and include lines need, as Spack calls it.
SPACK_NAMES = {
    "Boost": "boost",
    "CLI11": "cli11",
    "Eigen3": "eigen",
    "fmt": "fmt",
    "nlohmann_json": "nlohmann-json",
    "pugixml": "pugixml",
    "tl-expected": "tl-expected",
    "tomlplusplus": "tomlplusplus",
    "yaml-cpp": "yaml-cpp",
}
COME_WITH_THE_COMPILER = {"Threads"}

mistakes: list[str] = []


def expect(holds: object, what: str) -> None:
    if not holds:
        mistakes.append(what)


# And as Debian does: what is installed here must not be older than what the recipe asks for, or nobody has tried that.
DEBIAN_NAMES = {
    "boost": "libboost-dev",
    "cli11": "libcli11-dev",
    "cmake": "cmake",
    "eigen": "libeigen3-dev",
    "fmt": "libfmt-dev",
    "nlohmann-json": "nlohmann-json3-dev",
    "pugixml": "libpugixml-dev",
    "tomlplusplus": "libtomlplusplus-dev",
    "yaml-cpp": "libyaml-cpp-dev",
}


class Mpi:
    """What Spack says of an MPI: its name, its compiler wrapper, and its launcher."""

    def __init__(self, name: str):
        self.name = name
        self.mpicc = shutil.which(f"mpicc.{name}")
        self.prefix = types.SimpleNamespace(bin=types.SimpleNamespace(mpiexec=shutil.which(f"mpiexec.{name}")))


class Spec:
    """A package with an MPI or without."""

    def __init__(self, mpi: Mpi | None):
        self.mpi = mpi

    def satisfies(self, what: str) -> bool:
        expect(what == "+mpi", f"the recipe asks whether it is {what}")
        return self.mpi is not None

    def __getitem__(self, name: str) -> Mpi | None:
        expect(name == "mpi", f"the recipe asks for {name}")
        return self.mpi


def run_recipe(path: Path, mpi: Mpi | None) -> tuple[dict[str, str], list[str]]:
    """What a package.py depends on with the least version of each, and the arguments that it gives to CMake."""
    depends: dict[str, str] = {}
    module = types.ModuleType("spack.package")

    class CMakePackage:
        spec = Spec(mpi)

        def define(self, name: str, value: object) -> str:
            if isinstance(value, bool):
                return f"-D{name}:BOOL={'ON' if value else 'OFF'}"
            return f"-D{name}:STRING={value}"

        def define_from_variant(self, name: str, variant: str) -> str:
            expect(variant == "mpi", f"the recipe has no variant {variant}")
            return self.define(name, mpi is not None)

    def depends_on(spec: str, **_: object) -> None:
        name, _, version = spec.partition("@")
        depends[name] = version.rstrip(":")

    module.__dict__.update(
        CMakePackage=CMakePackage,
        depends_on=depends_on,
        **{name: lambda *_, **__: None for name in ("license", "version", "variant", "conflicts")},
    )
    sys.modules["spack"] = types.ModuleType("spack")
    sys.modules["spack.package"] = module
    recipe: dict[str, object] = {}
    exec(compile(path.read_text(), str(path), "exec"), recipe)
    return depends, recipe["Aapc"]().cmake_args()  # type: ignore[operator]


def check_versions(path: Path, depends: dict[str, str], cmake: str) -> None:
    least = re.search(r"cmake_minimum_required\(VERSION ([0-9.]+)", cmake)
    expect(least and depends["cmake"] == least[1], f"{path}: CMake is to be {depends['cmake']}")
    if shutil.which("dpkg-query") is None:
        return
    for name, package in DEBIAN_NAMES.items():
        asked = ["dpkg-query", "--show", "--showformat=${Version}", package]
        found = subprocess.run(asked, capture_output=True, text=True)
        if found.returncode == 0 and found.stdout:
            order = subprocess.run(["dpkg", "--compare-versions", found.stdout, "ge", depends[name]])
            expect(order.returncode == 0, f"{path}: {name}@{depends[name]}: is there, but {found.stdout} was tried")


def expect_configured(path: Path, source: Path, scratch: Path, mpi: Mpi | None, words: list[str]) -> None:
    """With exactly the arguments of the recipe."""
    name = mpi.name if mpi is not None else "no MPI"
    shutil.rmtree(scratch, ignore_errors=True)
    command = ["cmake", "-S", str(source), "-B", str(scratch), *words]
    result = subprocess.run(command, capture_output=True, text=True)
    said = result.stdout + result.stderr
    expect(result.returncode == 0 and "not used by the project" not in said, f"{path}, {name}: {command}:\n{said}")
    found = re.findall(r"aapc: (\w+) found", said)
    expect(found == ([mpi.name] if mpi is not None else []), f"{path}, {name}: CMake found {found}")
    shutil.rmtree(scratch, ignore_errors=True)


def check_spack(source: Path, scratch: Path, cmake: str) -> None:
    path = source / "packaging/spack/aapc/package.py"
    mpis = [Mpi(name) for name in ("openmpi", "mpich") if shutil.which(f"mpicc.{name}")]
    depends, _ = run_recipe(path, None)
    for mpi in (*mpis, None):
        expect_configured(path, source, scratch, mpi, run_recipe(path, mpi)[1])
    for found in re.findall(r"^find_package\((\S+)", cmake, re.MULTILINE):
        stands = found in COME_WITH_THE_COMPILER or SPACK_NAMES.get(found) in depends
        expect(stands, f"{path}: nothing stands for {found}, which CMake looks for")
    check_versions(path, depends, cmake)
    # Spack's own: black and flake8 with lines of at most 99 characters, the star import allowed.
    for command in (
        ["black", "--check", "-q", "-l", "99", path],
        ["flake8", "--max-line-length", "99", "--extend-ignore", "F403,F405", path],
    ):
        if shutil.which(command[0]) is not None:
            result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
            expect(result.returncode == 0, f"{command[0]}: {result.stdout}{result.stderr}")


# Every recipe of EasyBuild's has these, in this order.
EASYBUILD_PARAMETERS = ["easyblock", "name", "version", "homepage", "description", "toolchain", "sources", "checksums",
                        "builddependencies", "dependencies", "configopts", "sanity_check_paths",
                        "sanity_check_commands", "moduleclass"]


def check_easybuild(source: Path, scratch: Path, cmake: str) -> None:
    """An easyconfig is Python with constants of EasyBuild's."""
    (path,) = source.glob("packaging/easybuild/*.eb")
    text = path.read_text()
    recipe: dict[str, object] = {}
    constants = {"SOURCELOWER_TAR_GZ": "%(namelower)s-%(version)s.tar.gz", "SYSTEM": {"name": "system", "version": "system"}}
    exec(compile(text, str(path), "exec"), {"__builtins__": {}, **constants}, recipe)
    expect(list(recipe) == EASYBUILD_PARAMETERS, f"{path} gives {list(recipe)}")
    expect(all(len(line) <= 120 for line in text.splitlines()), f"{path} has a line of more than 120 characters")
    toolchain = recipe["toolchain"]
    file_name = f"{recipe['name']}-{recipe['version']}-{toolchain['name']}-{toolchain['version']}.eb"
    expect(path.name == file_name, f"{path} is to be called {file_name}")
    version = re.search(r"^project\(aapc VERSION ([0-9.]+)", cmake, re.MULTILINE)
    expect(version and version[1] == recipe["version"], f"{path} is of version {recipe['version']}")
    depends = {each[0].lower().replace("_", "-"): each[1] for each in recipe["builddependencies"] + recipe["dependencies"]}
    for found in re.findall(r"^find_package\((\S+)", cmake, re.MULTILINE):
        stands = found in COME_WITH_THE_COMPILER or SPACK_NAMES.get(found) in depends
        expect(stands, f"{path}: nothing stands for {found}, which CMake looks for")
    # No older than what Spack's recipe asks for.
    least, _ = run_recipe(source / "packaging/spack/aapc/package.py", None)
    for name, given in depends.items():
        numbers = [[int(number) for number in each.split(".") if number] for each in (given, least[name])]
        expect(numbers[0] >= numbers[1], f"{path}: {name} {given} is older than {least[name]}")
    mpi = Mpi("openmpi")
    if mpi.mpicc is not None:
        with_prefix = str(recipe["configopts"]).replace("$EBROOTOPENMPI/bin/mpicc", mpi.mpicc)
        words = with_prefix.replace("$EBROOTOPENMPI/bin/mpiexec", mpi.prefix.bin.mpiexec).split()
        expect_configured(path, source, scratch, mpi, words)


def check_container(source: Path) -> None:
    guide = (source / "docs/operators-guide.md").read_text()
    container = (source / "packaging/Containerfile").read_text().replace("\\\n", " ")
    block = re.search(r"```\n(apt-get install.*?)```", guide, re.DOTALL)
    wanted = (
        set(re.findall(r"[a-z][a-z0-9.+-]+", re.sub(r"#.*|apt-get install|--\S+", "", block[1]))) if block else set()
    )
    expect(len(wanted) > 10, "docs/operators-guide.md names no packages")
    for package in wanted:
        expect(
            re.search(rf"\s{re.escape(package)}\s", container), f"packaging/Containerfile does not install {package}"
        )
    step = "cmake -S . -B build -D AAPC_UNITY=ON && cmake --build build --parallel $(nproc) && cmake --install build"
    expect(step in guide and step in container, "the guide and the container file do not build alike")


def main() -> None:
    source = Path(sys.argv[1])
    cmake = "\n".join(file.read_text() for file in [source / "CMakeLists.txt", *source.glob("src/*/CMakeLists.txt")])
    check_spack(source, Path(sys.argv[2]), cmake)
    check_easybuild(source, Path(sys.argv[2]), cmake)
    check_container(source)
    for mistake in mistakes:
        print(mistake, file=sys.stderr)
    sys.exit(1 if mistakes else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Whether the recipes for Spack and for containers say what the project needs: no package of the guide is missing, every
option exists, and Spack's style is kept as far as it can be checked here.

    recipes.py SOURCE-DIRECTORY
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

mistakes: list[str] = []


def expect(holds: object, what: str) -> None:
    if not holds:
        mistakes.append(what)


class Anything:
    """Stands for what a recipe is given: answers every question with itself."""

    name = "openmpi"

    def __getattr__(self, name: str) -> "Anything":
        return self

    def __getitem__(self, key: object) -> "Anything":
        return self

    def __call__(self, *args: object, **options: object) -> "Anything":
        return self


def run_recipe(path: Path) -> tuple[list[str], list[str]]:
    """What a package.py depends on, and the options that it gives to CMake."""
    depends: list[str] = []
    module = types.ModuleType("spack.package")

    class CMakePackage:
        spec = Anything()

        def define(self, name: str, value: object) -> str:
            return name

        def define_from_variant(self, name: str, variant: str) -> str:
            return name

    module.__dict__.update(
        CMakePackage=CMakePackage,
        depends_on=lambda spec, **_: depends.append(re.split(r"[@+~ ]", spec)[0]),
        **{name: lambda *_, **__: None for name in ("license", "version", "variant", "conflicts")},
    )
    sys.modules["spack"] = types.ModuleType("spack")
    sys.modules["spack.package"] = module
    recipe: dict[str, object] = {}
    exec(compile(path.read_text(), str(path), "exec"), recipe)
    return depends, recipe["Aapc"]().cmake_args()  # type: ignore[operator]


def check_spack(source: Path) -> None:
    path = source / "packaging/spack/aapc/package.py"
    depends, options = run_recipe(path)
    cmake = "\n".join(file.read_text() for file in [source / "CMakeLists.txt", *source.glob("src/*/CMakeLists.txt")])
    for found in re.findall(r"^find_package\((\S+)", cmake, re.MULTILINE):
        expect(SPACK_NAMES.get(found) in depends, f"{path}: nothing stands for {found}, which CMake looks for")
    known = cmake + (source / "cmake/AapcMpi.cmake").read_text().replace("${upper}", "OPENMPI")
    for option in options:
        expect(re.search(rf"\b{option}\b", known), f"{path}: there is no option {option}")
    # Spack's own: black and flake8 with lines of at most 99 characters, the star import allowed.
    for command in (
        ["black", "--check", "-q", "-l", "99", path],
        ["flake8", "--max-line-length", "99", "--extend-ignore", "F403,F405", path],
    ):
        if shutil.which(command[0]) is not None:
            result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
            expect(result.returncode == 0, f"{command[0]}: {result.stdout}{result.stderr}")


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
    step = "cmake -S . -B build && cmake --build build && cmake --install build"
    expect(step in guide and step in container, "the guide and the container file do not build alike")


def main() -> None:
    source = Path(sys.argv[1])
    check_spack(source)
    check_container(source)
    for mistake in mistakes:
        print(mistake, file=sys.stderr)
    sys.exit(1 if mistakes else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Makes the Debian packages of what is built, unpacks and installs them into a directory, and tries what is in them.

    debian.py --build BUILD --mpis openmpi,mpich --topology FILE --consumer DIRECTORY --scratch DIRECTORY

Exit status 77 where there is no dpkg.
"""

import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*command: object, **options: object) -> str:
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with {result.returncode}:\n{result.stdout}{result.stderr}")
    return result.stdout


def expect(holds: object, what: str) -> None:
    if not holds:
        sys.exit(f"debian.py: {what}")


def make(build: Path, scratch: Path, mpis: list[str]) -> dict[str, Path]:
    """The packages by their names. Not compressed, since nobody sends them anywhere."""
    scratch.mkdir(parents=True)
    component = ["openmpi_component"] if (build / "lib/openmpi/mca_coll_aapc.so").exists() else []
    components = ";".join(["program", "development", *mpis, *component])
    run(
        *("cpack", "--config", build / "CPackConfig.cmake", "-G", "DEB", "-B", scratch),
        *("-D", f"CPACK_COMPONENTS_ALL={components}", "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none"),
    )
    packages = {path.name.split("_")[0]: path for path in scratch.glob("*.deb")}
    wanted = {"aapc", "libaapc-dev", *(f"aapc-{mpi}" for mpi in mpis), *("aapc-openmpi-component" for _ in component)}
    expect(set(packages) == wanted, f"it made {sorted(packages)}")
    return packages


def check_program(root: Path, topology: Path) -> None:
    aapc = root / "usr/bin/aapc"
    version = run(aapc, "--version").split()[-1]
    expect("machines" in run(aapc, "topology", topology), "aapc topology says nothing of machines")
    pages = {
        path.name.removesuffix(".gz"): gzip.decompress(path.read_bytes()).decode()
        for path in root.glob("usr/share/man/man1/*")
    }
    for command in re.findall(r"^  ([a-z]+)  +", run(aapc, "--help"), re.MULTILINE):
        expect(f"aapc-{command}.1" in pages, f"there is no manual page of aapc {command}")
    for name, text in pages.items():
        expect(text.startswith(".TH AAPC"), f"{name} is no manual page")
    for shell, file in {
        "bash": "bash-completion/completions/aapc",
        "zsh": "zsh/site-functions/_aapc",
        "fish": "fish/vendor_completions.d/aapc.fish",
    }.items():
        expect((root / "usr/share" / file).read_text() == run(aapc, "completion", shell), f"completion of {shell}")
    module = root / "usr/share/modulefiles/aapc" / version
    check_module(module, root / "usr")
    check_lmod(module, root / "usr")
    check_task_prolog(root / "usr")
    for name in ("copyright", "changelog.gz", "README.md"):
        expect((root / "usr/share/doc/aapc" / name).is_file(), f"there is no {name}")


def check_module(module: Path, prefix: Path) -> None:
    """The module's words, by a Tcl that knows them, where there is one."""
    expect(module.read_text().startswith("#%Module1.0"), "the module file is none")
    if shutil.which("tclsh") is None:
        return

    def load(file: Path, manpath: str, **settings: str) -> subprocess.CompletedProcess[str]:
        script = (
            "proc module-whatis args {}; proc conflict args {}\n"
            'proc prepend-path {name value} { puts "$name=$value" }\n'
            'proc append-path {name value} { puts "$name+=$value" }\n'
            'proc setenv {name value} { puts "$name=$value" }\n'
            f"set ModulesCurrentModulefile {{{file}}}\nsource {{{file}}}\n"
        )
        environment = {**os.environ, "MANPATH": manpath, "XDG_DATA_DIRS": "", **settings}
        return subprocess.run(["tclsh"], input=script, text=True, capture_output=True, env=environment, check=False)

    # Where MANPATH is not set, the module leaves it alone: man finds the system's pages, and ours by PATH.
    paths = {f"PATH={prefix / 'bin'}", f"CMAKE_PREFIX_PATH={prefix}"}
    # bash and fish find completions there, and the system's own as before.
    paths |= {f"XDG_DATA_DIRS={prefix / 'share'}", "XDG_DATA_DIRS+=/usr/local/share:/usr/share"}
    # Open MPI's component, if it is in this package; without a setting of the user's the defaults stay in the path.
    for component in prefix.glob("lib/**/aapc/openmpi/mca_coll_aapc.so"):
        paths |= {f"OMPI_MCA_mca_base_component_path={component.parent}", "OMPI_MCA_coll_aapc_priority=95",
                  "OMPI_MCA_mca_base_component_path=SYSTEM_DEFAULT:USER_DEFAULT", "PMIX_MCA_mca_base_component_path="}
    with tempfile.TemporaryDirectory() as elsewhere:
        # As an administrator does who has the topology elsewhere.
        topology = Path(elsewhere) / "cluster.toml"
        text = module.read_text()
        module.write_text(re.sub(r"^set topology .*$", f"set topology {topology}", text, flags=re.MULTILINE))
        expect(set(load(module, "").stdout.split()) == paths, f"the module sets {load(module, '')}")
        topology.touch()
        paths.add(f"AAPC_TOPOLOGY={topology}")
        expect(set(load(module, "").stdout.split()) == paths, f"with a topology the module sets {load(module, '')}")
        own = load(module, "", AAPC_TOPOLOGY="mine.toml", OMPI_MCA_coll_aapc_priority="7").stdout
        expect("AAPC_TOPOLOGY" not in own and "priority" not in own, f"the user's settings are replaced: {own}")
        link = Path(elsewhere) / "a" / "b" / "aapc" / "0"
        link.parent.mkdir(parents=True)
        link.symlink_to(module)
        words = set(load(link, "/usr/share/man").stdout.split())
        expect(words == paths | {f"MANPATH={prefix / 'share/man'}"}, f"a link to the module sets {words}")
        copy = link.with_name("copy")
        shutil.copy(module, copy)
        told = load(copy, "")
        root = re.search(r'^ *set root "(.*)"$', module.read_text(), re.MULTILINE).group(1)
        if not os.access(f"{root}/bin/aapc", os.X_OK):
            expect(told.returncode != 0 and not told.stdout and "finds no bin/aapc" in told.stderr, f"copied: {told}")
        module.write_text(text)


def check_lmod(module: Path, prefix: Path) -> None:
    """The module as a user of Lmod has it, where that is installed (./set-up with-modules)."""
    lmod = Path("/usr/share/lmod/lmod/init/bash")
    if not lmod.exists():
        return
    show = "env | grep -E '^(PATH|CMAKE_PREFIX_PATH|XDG_DATA_DIRS|(OMPI|PMIX)_MCA_.*|AAPC_.*)=' | sort"
    with tempfile.TemporaryDirectory() as home:
        script = (
            f". {lmod}; module use {module.parent.parent}; module help aapc 2>&1; module whatis aapc 2>&1; echo ,,,\n"
            f"{show}; echo ,,,; module load aapc; command -v aapc; echo ,,,; module unload aapc; {show}\n"
        )
        said = run("bash", "-c", script, env={"PATH": "/usr/bin:/bin", "HOME": home}, cwd=home)
    told, before, loaded, after = said.split(",,,\n")
    expect("aapc exec" in told and "unmodified programs" in told, f"help and whatis by Lmod: {told}")
    expect(loaded.strip() == str(prefix / "bin/aapc"), f"Lmod has loaded {loaded}")
    expect(before and before == after, f"unloading by Lmod leaves\n{after}where there was\n{before}")


def check_task_prolog(prefix: Path) -> None:
    """What Slurm would put into a task's environment, from wherever the installation is."""
    with tempfile.TemporaryDirectory() as elsewhere:
        topology = Path(elsewhere) / "cluster.toml"
        components = list(prefix.glob("lib/**/aapc/openmpi/mca_coll_aapc.so"))
        script = prefix / "share/aapc/task-prolog.sh"
        text = script.read_text()
        # As an administrator does who has the topology elsewhere.
        script.write_text(re.sub(r"^topology=.*$", f"topology={topology}", text, flags=re.MULTILINE))
        link = Path(elsewhere) / "prolog"
        link.symlink_to(script)

        def lines(**variables: str) -> list[str]:
            environment = {"PATH": os.environ["PATH"], **variables}
            done = subprocess.run([link], text=True, capture_output=True, env=environment, check=False)
            expect(done.returncode == 0 and not done.stderr, f"the task prolog: {done}")
            return done.stdout.splitlines()

        expect(lines() == [], "there is no topology yet")
        topology.touch()
        if components:
            directory = components[0].parent
            usual = [
                f"export AAPC_TOPOLOGY={topology}",
                f"export OMPI_MCA_mca_base_component_path={directory}:SYSTEM_DEFAULT:USER_DEFAULT",
                "export OMPI_MCA_coll_aapc_priority=95",
                "export PMIX_MCA_mca_base_component_path=",
            ]
            expect(lines() == usual, f"the task prolog prints {lines()}")
            own = lines(
                AAPC_TOPOLOGY="mine.toml", OMPI_MCA_coll_aapc_priority="0", OMPI_MCA_mca_base_component_path="/x"
            )
            expect(own[0] == "export AAPC_TOPOLOGY=mine.toml" and own[2].endswith("=0"), f"the user's settings: {own}")
            expect(own[1] == f"export OMPI_MCA_mca_base_component_path={directory}:/x", f"the user's path: {own}")
            script.write_text(script.read_text().replace("partition=\n", "partition=slow\n", 1))
            expect(lines(SLURM_JOB_PARTITION="slow") == usual, "on the partition that it is for")
            expect(lines(SLURM_JOB_PARTITION="fast") == lines() == [], "on another partition")
        else:
            expect(lines() == [], "there is no component")
        expect(lines(AAPC_OFF="1", SLURM_JOB_PARTITION="slow") == [], "AAPC_OFF=1 is a no")
        script.write_text(text)


def check_mpi(root: Path, mpi: str) -> None:
    libraries = [path for path in root.glob(f"usr/lib/**/libaapc-{mpi}.so*")]
    links = sorted(path.name for path in libraries if path.is_symlink())
    expect(links == [f"libaapc-{mpi}.so", f"libaapc-{mpi}.so.0"], f"links of libaapc-{mpi}: {links}")
    expect(all(path.resolve().is_file() for path in libraries), "a link leads nowhere")
    for program in ("bench", "discover", "doctor", "fit", "tune"):
        expect(os.access(root / f"usr/libexec/aapc/aapc-{program}-{mpi}", os.X_OK), f"there is no aapc-{program}-{mpi}")
    # The library is found from where the program lies: it says nothing of a missing one, and runs what it is given.
    words = ("exec", "--topology", "detect", "--mpi", mpi, "--", "sh", "-c", "echo $LD_PRELOAD")
    found = run("env", "-u", "AAPC_LIBRARY_PATH", root / "usr/bin/aapc", *words).strip()
    expect(found.startswith(str(root)) and f"libaapc-{mpi}" in found, f"aapc exec takes {found}")


def check_development(root: Path, consumer: Path, topology: Path, build: Path) -> None:
    """A project that knows nothing of this one finds the package and is built against what is in it."""
    for name in ("cmake", "libaapc.a"):
        expect(list(root.glob(f"usr/lib/**/{name}")), f"libaapc-dev has no {name}")
    run("cmake", "-S", consumer, "-B", build, "-D", f"CMAKE_PREFIX_PATH={root / 'usr'}")
    cache = (build / "CMakeCache.txt").read_text()
    expect(re.search(rf"^aapc_DIR:\w+={re.escape(str(root))}/", cache, re.MULTILINE), "another aapc was found")
    run("cmake", "--build", build, "--target", "schedule")
    expect("64 phases" in run(build / "schedule", topology), "the consumer does not count 64 phases")


def install_and_remove(packages: dict[str, Path], root: Path) -> None:
    """By dpkg itself, into a system with nothing else in it; what they depend on is looked at, not installed."""
    for directory in ("var/lib/dpkg/updates", "var/lib/dpkg/info", "var/lib/dpkg/triggers"):
        (root / directory).mkdir(parents=True)
    for file in ("status", "available"):
        (root / "var/lib/dpkg" / file).touch()
    dpkg = ("dpkg", "--root", root, "--force-depends", "--force-not-root", "--log=/dev/null")
    run(*dpkg, "--install", *packages.values())
    expect((root / "usr/bin/aapc").is_file(), "dpkg has not installed bin/aapc")
    run(*dpkg, "--purge", *packages)
    left = [path for path in root.rglob("*") if not path.is_dir() and "var/lib/dpkg" not in str(path)]
    expect(not left, f"removed, and still there: {left}")


def check_with_lintian(packages: dict[str, Path]) -> None:
    if shutil.which("lintian") is not None:
        words = ["--fail-on", "error,warning", "--suppress-tags", "uses-no-compression-for-data-tarball"]
        result = subprocess.run(["lintian", *words, *map(str, packages.values())], capture_output=True, text=True)
        expect(result.returncode == 0, f"lintian:\n{result.stdout}{result.stderr}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--mpis", required=True)
    parser.add_argument("--topology", type=Path, required=True)
    parser.add_argument("--consumer", type=Path, required=True)
    parser.add_argument("--scratch", type=Path, required=True)
    options = parser.parse_args()
    if any(shutil.which(tool) is None for tool in ("dpkg-deb", "dpkg-shlibdeps", "cpack")):
        print("skipped: no dpkg-deb, dpkg-shlibdeps or cpack here")
        sys.exit(77)
    mpis = [mpi for mpi in options.mpis.split(",") if mpi]
    shutil.rmtree(options.scratch, ignore_errors=True)
    packages = make(options.build, options.scratch / "made", mpis)
    root = options.scratch / "unpacked"
    for name, package in packages.items():
        run("dpkg-deb", "-x", package, root)
        depends = run("dpkg-deb", "-f", package, "Depends")
        wanted = "libexpected-dev" if name == "libaapc-dev" else "libc6"
        expect(wanted in depends, f"{name} depends on {depends}")
        if name not in ("aapc", "libaapc-dev"):
            expect(
                f"aapc (= {run('dpkg-deb', '-f', package, 'Version').strip()})" in depends,
                f"{name} depends on {depends}",
            )
    check_program(root, options.topology)
    for mpi in mpis:
        check_mpi(root, mpi)
    check_development(root, options.consumer, options.topology, options.scratch / "consumer")
    install_and_remove(packages, options.scratch / "system")
    check_with_lintian(packages)
    shutil.rmtree(options.scratch)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""`aapc exec` on a node that has the C library, the C++ runtime and a shell, and nothing else: it starts, and whatever
is missing, the program runs.

    bare_node.py BUILD-DIRECTORY

Needs root, for a mount namespace and chroot; exits 77 (skipped) without.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def needed_by(program: Path) -> list[Path]:
    """The files that the dynamic linker takes for a program, itself among them."""
    listed = subprocess.run(["ldd", program], text=True, capture_output=True, check=True).stdout
    return [Path(name) for name in re.findall(r"(/\S+) \(0x", listed)]


def copy(file: Path, root: Path, to: str | None = None) -> Path:
    target = root / (to or str(file)).lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, target)  # what a link names, under its name
    return target


def expect(condition: bool, what: object) -> None:
    if not condition:
        sys.exit(f"bare_node: {what}")


def on_node(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    script = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
    command = ["unshare", "--mount", "--", "sh", "-c", script, str(root), *words]
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    return subprocess.run(command, text=True, capture_output=True, env=environment, timeout=60, check=False)


def main() -> int:
    build = Path(sys.argv[1])
    probe = subprocess.run(["unshare", "--mount", "--", "mount", "-t", "proc", "proc", "/proc"], capture_output=True)
    if probe.returncode != 0 or shutil.which("chroot", path="/usr/sbin:/usr/bin:/sbin:/bin") is None:
        print("skipped: no mount namespace may be made here")
        return 77
    with tempfile.TemporaryDirectory(prefix="aapc-bare-node-") as directory:
        root = Path(directory)
        (root / "proc").mkdir()
        shell = Path("/bin/sh").resolve()
        copy(shell, root, "/bin/sh")
        for file in needed_by(shell):
            copy(file, root)
        # The C++ runtime, as the linker that ldd asks finds it.
        for file in needed_by(build / "bin/aapc-commands"):
            if re.match(r"lib(stdc\+\+|gcc_s|m|c|pthread|dl)\.so|ld-linux", file.name):
                copy(file, root)
        aapc = "/opt/aapc/bin/aapc"
        copy(build / "bin/aapc", root, aapc)
        copy(build / "bin/aapc-commands", root, "/opt/aapc/libexec/aapc/aapc-commands")
        late = copy(build / "lib/libaapc-late.so", root, "/opt/aapc/lib/aapc/preload/libaapc-late.so")

        other = on_node(root, aapc, "topology", "--help")
        expect("yaml" in other.stderr or "pugixml" in other.stderr, f"this node lacks nothing: {other}")

        words = ("exec", "--topology", "detect", "--", "sh", "-c", 'echo "ran with $LD_PRELOAD"; exit 3')
        ran = on_node(root, aapc, *words)
        expect(ran.returncode == 3, ran)
        expect(ran.stdout == "ran with /opt/aapc/lib/aapc/preload/libaapc-late.so\n" and not ran.stderr, ran)

        late.unlink()
        ran = on_node(root, aapc, *words)
        expect(ran.returncode == 3 and ran.stdout == "ran with \n", ran)
        expect(ran.stderr.count("\n") == 1 and "running it as it is" in ran.stderr, ran)

        shutil.rmtree(root / "opt/aapc/libexec")
        ran = on_node(root, aapc, *words)
        expect(ran.returncode == 3 and ran.stdout == "ran with \n", ran)
        told = on_node(root, aapc, "topology", "cluster.toml")
        expect(told.returncode == 2 and told.stdout == "" and "aapc-commands" in told.stderr, told)
        expect(told.stderr.count("\n") == 1 and "only aapc exec works without it" in told.stderr, told)
    return 0


if __name__ == "__main__":
    sys.exit(main())

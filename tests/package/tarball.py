#!/usr/bin/env python3
"""packaging/tarball: one revision gives the same bytes every time, with the digest that is printed; wrong words leave
nothing behind.

    tarball.py SOURCE-DIRECTORY
"""

import hashlib
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

SKIPPED = 77


def expect(holds: bool, what: str) -> None:
    if not holds:
        sys.exit(what)


def main() -> int:
    source = Path(sys.argv[1])
    if subprocess.run(["git", "-C", source, "rev-parse", "HEAD"], capture_output=True, check=False).returncode != 0:
        print("skipped: this source is no git clone")
        return SKIPPED
    with tempfile.TemporaryDirectory() as scratch:
        digests = []
        for name in ("one", "two"):
            directory = Path(scratch, name)
            directory.mkdir()
            said = subprocess.check_output([source / "packaging/tarball", "HEAD", directory], text=True)
            digest, tarball = said.split()
            expect([path.name for path in directory.iterdir()] == [tarball], f"{tarball} is not alone in its directory")
            expect(hashlib.sha256((directory / tarball).read_bytes()).hexdigest() == digest, f"{digest} is wrong")
            digests.append(digest)
            with tarfile.open(directory / tarball) as archive:
                names = archive.getnames()
            top = tarball.removesuffix(".tar.gz")
            expect(f"{top}/CMakeLists.txt" in names and all(f"{one}/".startswith(f"{top}/") for one in names),
                   f"{tarball} holds {names[:5]}")
        expect(digests[0] == digests[1], "one revision gave two tarballs")
        empty = Path(scratch, "empty")
        empty.mkdir()
        for words, cause in ((["nonsense", empty], "no revision 'nonsense'"), (["HEAD", empty / "no"], "no directory")):
            run = subprocess.run([source / "packaging/tarball", *words], capture_output=True, text=True, check=False)
            expect(run.returncode == 1 and cause in run.stderr and run.stdout == "", f"{words}: {run}")
        expect(list(empty.iterdir()) == [], "something was left behind")
    return 0


if __name__ == "__main__":
    sys.exit(main())

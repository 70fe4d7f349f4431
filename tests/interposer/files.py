#!/usr/bin/env python3
"""Jobs whose files are no files: pipes that no program reads or writes, devices, prepared links. Each job ends well with
right results, says at most one line for each cause, and leaves what it found. And AAPC_OFF=1, with which nothing is
said or written."""

import os
import stat
import sys
import tempfile

sys.dont_write_bytecode = True

import record  # noqa: E402

RANKS = 3


def said(options, *settings, topology=record.EIGHT):
    return record.run(options, RANKS, settings, options.program, topology=topology)[1]


def expect_one(lines, *texts):
    assert len(lines) == 1 and all(text in lines[0] for text in texts), (lines, texts)


def check_pipes(options, pipe):
    """No rank waits for the program at the other end, which is not there."""
    expect_one(said(options, topology=pipe), f"{pipe}: it is a pipe; give the name of a topology file", "MPI's own")
    for variable, kind in (("TUNING", "a tuning file"), ("SCHEDULE", "a schedule document")):
        expect_one(said(options, f"AAPC_{variable}={pipe}"), f"{pipe}: it is a pipe; give the name of {kind}")
    expect_one(said(options, f"AAPC_RECORD={pipe}"), f"AAPC_RECORD: {pipe}: cannot be written: no program reads from")
    lines = said(options, "AAPC_ADAPT=1", f"AAPC_LEARNED={pipe}")
    assert f"{pipe}: it is no regular file" in lines[0] and len(lines) <= 2, lines
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)


def check_device(options, directory):
    device = os.path.join(directory, "null")
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        with open(device, "wb"):
            pass
    except OSError:  # no device may be made, or used, here
        print("left out: a device as record")
    else:
        assert said(options, f"AAPC_RECORD={device}") == []
        assert stat.S_ISCHR(os.stat(device).st_mode)
    if os.path.exists(device):
        os.remove(device)


def check_file(options, directory):
    """Mode and link stay."""
    path, link = (os.path.join(directory, name) for name in ("record", "link"))
    with open(path, "w", encoding="utf-8"):
        pass
    os.chmod(path, 0o600)
    os.symlink("record", link)
    assert said(options, f"AAPC_RECORD={link}") == []
    record.read(path)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert os.path.islink(link)
    os.remove(link)
    os.remove(path)


def check_settings(options, directory):
    expect_one(said(options, "AAPC_ALGORTHM=native"), "'AAPC_ALGORTHM'", "did you mean AAPC_ALGORITHM?")
    path = os.path.join(directory, "none")
    wishes = ("AAPC_ALGORTHM=native", "AAPC_VERBOSE=2", "AAPC_ADAPT=1", "AAPC_ASYNC_PROGRESS=1")
    assert said(options, "AAPC_OFF=1", f"AAPC_RECORD={path}", f"AAPC_LEARNED={path}", *wishes) == []
    assert not os.path.exists(path)


def main():
    options = record.arguments()
    with tempfile.TemporaryDirectory(prefix="aapc-files-") as directory:
        pipe = os.path.join(directory, "pipe")
        os.mkfifo(pipe)
        check_pipes(options, pipe)
        check_device(options, directory)
        check_file(options, directory)
        check_settings(options, directory)
        assert os.listdir(directory) == ["pipe"], os.listdir(directory)


if __name__ == "__main__":
    main()

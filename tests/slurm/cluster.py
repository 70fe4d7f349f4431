#!/usr/bin/env python3
"""A Slurm of its own on this machine: munged, slurmctld and a slurmd for each node, in a directory that is removed with
it. Needs root and Debian's slurm-wlm; `./set-up with-slurm` installs it.

    tests/slurm/cluster.py --nodes 4 -- srun --mpi=pmix -N 4 hostname

As a library: with Cluster() as cluster: cluster.run(["srun", ...]). Only processes that it has started are ended, by
their numbers.
"""

import argparse
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

DAEMONS = ("munged", "slurmctld", "slurmd", "srun")
SECONDS_TO_START = 120
# With Open MPI there are to be no more. On three, and busy cores, fences of Slurm 22.05's PMIx let ranks out of MPI_Init
# before others are through it, and Open MPI faults or waits for ever. So did 14 of 300 programs of ten lines without
# aapc, and none of 250 on two nodes.
NODES = 2

CONFIGURATION = """
ClusterName=aapc
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket={directory}/munge.socket
SlurmctldPort={port}
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/slurmd-%n.pid
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool/%n
SlurmctldLogFile={directory}/slurmctld.log
SlurmdLogFile={directory}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
PropagateResourceLimits=NONE
# Two nodes share this machine, and a directory for PMIx must be one node's own.
TmpFS={directory}/spool/%n
NodeName=n[0-{last}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first_port}-{last_port}] CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def why_not():
    """Why there can be no Slurm here, or None."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [daemon for daemon in DAEMONS if shutil.which(daemon) is None]
    if missing:
        return f"{', '.join(missing)} not found; ./set-up with-slurm installs Slurm"
    return None if os.geteuid() == 0 else "Slurm's daemons are started as root only"


def claim_ports(count):
    """The first of so many consecutive ports on which nobody listens, and a socket by which no other Slurm of ours takes
    them until it is closed: daemons listen only some time after the question."""
    for first in range(17800, 32000, 100):
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind(f"\0aapc-slurm-{first}")
            for port in range(first, first + count):
                with socket.socket() as probe:
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    probe.bind(("127.0.0.1", port))
        except OSError:
            claim.close()
        else:
            return first, claim
    raise RuntimeError("no free ports")


class Cluster:
    def __init__(self, nodes=NODES):
        self.nodes = nodes
        self.directory = tempfile.mkdtemp(prefix="aapc-slurm-")
        self.daemons = []
        self.ports = None
        # Open MPI 4.1 names a node's shared memory by host and job, so that two nodes here would share it.
        self.settings = {"SLURM_CONF": os.path.join(self.directory, "slurm.conf"), "OMPI_MCA_btl": "self,tcp"}
        self.environment = dict(os.environ, **self.settings)

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def path(self, name):
        return os.path.join(self.directory, name)

    def daemon(self, *command):
        with open(self.path("daemons.log"), "ab") as log:
            process = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                       start_new_session=True)
        self.daemons.append(process)

    def start(self):
        os.chmod(self.directory, 0o755)
        os.mkdir(self.path("state"))
        for node in range(self.nodes):
            os.makedirs(self.path(f"spool/n{node}"))
        with open(os.open(self.path("munge.key"), os.O_WRONLY | os.O_CREAT, 0o600), "wb") as key:
            key.write(secrets.token_bytes(1024))
        first_port, self.ports = claim_ports(self.nodes + 1)
        with open(self.path("slurm.conf"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(host=socket.gethostname().split(".")[0], directory=self.directory,
                                            port=first_port, first_port=first_port + 1,
                                            last_port=first_port + self.nodes, last=self.nodes - 1))
        self.daemon("munged", "--foreground", "--force", f"--key-file={self.path('munge.key')}",
                    f"--socket={self.path('munge.socket')}", f"--pid-file={self.path('munged.pid')}",
                    f"--log-file={self.path('munged.log')}", f"--seed-file={self.path('munge.seed')}")
        self.wait_for(lambda: os.path.exists(self.path("munge.socket")))
        self.daemon("slurmctld", "-D", "-f", self.path("slurm.conf"))
        for node in range(self.nodes):
            self.daemon("slurmd", "-D", "-f", self.path("slurm.conf"), "-N", f"n{node}")
        self.wait_for(self.all_idle)

    def wait_for(self, condition):
        end = time.monotonic() + SECONDS_TO_START
        while not condition():
            if any(daemon.poll() is not None for daemon in self.daemons) or time.monotonic() > end:
                with open(self.path("daemons.log"), encoding="utf-8", errors="replace") as log:
                    raise RuntimeError(f"Slurm does not start:\n{log.read()[-4000:]}")
            time.sleep(0.2)

    def all_idle(self):
        states = self.run(["sinfo", "--noheader", "--Node", "--format=%T"]).stdout.split()
        return len(states) == self.nodes and set(states) == {"idle"}

    def run(self, command, timeout=180, **variables):
        """Runs a command for which this is the Slurm; the result has status, standard output and standard error."""
        return subprocess.run(command, env=dict(self.environment, **variables), stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, timeout=timeout, check=False)

    def stop(self):
        for daemon in reversed(self.daemons):
            if daemon.poll() is None:
                daemon.terminate()
                try:
                    daemon.wait(timeout=10)
                except subprocess.TimeoutExpired:
                    daemon.kill()
                    daemon.wait()
        if self.ports is not None:
            self.ports.close()
        shutil.rmtree(self.directory, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    problem = why_not()
    if problem is not None:
        print(f"cluster.py: {problem}", file=sys.stderr)
        return 77
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # daemons are ended then, too
    with Cluster(options.nodes) as cluster:
        return subprocess.run(options.command, env=cluster.environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

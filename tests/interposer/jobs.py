"""A job that ends in time: what drive.py and faults/faults.py start."""

import os
import signal
import subprocess

# A launcher whose parent is killed is asked to end, and ends its ranks; MPICH's would spin for ever.
END_WITH_PARENT = ["setpriv", "--pdeathsig", "TERM"]


def end(process):
    """Standard output and standard error of a job that has to end now."""
    # The launcher ends its ranks when it is asked to.
    process.send_signal(signal.SIGTERM)
    try:
        return process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate()


def run_in_time(command, environment, seconds):
    """Exit status, or None if it had to be ended, standard output and standard error. Whatever ends the caller, Ctrl-C
    included, ends the job."""
    with subprocess.Popen(END_WITH_PARENT + command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=seconds)
            return process.returncode, out, err
        except subprocess.TimeoutExpired:
            return None, *end(process)
        except BaseException:
            end(process)
            raise

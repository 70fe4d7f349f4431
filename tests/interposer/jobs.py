"""A job that ends in time: what drive.py and faults/faults.py start."""

import os
import signal
import subprocess


def run_in_time(command, environment, seconds):
    """Exit status, or None if it had to be ended, standard output and standard error."""
    with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=seconds)
            return process.returncode, out, err
        except subprocess.TimeoutExpired:
            # The launcher ends its ranks when it is asked to.
            process.send_signal(signal.SIGTERM)
            try:
                out, err = process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                out, err = process.communicate()
            return None, out, err

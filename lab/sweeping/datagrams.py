#!/usr/bin/env python3
"""Sends full frames of UDP to a machine at a constant speed until it is ended. Started by sweeping/running.py."""

import socket
import sys
import time

PAYLOAD = 1472  # bytes of a datagram in a full frame
FRAME = 1514
DISCARD = 9  # the port; nobody listens, and the answers that say so are not read


def main(destination: str, bits_per_second: float) -> None:
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    address = (socket.gethostbyname(destination), DISCARD)
    seconds_per_frame = FRAME * 8 / bits_per_second
    due = time.monotonic()
    while True:
        sender.sendto(bytes(PAYLOAD), address)
        due += seconds_per_frame
        # What a busy machine has missed is not made up for: a stream, no bursts.
        due = max(due, time.monotonic() - seconds_per_frame)
        time.sleep(max(0.0, due - time.monotonic()))


if __name__ == "__main__":
    try:
        main(sys.argv[1], float(sys.argv[2]))
    except KeyboardInterrupt:
        sys.exit(130)

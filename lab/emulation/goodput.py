"""Measures what one TCP connection carries. `receive` prints the port it listens on, then bytes per second."""

import socket
import sys
import time

CHUNK = 1 << 16
TIMEOUT = 60  # seconds; a busy machine is slow to start the other end


def receive(seconds: float) -> None:
    """Counts after two seconds, when what slow start has lost on a long way is repaired: until then arrived bytes wait
    behind a gap, and come all at once when it is filled."""
    with socket.create_server(("0.0.0.0", 0)) as server:
        server.settimeout(TIMEOUT)
        print(server.getsockname()[1], flush=True)
        connection = server.accept()[0]
    connection.settimeout(TIMEOUT)
    buffer = bytearray(CHUNK)
    ready = time.monotonic() + 2.0
    while time.monotonic() < ready:
        connection.recv_into(buffer)
    start, received, now = time.monotonic(), 0, ready
    while now < start + seconds:
        received += connection.recv_into(buffer)
        now = time.monotonic()
    print(received / (now - start), flush=True)


def send(address: str, port: int) -> None:
    """Sends until the receiver has had enough."""
    with socket.create_connection((address, port), timeout=TIMEOUT) as connection:
        try:
            while True:
                connection.sendall(bytes(CHUNK))
        except (BrokenPipeError, ConnectionResetError):
            pass


if __name__ == "__main__":
    if sys.argv[1] == "receive":
        receive(float(sys.argv[2]))
    else:
        send(sys.argv[2], int(sys.argv[3]))

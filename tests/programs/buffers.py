"""All-to-alls of mpi4py, each against what every value must be: Alltoall, Alltoallv and Alltoallw of buffers, in place,
of several types, on parts, copies and turned copies of the world, and alltoall of pickled objects."""

import array
import time

from mpi4py import MPI

WORLD = MPI.COMM_WORLD


def value(kind, source, target, i):
    number = (source * 31 + target * 7 + i * 3) % 101
    return float(number) if kind in "fd" else number


def block(kind, source, target, length):
    return [value(kind, source, target, i) for i in range(length)]


def joined(kind, blocks):
    return array.array(kind, [element for one in blocks for element in one])


def places(lengths):
    return [sum(lengths[:peer]) for peer in range(len(lengths))]


def check_equal(comm, kind, length):
    me, peers = comm.rank, range(comm.size)
    send = joined(kind, [block(kind, me, peer, length) for peer in peers])
    wanted = joined(kind, [block(kind, peer, me, length) for peer in peers])
    receive = array.array(kind, [0] * len(wanted))
    comm.Alltoall(send, receive)
    assert receive == wanted, f"Alltoall of {length} {kind} on {comm.size}"
    comm.Alltoall(MPI.IN_PLACE, send)
    assert send == wanted, f"Alltoall in place of {length} {kind} on {comm.size}"


def check_unequal(comm, kind, length):
    me, peers = comm.rank, range(comm.size)
    sent = [(length * (1 + (me + 2 * peer) % 3)) // 2 for peer in peers]
    received = [(length * (1 + (peer + 2 * me) % 3)) // 2 for peer in peers]
    send = joined(kind, [block(kind, me, peer, sent[peer]) for peer in peers])
    wanted = joined(kind, [block(kind, peer, me, received[peer]) for peer in peers])
    receive = array.array(kind, [0] * len(wanted))
    comm.Alltoallv([send, sent, places(sent), kind], [receive, received, places(received), kind])
    assert receive == wanted, f"Alltoallv of {length} {kind} on {comm.size}"
    receive = array.array(kind, [0] * len(wanted))
    datatype = {"b": MPI.SIGNED_CHAR, "i": MPI.INT, "q": MPI.LONG_LONG, "f": MPI.FLOAT, "d": MPI.DOUBLE}[kind]
    bytes_of = send.itemsize
    comm.Alltoallw([send, sent, [place * bytes_of for place in places(sent)], [datatype] * comm.size],
                   [receive, received, [place * bytes_of for place in places(received)], [datatype] * comm.size])
    assert receive == wanted, f"Alltoallw of {length} {kind} on {comm.size}"


def check_objects(comm):
    sent = [{"from": comm.rank, "to": peer, "much": "x" * (peer * 1000)} for peer in range(comm.size)]
    received = comm.alltoall(sent)
    assert received == [{"from": peer, "to": comm.rank, "much": "x" * (comm.rank * 1000)} for peer in range(comm.size)]


def check(comm):
    for kind in "biqfd":
        for length in (0, 1, 100, 5000):
            check_equal(comm, kind, length)
            check_unequal(comm, kind, length)
    check_objects(comm)


def main():
    start = time.monotonic()
    check(WORLD)
    for comm in (WORLD.Dup(), WORLD.Split(0, -WORLD.rank), WORLD.Split(WORLD.rank == 0, 0)):
        check(comm)
        comm.Free()
    seconds = WORLD.reduce(time.monotonic() - start, MPI.MAX)
    if WORLD.rank == 0:
        print(f"seconds: {seconds:.6f}\nright: mpi4py's all-to-alls", flush=True)


main()

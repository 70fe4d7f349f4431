"""Draws docs/lattice.svg: links over time, for messages that start at random times and at those of the lattice.

    python3 docs/lattice_picture.py > docs/lattice.svg

Every row is a direction of a link, every column a moment of the cycle. Grey: the share of the link that messages ask
for, black where it is all of it. Red: messages wait, the stronger the more (from three on it is full red).
"""
import random

MACHINES = 16
COLUMNS = 160
GOLDEN = (5 ** 0.5 - 1) / 2


def chain():
    """Four switches of four machines in a chain, all links alike: what is left and right of each trunk."""
    rows = [(f"trunk {k}-{k + 1} {way}", 1.0, way, set(range(4 * k))) for k in (1, 2, 3) for way in ("right", "left")]
    return rows


def racks():
    """Four racks of four machines, uplinks of twice the port."""
    return [(f"rack {k + 1} {way}", 2.0, way, set(range(4 * k, 4 * k + 4))) for k in range(4) for way in ("up", "down")]


def ports():
    return [(f"port {k} {way}", 1.0, way, {k}) for k in (0, 7) for way in ("out", "in")]


def crosses(row, source, target):
    _, _, way, inside = row
    outward = way in ("right", "up", "out")
    return (source in inside, target in inside) == ((True, False) if outward else (False, True))


def flows(row, starts, bound):
    """By column: how much flows in, over the link's speed, and how much waits, in messages."""
    speed = row[1]
    cycle = 1.02 * bound
    fine = 8
    inflow = [0.0] * (COLUMNS * fine)
    step = cycle / len(inflow)
    for (source, target), start in starts.items():
        if crosses(row, source, target):
            first = start * len(inflow)
            length = 1 / step
            for cell in range(int(first), int(first + length) + 1):
                part = min(first + length, cell + 1) - max(first, cell)
                inflow[cell % len(inflow)] += max(part, 0)
    queue = 0.0
    columns = []
    for lap in range(2):
        columns = []
        for cell, value in enumerate(inflow):
            queue = max(0.0, queue + (value - speed) * step)
            if cell % fine == 0:
                columns.append([0.0, 0.0])
            columns[-1][0] += value / speed / fine
            columns[-1][1] = max(columns[-1][1], queue)
    return columns


def colour(share, queue):
    if queue > 0.25:
        level = min(3, 1 + int(queue))
        return ("#f4b8a8", "#e8735a", "#c1121f")[level - 1]
    level = min(4, int(share * 4 + 0.5))
    return (None, "#dddddd", "#aaaaaa", "#777777", "#444444")[level]


def panel(rows, starts, bound, left, top, title, out):
    out.append(f'<text x="{left}" y="{top - 6}" font-size="11">{title}</text>')
    worst = 0.0
    paths = {}
    for number, row in enumerate(rows):
        y = top + 12 * number
        columns = flows(row, starts, bound)
        worst = max(worst, max(queue for _, queue in columns))
        column = 0
        while column < COLUMNS:
            fill = colour(*columns[column])
            last = column
            while last < COLUMNS and colour(*columns[last]) == fill:
                last += 1
            if fill:
                paths.setdefault(fill, []).append(f"M{left + 2 * column} {y}h{2 * (last - column)}v10h-{2 * (last - column)}z")
            column = last
    for fill, path in paths.items():
        out.append(f'<path fill="{fill}" d="{"".join(path)}"/>')
    out.append(f'<text x="{left}" y="{top + 12 * len(rows) + 10}" font-size="10">longest queue {worst:.1f} messages</text>')


def picture():
    pairs = [(i, j) for i in range(MACHINES) for j in range(MACHINES) if i != j]
    generator = random.Random(1)
    at_random = {pair: generator.random() for pair in pairs}
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 346" font-family="sans-serif">',
           '<rect width="760" height="346" fill="white"/>']
    top = 28
    for name, rows in (("chain 4+4+4+4, all links alike", chain() + ports()),
                       ("4 racks of 4, uplinks twice the port", racks() + ports())):
        bound = max(sum(crosses(row, *pair) for pair in pairs) / row[1] for row in rows)
        best = None
        for sender in range(1, MACHINES, 2):
            for receiver in range(1, MACHINES, 2):
                starts = {(i, j): ((sender * i + receiver * j) % MACHINES + i * GOLDEN % 1) / MACHINES
                          for i, j in pairs}
                queue = max(max(q for _, q in flows(row, starts, bound)) for row in rows)
                if best is None or queue < best[0]:
                    best = (queue, sender, receiver, starts)
        panel(rows, at_random, bound, 90, top, f"{name}: random starts", out)
        panel(rows, best[3], bound, 430, top, f"the lattice, {best[1]}i + {best[2]}j modulo 16", out)
        for number, row in enumerate(rows):
            out.append(f'<text x="86" y="{top + 12 * number + 9}" font-size="8" text-anchor="end">{row[0]}</text>')
        top += 12 * len(rows) + 40
    out.append("</svg>")
    return "\n".join(out)


if __name__ == "__main__":
    print(picture())

"""Quantities as tables and plots write them."""


def size_text(size: int) -> str:
    """512, 2K, 1M."""
    for unit, bytes_in_unit in (("M", 2**20), ("K", 2**10)):
        if size >= bytes_in_unit and size % bytes_in_unit == 0:
            return f"{size // bytes_in_unit}{unit}"
    return str(size)


def time_text(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"

"""Speeds and sizes as people write them."""

import re

from .errors import UsageError

_DECIMAL = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BYTES = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "KB": 10**3, "MB": 10**6, "GB": 10**9}
_SPEED = re.compile(r"(\d+(?:\.\d+)?)\s*([kKMGT]?)bit(?:/s)?")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(|[KMG])(|B|iB?)", re.IGNORECASE)


def parse_speed(text: str) -> int:
    """Bits per second of "100Mbit", "2.5Gbit" or "64kbit"."""
    match = _SPEED.fullmatch(text.strip())
    speed = round(float(match[1]) * _DECIMAL[match[2]]) if match else 0
    if speed < 1:
        raise UsageError(f"'{text}' is not a speed; write for example 100Mbit or 2.5Gbit")
    return speed


def parse_size(text: str) -> int:
    """Bytes of "128Ki", "64K" (both of 1024), "64kB" (of 1000) or "131072"."""
    match = _SIZE.fullmatch(text.strip())
    if not match:
        raise UsageError(f"'{text}' is not a size in bytes; write for example 128Ki, 64kB or 131072")
    prefix, suffix = match[2].upper(), match[3].upper()
    if not prefix and suffix.startswith("I"):
        raise UsageError(f"'{text}' is not a size in bytes; write for example 128Ki, 64kB or 131072")
    return round(float(match[1]) * _BYTES[prefix + suffix if prefix and suffix == "B" else prefix])


def format_speed(bits_per_second: int) -> str:
    """The shortest of the forms that parse_speed() reads back exactly."""
    for unit in ("T", "G", "M", "k"):
        if bits_per_second % _DECIMAL[unit] == 0:
            return f"{bits_per_second // _DECIMAL[unit]}{unit}bit"
    return f"{bits_per_second}bit"

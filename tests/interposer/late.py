#!/usr/bin/env python3
"""An interpreter that loads a library with an MPI later: late.py LIBRARY"""

import ctypes
import sys

sys.exit(ctypes.CDLL(sys.argv[1]).exchange())

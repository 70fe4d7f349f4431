#!/bin/sh
# A script that starts the program: script.sh PROGRAM ARGUMENT...
"$@"
exit $?

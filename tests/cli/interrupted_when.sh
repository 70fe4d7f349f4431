#!/bin/sh
# Runs a program and asks it to end (SIGTERM) when a condition of the shell's holds, which is asked for as soon as the
# program heeds that signal: however long this machine takes to start a job, what is interrupted is the program's work.
#
#     interrupted_when.sh 'test -s samples.csv' PROGRAM ARGUMENT...
condition=$1
shift
"$@" &
program=$!
# Until it has ended by itself; SIGTERM is bit 14 of the signals that a process catches.
while grep -q '^State:[[:space:]]*[^Z]' "/proc/$program/status"; do
    if grep -q '^SigCgt:.*[4-7c-f]...$' "/proc/$program/status" && sh -c "$condition"; then
        kill -TERM "$program"
        break
    fi
    sleep 0.05
done
wait "$program"

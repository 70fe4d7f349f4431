#!/bin/sh
# A launcher: starts daemons of PRRTE (Open MPI 5's, a "DVM"), has them run the job by prun, and ends them.
uri=$(mktemp)
prte --report-uri "$uri" >&2 &
daemon=$!
trap 'kill "$daemon" 2>/dev/null; wait "$daemon"; rm -f "$uri"' EXIT
trap 'exit 1' INT TERM
until [ -s "$uri" ]; do
    kill -0 "$daemon" || exit 1
    sleep 0.1
done
prun --dvm-uri "file:$uri" "$@"

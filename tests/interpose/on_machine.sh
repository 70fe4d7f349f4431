#!/bin/sh
# Runs a rank as if it were alone on a machine: AAPC_TEST_HOST and a number are the host's name. Only rank 0 has the
# AAPC_ variables, since it alone is asked.
rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
if [ "$rank" = 0 ]; then
    for assignment in $AAPC_TEST_RANK_0; do
        export "$assignment"
    done
fi
export AAPC_HOSTNAME="$AAPC_TEST_HOST$((rank / AAPC_TEST_PER_MACHINE))"
if [ -n "$AAPC_TEST_INTERPOSER" ]; then
    export LD_PRELOAD="$AAPC_TEST_INTERPOSER"
fi
exec "$@"

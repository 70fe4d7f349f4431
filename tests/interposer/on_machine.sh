#!/bin/sh
# Runs a rank as if it were on a machine of its own, or with AAPC_TEST_PER_MACHINE others: AAPC_TEST_HOST and a number
# are the host's name. The ranks go around AAPC_TEST_MACHINES machines as often as it takes. Only rank 0 has the
# AAPC_ variables, since it alone is asked, unless AAPC_TEST_ELSEWHERE gives the others some. Those in AAPC_TEST_WITHOUT_RANKS have no interposer.
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-$PMIX_RANK}}
assignments=$AAPC_TEST_RANK_0
[ "$rank" = 0 ] || assignments=$AAPC_TEST_ELSEWHERE
for assignment in $assignments; do
    export "$assignment"
done
export AAPC_HOSTNAME="$AAPC_TEST_HOST$((rank / AAPC_TEST_PER_MACHINE % ${AAPC_TEST_MACHINES:-1000}))"
case $AAPC_TEST_WITHOUT_RANKS in
*" $rank "*) AAPC_TEST_INTERPOSER= AAPC_TEST_COMPONENT_PRIORITY= ;;
esac
if [ -n "$AAPC_TEST_COMPONENT_PRIORITY" ]; then
    export OMPI_MCA_coll_aapc_priority="$AAPC_TEST_COMPONENT_PRIORITY"
fi
if [ -n "$AAPC_TEST_INTERPOSER" ]; then
    export LD_PRELOAD="$AAPC_TEST_INTERPOSER${LD_PRELOAD:+:$LD_PRELOAD}"
fi
exec "$@"

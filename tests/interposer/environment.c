/* Prints what `aapc exec` puts into the environment, one variable a line. Uses MPI by itself, behind a library or not
 * at all. */
#include <stdio.h>
#include <stdlib.h>

#if defined(WITH_MPI)
#include <mpi.h>
static int initialised(void) {
    int flag = 0;
    MPI_Initialized(&flag);
    return flag;
}
#elif defined(WITH_LIBRARY)
int initialised(void);
#else
static int initialised(void) { return 0; }
#endif

int main(void) {
    const char* names[] = {"LD_PRELOAD",           "AAPC_TOPOLOGY",     "AAPC_TUNING",  "AAPC_ALGORITHM",
                           "AAPC_SYNCHRONISATION", "AAPC_BUFFER_LIMIT", "AAPC_VERBOSE", "AAPC_ASYNC_PROGRESS"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        const char* value = getenv(names[i]);
        printf("%s=%s\n", names[i], value == NULL ? "" : value);
    }
    return initialised();
}

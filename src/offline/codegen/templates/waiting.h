static void aapc_nap(double seconds)
{
    struct timespec duration = {0, (long)(seconds * 1e9)};

    nanosleep(&duration, NULL);
}

/* Tests everything that is under way, once. Puts the number of requests that completed into *count and their indices
 * into c->completed. */
static int aapc_test(struct aapc_communicator *c, int *count)
{
    int error = MPI_Testsome(AAPC_REQUESTS, c->requests, count, c->completed, c->statuses);

    if (*count == MPI_UNDEFINED) { /* nothing is under way */
        *count = 0;
    }
    for (int i = 0; error == MPI_ERR_IN_STATUS && i < *count; ++i) {
        if (c->statuses[i].MPI_ERROR != MPI_SUCCESS) {
            error = c->statuses[i].MPI_ERROR;
        }
    }
    return error;
}

/* Naps when one test after the other has found nothing. */
static void aapc_be_patient(struct aapc_communicator *c, int count)
{
    if (count > 0) {
        c->fruitless_tests = 0;
    } else if (++c->fruitless_tests > AAPC_TESTS_BEFORE_NAP) {
        aapc_nap(AAPC_NAP_SECONDS);
    }
}

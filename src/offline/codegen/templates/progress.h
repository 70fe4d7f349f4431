/* Tests everything that is under way, goes on with what that allows, and naps if nothing happens for long. */
static int aapc_progress(struct aapc_communicator *c)
{
    int count = 0;
    int error = aapc_test(c, &count);

#if TEMPLATE_RECEIVER_TOKENS
    if (error == MPI_SUCCESS) {
        error = aapc_give_tokens_of_received(c);
    }
#endif
#if TEMPLATE_DUMMIES
    if (error == MPI_SUCCESS) {
        error = aapc_await_next_dummy(c);
    }
#endif
    aapc_be_patient(c, count);
    return error;
}

/* Waits until the requests from `first` up to but without `end` are complete. */
static int aapc_complete(struct aapc_communicator *c, int first, int end)
{
    int error = MPI_SUCCESS;

    while (first < end && error == MPI_SUCCESS) {
        if (c->requests[first] == MPI_REQUEST_NULL) {
            ++first;
        } else {
            error = aapc_progress(c);
        }
    }
    return error;
}

/* What waits, below. */
static int aapc_progress(struct aapc_communicator *c);
static int aapc_complete(struct aapc_communicator *c, int first, int end);

static int aapc_number_of_dummies(const struct aapc_communicator *c)
{
    return (int)(aapc_first_dummy_receive[c->rank + 1] - aapc_first_dummy_receive[c->rank]);
}

/* Posts the receive of the next dummy when the one before has come, since all come into the same block. */
static int aapc_await_next_dummy(struct aapc_communicator *c)
{
    int from = 0;

    if (c->dummies.awaited == aapc_number_of_dummies(c) || c->requests[AAPC_DUMMY] != MPI_REQUEST_NULL) {
        return MPI_SUCCESS;
    }
    from = aapc_dummy_receive_from[(int)aapc_first_dummy_receive[c->rank] + c->dummies.awaited];
    ++c->dummies.awaited;
    return MPI_Irecv(c->dummies.scratch + c->dummies.scratch_bytes, c->dummies.scratch_bytes, MPI_BYTE, from,
                     AAPC_DUMMY_TAG, c->own, &c->requests[AAPC_DUMMY]);
}

/* The beginning of the dummies of an exchange. */
static int aapc_begin_dummies(struct aapc_communicator *c)
{
    c->dummies.sent = 0;
    c->dummies.awaited = 0;
    return aapc_await_next_dummy(c);
}

/* Sends the dummies that are due before the send `step`, one after the other. */
static int aapc_send_dummies(struct aapc_communicator *c, int step)
{
    const struct aapc_dummy *const dummies = aapc_dummy_sends + aapc_first_dummy_send[c->rank];
    const int number = (int)(aapc_first_dummy_send[c->rank + 1] - aapc_first_dummy_send[c->rank]);
    int error = MPI_SUCCESS;

    for (; c->dummies.sent < number && dummies[c->dummies.sent].step == step && error == MPI_SUCCESS;
         ++c->dummies.sent) {
        error = MPI_Isend(c->dummies.scratch, c->dummies.scratch_bytes, MPI_BYTE, dummies[c->dummies.sent].peer,
                          AAPC_DUMMY_TAG, c->own, &c->requests[AAPC_SEND]);
        if (error == MPI_SUCCESS) {
            error = aapc_complete(c, AAPC_SEND, AAPC_SEND + 1);
        }
    }
    return error;
}

/* The end of the dummies: those that are due after all messages, and those that are still to come. */
static int aapc_finish_dummies(struct aapc_communicator *c)
{
    int error = aapc_send_dummies(c, AAPC_PARTNERS);

    while (c->dummies.awaited < aapc_number_of_dummies(c) && error == MPI_SUCCESS) {
        error = aapc_progress(c);
    }
    return error;
}

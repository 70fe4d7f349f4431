/* Waits until all ranks have come here. */
static int aapc_meet(struct aapc_communicator *c)
{
    const int error = MPI_Ibarrier(c->own, &c->requests[AAPC_BARRIER]);

    return error == MPI_SUCCESS ? aapc_complete(c, AAPC_BARRIER, AAPC_BARRIER + 1) : error;
}

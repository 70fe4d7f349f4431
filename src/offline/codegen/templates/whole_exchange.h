/* The exchange of all blocks but a rank's own. */
static int aapc_exchange(struct aapc_communicator *c, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                         void *recvbuf, int recvcount, MPI_Datatype recvtype)
{
    struct aapc_blocks blocks = {sendbuf, sendcount, sendtype, 0, recvbuf, recvcount, recvtype, 0};
    MPI_Aint lower_bound = 0;
    int error = MPI_Type_get_extent(sendtype, &lower_bound, &blocks.send_extent);

    if (error == MPI_SUCCESS) {
        error = MPI_Type_get_extent(recvtype, &lower_bound, &blocks.receive_extent);
    }
    return error == MPI_SUCCESS ? aapc_run(c, &blocks) : error;
}

/* The exchange in place: a block is sent from a copy, since the one that comes from the same rank overwrites it. */
static int aapc_exchange_in_place(struct aapc_communicator *c, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                  size_t bytes)
{
    char *const packed = malloc(AAPC_RANKS * bytes);
    int error = MPI_ERR_NO_MEM;

    if (packed != NULL) {
        error = aapc_pack(c, recvbuf, recvcount, recvtype, bytes, packed);
    }
    if (error == MPI_SUCCESS) {
        error = aapc_exchange(c, packed, (int)bytes, MPI_PACKED, recvbuf, recvcount, recvtype);
    }
    if (error == MPI_SUCCESS) {
        free(packed); /* otherwise it may still be sent from */
    }
    return error;
}

static int aapc_alltoall(struct aapc_communicator *c, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                         void *recvbuf, int recvcount, MPI_Datatype recvtype, size_t bytes)
{
    int error = MPI_SUCCESS;

#if TEMPLATE_DUMMIES
    c->dummies.scratch = calloc(2, bytes);
    c->dummies.scratch_bytes = (int)bytes;
    if (c->dummies.scratch == NULL) {
        return MPI_ERR_NO_MEM;
    }
#endif
    if (sendbuf == MPI_IN_PLACE) {
        error = aapc_exchange_in_place(c, recvbuf, recvcount, recvtype, bytes);
    } else {
        error = aapc_copy_own_block(c, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
        if (error == MPI_SUCCESS) {
            error = aapc_exchange(c, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
        }
    }
#if TEMPLATE_DUMMIES
    if (error == MPI_SUCCESS) { /* otherwise a dummy may still be on its way */
        free(c->dummies.scratch);
    }
#endif
    return error;
}

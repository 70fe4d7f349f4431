/* The block for or from a rank in a buffer of the program. */
static const char *aapc_block(const void *buffer, int rank, int count, MPI_Aint extent)
{
    return (const char *)buffer + (MPI_Aint)rank * count * extent;
}

static char *aapc_writable_block(void *buffer, int rank, int count, MPI_Aint extent)
{
    return (char *)buffer + (MPI_Aint)rank * count * extent;
}

/* Copies all blocks of `buffer` to `packed` as bytes, one block after the other. */
static int aapc_pack(const struct aapc_communicator *c, const void *buffer, int count, MPI_Datatype type, size_t bytes,
                     char *packed)
{
    MPI_Aint lower_bound = 0;
    MPI_Aint extent = 0;
    int error = MPI_Type_get_extent(type, &lower_bound, &extent);

    for (int rank = 0; rank < AAPC_RANKS && error == MPI_SUCCESS; ++rank) {
        int position = 0;

        error = MPI_Pack(aapc_block(buffer, rank, count, extent), count, type, packed + (size_t)rank * bytes,
                         (int)bytes, &position, c->own);
        if (error == MPI_SUCCESS && (size_t)position != bytes) {
            error = MPI_ERR_INTERN; /* an MPI that adds something of its own, as those of today do not */
        }
    }
    return error;
}

/* Copies a rank's block for itself. */
static int aapc_copy_own_block(const struct aapc_communicator *c, const void *sendbuf, int sendcount,
                               MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype)
{
    MPI_Aint lower_bound = 0;
    MPI_Aint send_extent = 0;
    MPI_Aint receive_extent = 0;
    int error = MPI_Type_get_extent(sendtype, &lower_bound, &send_extent);

    if (error == MPI_SUCCESS) {
        error = MPI_Type_get_extent(recvtype, &lower_bound, &receive_extent);
    }
    if (error == MPI_SUCCESS) {
        error = MPI_Sendrecv(aapc_block(sendbuf, c->rank, sendcount, send_extent), sendcount, sendtype, c->rank,
                             AAPC_MESSAGE_TAG, aapc_writable_block(recvbuf, c->rank, recvcount, receive_extent),
                             recvcount, recvtype, c->rank, AAPC_MESSAGE_TAG, c->own, MPI_STATUS_IGNORE);
    }
    return error;
}

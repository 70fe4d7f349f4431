/* The blocks of an exchange, as the program describes them. */
struct aapc_blocks {
    const void *sendbuf;
    int sendcount;
    MPI_Datatype sendtype;
    MPI_Aint send_extent;
    void *recvbuf;
    int recvcount;
    MPI_Datatype recvtype;
    MPI_Aint receive_extent;
};

/* Starts the rank's send `step`. Messages are sent and received with the program's own datatypes. */
static int aapc_start_send(struct aapc_communicator *c, const struct aapc_blocks *blocks, int step,
                           MPI_Request *request)
{
    const int to = aapc_send_to[c->rank][step];

    return MPI_Isend(aapc_block(blocks->sendbuf, to, blocks->sendcount, blocks->send_extent), blocks->sendcount,
                     blocks->sendtype, to, AAPC_MESSAGE_TAG, c->own, request);
}

static int aapc_post_receive(struct aapc_communicator *c, const struct aapc_blocks *blocks, int step)
{
    const int from = aapc_receive_from[c->rank][step];

    return MPI_Irecv(aapc_writable_block(blocks->recvbuf, from, blocks->recvcount, blocks->receive_extent),
                     blocks->recvcount, blocks->recvtype, from, AAPC_MESSAGE_TAG, c->own,
                     &c->requests[AAPC_RECEIVES + step]);
}

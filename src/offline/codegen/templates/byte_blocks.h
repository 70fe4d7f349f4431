/* The blocks of an exchange as bytes: block r begins at byte r * bytes. Where the program's own buffer does not look
 * like that, it is a copy. */
struct aapc_blocks {
    const char *outgoing;
    char *incoming;
    char *packed_outgoing; /* the copies; NULL where there is none */
    char *packed_incoming;
};

/* Whether the elements of this type are nothing but their bytes, in order, without gaps. Derived types count as if they
 * were not, which costs a copy at most. */
static int aapc_is_plain(MPI_Datatype type)
{
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = MPI_COMBINER_STRUCT;
    int size = 0;
    MPI_Aint lower_bound = 0;
    MPI_Aint extent = 0;

    return MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
           combiner == MPI_COMBINER_NAMED && MPI_Type_size(type, &size) == MPI_SUCCESS &&
           MPI_Type_get_extent(type, &lower_bound, &extent) == MPI_SUCCESS && lower_bound == 0 && extent == size;
}

/* Makes the copies that are needed. */
static int aapc_make_copies(const struct aapc_communicator *c, const void *sendbuf, int sendcount,
                            MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, size_t bytes,
                            struct aapc_blocks *blocks)
{
    const int in_place = sendbuf == MPI_IN_PLACE;

    blocks->outgoing = sendbuf;
    blocks->incoming = recvbuf;
    blocks->packed_outgoing = NULL;
    blocks->packed_incoming = NULL;
    if (!aapc_is_plain(recvtype)) {
        blocks->packed_incoming = malloc(AAPC_RANKS * bytes);
        blocks->incoming = blocks->packed_incoming;
        if (blocks->incoming == NULL) {
            return MPI_ERR_NO_MEM;
        }
    }
    if (!in_place && aapc_is_plain(sendtype)) {
        return MPI_SUCCESS;
    }
    blocks->packed_outgoing = malloc(AAPC_RANKS * bytes);
    blocks->outgoing = blocks->packed_outgoing;
    if (blocks->packed_outgoing == NULL) {
        return MPI_ERR_NO_MEM;
    }
    return in_place ? aapc_pack(c, recvbuf, recvcount, recvtype, bytes, blocks->packed_outgoing)
                    : aapc_pack(c, sendbuf, sendcount, sendtype, bytes, blocks->packed_outgoing);
}

/* Copies what has to be copied before an exchange, a rank's block for itself included. */
static int aapc_prepare(const struct aapc_communicator *c, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                        void *recvbuf, int recvcount, MPI_Datatype recvtype, size_t bytes, struct aapc_blocks *blocks)
{
    const int error = aapc_make_copies(c, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, bytes, blocks);

    if (error != MPI_SUCCESS || sendbuf == MPI_IN_PLACE) {
        return error;
    }
    return aapc_copy_own_block(c, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
}

/* Takes the blocks of the other ranks from the copy, if there is one. */
static int aapc_unpack(const struct aapc_communicator *c, const struct aapc_blocks *blocks, size_t bytes, void *recvbuf,
                       int recvcount, MPI_Datatype recvtype)
{
    MPI_Aint lower_bound = 0;
    MPI_Aint extent = 0;
    int error = MPI_SUCCESS;

    if (blocks->packed_incoming == NULL) {
        return MPI_SUCCESS;
    }
    error = MPI_Type_get_extent(recvtype, &lower_bound, &extent);
    for (int rank = 0; rank < AAPC_RANKS && error == MPI_SUCCESS; ++rank) {
        int position = 0;

        if (rank != c->rank) {
            error = MPI_Unpack(blocks->packed_incoming + (size_t)rank * bytes, (int)bytes, &position,
                               aapc_writable_block(recvbuf, rank, recvcount, extent), recvcount, recvtype, c->own);
        }
    }
    return error;
}

static void aapc_free_copies(const struct aapc_blocks *blocks)
{
    free(blocks->packed_outgoing);
    free(blocks->packed_incoming);
}

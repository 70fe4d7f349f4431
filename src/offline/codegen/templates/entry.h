int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                 MPI_Datatype recvtype, MPI_Comm comm)
{
    /* A message has as many bytes at its receiver as at its sender, so all ranks see the same number here. */
    const size_t bytes = aapc_message_bytes(recvcount, recvtype, comm);
    struct aapc_communicator *const c = bytes > 0 ? aapc_find(comm) : NULL;
    const int error = c != NULL ? aapc_alltoall(c, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, bytes)
                                : AAPC_NOT_SERVED;

    if (error == AAPC_NOT_SERVED) {
        return PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    }
#ifdef AAPC_COUNT_CALLS
    ++aapc_generated_calls;
#endif
    if (error != MPI_SUCCESS) {
        MPI_Comm_call_errhandler(comm, error);
    }
    return error;
}

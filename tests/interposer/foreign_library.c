/* A library under the name of MPICH's that is not quite MPICH: what an interposer finds out before it serves a program.
 * AAPC_TEST_FOREIGN says what is wrong with it:
 *
 *     open-mpi   it is Open MPI by what it says of itself
 *     handles    its predefined types have other sizes
 *     status     its MPI_Status is longer than the compiler believed
 *
 * It has the few routines that may be called until then; a call of any other ends the program. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int is_wrong(const char* what) {
    const char* const wrong = getenv("AAPC_TEST_FOREIGN");
    return wrong != NULL && strcmp(wrong, what) == 0;
}

/* Nobody knows its handles, so a library of this kind must not be asked with one. */
static void must_not_be_asked(void) {
    if (is_wrong("open-mpi")) {
        abort();
    }
}

int PMPI_Init(int* argc, char*** argv) {
    (void)argc;
    (void)argv;
    return MPI_SUCCESS;
}

int PMPI_Finalize(void) { return MPI_SUCCESS; }

int PMPI_Get_library_version(char* version, int* length) {
    strcpy(version, is_wrong("open-mpi") ? "Open MPI v4.9.9, of nobody" : "MPICH Version: 9.9\nof nobody");
    *length = (int)strlen(version);
    return MPI_SUCCESS;
}

int PMPI_Type_size(MPI_Datatype type, int* size) {
    must_not_be_asked();
    *size = (type & 0xff00) >> 8; /* where MPICH has it */
    if (is_wrong("handles")) {
        *size += 1;
    }
    return MPI_SUCCESS;
}

int PMPI_Comm_size(MPI_Comm comm, int* size) {
    must_not_be_asked();
    (void)comm;
    *size = 1;
    return MPI_SUCCESS;
}

int PMPI_Status_set_elements(MPI_Status* status, MPI_Datatype type, int count) {
    must_not_be_asked();
    (void)type;
    memset(status, 0, sizeof *status + (is_wrong("status") ? 8 : 0));
    memcpy(status, &count, sizeof count);
    return MPI_SUCCESS;
}

int PMPI_Status_set_cancelled(MPI_Status* status, int flag) {
    (void)status;
    (void)flag;
    return MPI_SUCCESS;
}

int PMPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count) {
    (void)type;
    memcpy(count, status, sizeof *count);
    return MPI_SUCCESS;
}

int PMPI_Test_cancelled(const MPI_Status* status, int* flag) {
    (void)status;
    *flag = 0;
    return MPI_SUCCESS;
}

int PMPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm) {
    (void)send_count;
    (void)send_type;
    (void)receive_count;
    (void)receive_type;
    (void)comm;
    memcpy(receive, send, sizeof(int));
    return MPI_SUCCESS;
}

int MPI_Init(int* argc, char*** argv) { return PMPI_Init(argc, argv); }
int MPI_Finalize(void) { return PMPI_Finalize(); }
int MPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm) {
    return PMPI_Alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm);
}

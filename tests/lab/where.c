/* Every rank tells rank 0 its host; rank 0 prints them in order. Then an all-to-all whose every byte is checked. */
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { host_length = 65, message_size = 20000 };

static unsigned char expected_byte(int from, int to, int offset) {
    return (unsigned char)(from * 131 + to * 31 + offset * 7 + offset / 256);
}

static int wrong_bytes(int rank, int ranks) {
    unsigned char* send = malloc((size_t)ranks * message_size);
    unsigned char* receive = calloc((size_t)ranks, message_size);
    int wrong = 0;
    if (send == NULL || receive == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 3);
        return 1;
    }
    for (int peer = 0; peer < ranks; ++peer) {
        for (int offset = 0; offset < message_size; ++offset) {
            send[peer * message_size + offset] = expected_byte(rank, peer, offset);
        }
    }
    MPI_Alltoall(send, message_size, MPI_BYTE, receive, message_size, MPI_BYTE, MPI_COMM_WORLD);
    for (int peer = 0; peer < ranks; ++peer) {
        for (int offset = 0; offset < message_size; ++offset) {
            wrong += receive[peer * message_size + offset] != expected_byte(peer, rank, offset);
        }
    }
    free(send);
    free(receive);
    return wrong;
}

int main(int argc, char** argv) {
    int rank = 0;
    int ranks = 0;
    char host[host_length] = "";
    char* hosts = NULL;
    int wrong = 0;
    int all_wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    gethostname(host, sizeof host - 1);
    hosts = calloc((size_t)ranks, host_length);
    MPI_Gather(host, host_length, MPI_CHAR, hosts, host_length, MPI_CHAR, 0, MPI_COMM_WORLD);
    wrong = wrong_bytes(rank, ranks);
    MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        for (int other = 0; other < ranks; ++other) {
            printf("rank %d on %s\n", other, hosts + other * host_length);
        }
        printf("wrong bytes: %d\n", all_wrong);
    }
    free(hosts);
    MPI_Finalize();
    return 0;
}

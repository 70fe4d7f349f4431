/* An ordinary MPI program that calls all-to-alls one after the other, and how long all of them take:
 *
 *     aapc-calls-MPI equal|two|unequal CALLS[,CALLS...] BYTES
 *
 * equal: MPI_Alltoall with blocks of BYTES. two: of BYTES and of a sixteenth of it in turns. unequal: MPI_Alltoallv
 * with messages of half to one and a half of BYTES, other ones every eighth call. For each number of CALLS, ascending,
 * it prints that number and what so many calls took the slowest rank in seconds: a program of few calls does what one
 * of many does first. The last call's bytes are looked at. It knows nothing of aapc. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank;
static int ranks;
static int bytes;

enum { most_marks = 8 };
static int marks[most_marks]; /* numbers of calls, ascending */
static int mark_count;

/* Of "3,10,100"; 0: not such a list. */
static int read_marks(const char* text) {
    char* end = NULL;
    for (;; text = end + 1) {
        const long calls = strtol(text, &end, 10);
        const int before = mark_count == 0 ? 0 : marks[mark_count - 1];
        if (end == text || calls <= before || calls > 1000000000 || mark_count == most_marks) return 0;
        marks[mark_count++] = (int)calls;
        if (*end != ',') return *end == '\0';
    }
}

static int length_of(int call, int from, int to) {
    return bytes / 2 + (from * 7 + to * 3 + call / 8) % 17 * (bytes / 16);
}

static unsigned char byte_of(int from, int to) { return (unsigned char)(1 + from * 31 + to * 17); }

static void exchange(const char* kind, int call, unsigned char* send, unsigned char* receive, int* numbers) {
    if (strcmp(kind, "unequal") != 0) {
        const int block = kind[0] == 't' && call % 2 == 1 ? bytes / 16 : bytes;
        MPI_Alltoall(send, block, MPI_BYTE, receive, block, MPI_BYTE, MPI_COMM_WORLD);
        return;
    }
    int* const sent = numbers;
    int* const received = numbers + ranks;
    int* const places = numbers + 2 * ranks;
    for (int other = 0; other < ranks; ++other) {
        sent[other] = length_of(call, rank, other);
        received[other] = length_of(call, other, rank);
        places[other] = other * 2 * bytes;
    }
    MPI_Alltoallv(send, sent, places, MPI_BYTE, receive, received, places, MPI_BYTE, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bytes = argc == 4 ? atoi(argv[3]) : 0;
    if (argc != 4 || !read_marks(argv[2]) || bytes < 16) {
        if (rank == 0)
            fprintf(stderr, "usage: %s equal|two|unequal CALLS[,CALLS...] BYTES, of 16 bytes at least\n", argv[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const int calls = marks[mark_count - 1];
    const int unequal = strcmp(argv[1], "unequal") == 0;
    const size_t room = (size_t)ranks * (size_t)bytes * (unequal ? 2 : 1);
    unsigned char* const send = malloc(room);
    unsigned char* const receive = malloc(room);
    int* const numbers = malloc(3 * (size_t)ranks * sizeof *numbers);
    for (int to = 0; to < ranks; ++to)
        memset(send + room / (size_t)ranks * (size_t)to, byte_of(rank, to), room / (size_t)ranks);
    const int last = argv[1][0] == 't' ? (calls - 1) / 2 * 2 : calls - 1; /* of two sizes, one of the larger ones */
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = 0;
    double until[most_marks] = {0};
    int mark = 0;
    for (int call = 0; call < calls; ++call) {
        if (call == last) memset(receive, 0, room);
        const double start = MPI_Wtime();
        exchange(argv[1], call, send, receive, numbers);
        seconds += MPI_Wtime() - start;
        if (call + 1 == marks[mark]) until[mark++] = seconds;
        for (int from = 0; call == last && from < ranks; ++from) {
            const int length = unequal ? length_of(call, from, rank) : bytes;
            for (int place = 0; place < length; ++place) {
                if (receive[room / (size_t)ranks * (size_t)from + (size_t)place] != byte_of(from, rank)) {
                    fprintf(stderr, "byte %d from rank %d to %d is wrong\n", place, from, rank);
                    MPI_Abort(MPI_COMM_WORLD, 1);
                }
            }
        }
    }
    double slowest[most_marks];
    MPI_Reduce(until, slowest, mark_count, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    for (mark = 0; rank == 0 && mark < mark_count; ++mark) printf("%d %.9f\n", marks[mark], slowest[mark]);
    free(send);
    free(receive);
    free(numbers);
    MPI_Finalize();
    return 0;
}

/* An ordinary MPI program that calls all-to-alls one after the other, and how long all of them take:
 *
 *     aapc-calls-MPI equal|two|unequal|zipf CALLS[,CALLS...] BYTES
 *
 * equal: MPI_Alltoall with blocks of BYTES. two: of BYTES and of a sixteenth of it in turns. unequal: MPI_Alltoallv
 * with messages of half to one and a half of BYTES, other ones every eighth call. zipf: MPI_Alltoallv with messages of
 * BYTES on average, the same in all calls; the k-th longest has 1/k of the longest, at random places. For each number
 * of CALLS, ascending, it prints that number and what so many calls took the slowest rank in seconds: a program of few
 * calls does what one of many does first. The last call's bytes are looked at. It knows nothing of aapc. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank;
static int ranks;
static int bytes;

enum Kind { equal, two, unequal, zipf, no_kind };
static const char* const kinds[] = {"equal", "two", "unequal", "zipf"};
static enum Kind kind;
static int* zipf_lengths; /* by pair of ranks: sender * ranks + receiver */

static enum Kind kind_of(const char* word) {
    int found = equal;
    while (found < no_kind && strcmp(word, kinds[found]) != 0) ++found;
    return (enum Kind)found;
}

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

/* The same on all ranks. */
static void draw_zipf_lengths(void) {
    const int pairs = ranks * ranks;
    double sum = 0;
    for (int k = 1; k <= pairs; ++k) sum += 1.0 / k;
    zipf_lengths = calloc((size_t)pairs, sizeof *zipf_lengths);
    unsigned long long draw = 1;
    for (int k = 0; k < pairs; ++k) {
        draw = draw * 6364136223846793005ULL + 1442695040888963407ULL;
        const int place = (int)((draw >> 33) % (unsigned)(k + 1));
        zipf_lengths[k] = zipf_lengths[place];
        zipf_lengths[place] = (int)(bytes * (pairs / sum) / (k + 1));
    }
}

/* Bytes of a message, and those that its place in the buffers has room for. */
static int length_of(int call, int from, int to) {
    if (kind == unequal) return bytes / 2 + (from * 7 + to * 3 + call / 8) % 17 * (bytes / 16);
    return kind == zipf ? zipf_lengths[from * ranks + to] : bytes;
}

static int room_of(int from, int to) { return kind == unequal ? 2 * bytes : length_of(0, from, to); }

static unsigned char byte_of(int from, int to) { return (unsigned char)(1 + from * 31 + to * 17); }

/* Where the messages of this rank begin, and behind the last one how many bytes there are. */
struct Places {
    int* sent;
    int* received;
};

static struct Places find_places(void) {
    const size_t size = ((size_t)ranks + 1) * sizeof(int);
    struct Places places = {calloc(1, size), calloc(1, size)};
    for (int other = 0; other < ranks; ++other) {
        places.sent[other + 1] = places.sent[other] + room_of(rank, other);
        places.received[other + 1] = places.received[other] + room_of(other, rank);
    }
    return places;
}

static void exchange(int call, unsigned char* send, unsigned char* receive, const struct Places* places, int* lengths) {
    if (kind == equal || kind == two) {
        const int block = kind == two && call % 2 == 1 ? bytes / 16 : bytes;
        MPI_Alltoall(send, block, MPI_BYTE, receive, block, MPI_BYTE, MPI_COMM_WORLD);
        return;
    }
    for (int other = 0; other < ranks; ++other) {
        lengths[other] = length_of(call, rank, other);
        lengths[ranks + other] = length_of(call, other, rank);
    }
    MPI_Alltoallv(send, lengths, places->sent, MPI_BYTE, receive, lengths + ranks, places->received, MPI_BYTE,
                  MPI_COMM_WORLD);
}

/* Ends the program if a byte from any rank is not what that rank has sent in this call. */
static void check(int call, const unsigned char* receive, const struct Places* places) {
    for (int from = 0; from < ranks; ++from) {
        for (int place = 0; place < length_of(call, from, rank); ++place) {
            if (receive[places->received[from] + place] != byte_of(from, rank)) {
                fprintf(stderr, "byte %d from rank %d to %d is wrong\n", place, from, rank);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
        }
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bytes = argc == 4 ? atoi(argv[3]) : 0;
    kind = argc == 4 ? kind_of(argv[1]) : no_kind;
    if (kind == no_kind || !read_marks(argv[2]) || bytes < 16) {
        if (rank == 0)
            fprintf(stderr, "usage: %s equal|two|unequal|zipf CALLS[,CALLS...] BYTES, of 16 bytes at least\n", argv[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (kind == zipf) draw_zipf_lengths();
    const int calls = marks[mark_count - 1];
    const struct Places places = find_places();
    const size_t room = (size_t)places.received[ranks];
    unsigned char* const send = malloc((size_t)places.sent[ranks]);
    unsigned char* const receive = malloc(room);
    int* const lengths = malloc(2 * (size_t)ranks * sizeof *lengths);
    for (int to = 0; to < ranks; ++to)
        memset(send + places.sent[to], byte_of(rank, to), (size_t)(places.sent[to + 1] - places.sent[to]));
    const int last = kind == two ? (calls - 1) / 2 * 2 : calls - 1; /* of two sizes, one of the larger ones */
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = 0;
    double until[most_marks] = {0};
    int mark = 0;
    for (int call = 0; call < calls; ++call) {
        if (call == last) memset(receive, 0, room);
        const double start = MPI_Wtime();
        exchange(call, send, receive, &places, lengths);
        seconds += MPI_Wtime() - start;
        if (call + 1 == marks[mark]) until[mark++] = seconds;
        if (call == last) check(call, receive, &places);
    }
    double slowest[most_marks];
    MPI_Reduce(until, slowest, mark_count, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    for (mark = 0; rank == 0 && mark < mark_count; ++mark) printf("%d %.9f\n", marks[mark], slowest[mark]);
    free(zipf_lengths);
    free(places.sent);
    free(places.received);
    free(send);
    free(receive);
    free(lengths);
    MPI_Finalize();
    return 0;
}

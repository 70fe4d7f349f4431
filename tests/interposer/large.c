/* One call whose bytes are more than an int counts, every byte checked:
 *
 *     large WHAT BLOCK_BYTES     WHAT: equal, in-place, spaced or unequal
 *
 * Blocks have that many bytes, whole pages. `spaced` blocks are taken from every other page. `unequal` ones have a
 * sixteenth of that but for one, from rank 0 to rank 1. What is sent takes little memory: the same few pages again and
 * again, as many as go into no power of two, so that a block from a wrong place is not right by chance. So do the
 * places of what a rank sends to itself; all others are memory of their own. Exit status 77: too little memory. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { most_ranks = 4, page = 4096, pattern_bytes = 4099 * page };

static int rank;
static int ranks;
static size_t block;
static int unequal;
static size_t stride = page; /* of what is sent */

static void fail(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static size_t bytes(int from, int to) { return unequal && !(from == 0 && to == 1) ? block / 16 / page * page : block; }

/* Where the block for `to` begins, in bytes of data or, times the stride, of the buffer. */
static size_t sent_at(int from, int to) {
    size_t at = 0;
    for (int other = 0; other < to; ++other) at += bytes(from, other);
    return at;
}

static size_t received_at(int from, int to) {
    size_t at = 0;
    for (int other = 0; other < from; ++other) at += bytes(other, to);
    return at;
}

static void fill(unsigned char* pattern, int of_rank) {
    uint64_t state = 0x9e3779b97f4a7c15u * (uint64_t)(of_rank + 1);
    for (size_t at = 0; at < pattern_bytes; at += sizeof state) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        memcpy(pattern + at, &state, sizeof state);
    }
}

static void* map(void* at, size_t length, int file, size_t offset) {
    const int how = (at == NULL ? 0 : MAP_FIXED) | (file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED);
    void* const memory = mmap(at, length, PROT_READ | PROT_WRITE, how | MAP_NORESERVE, file, (off_t)offset);
    if (memory == MAP_FAILED) fail("rank %d: no memory", rank);
    return memory;
}

static int new_file(void) {
    const int file = memfd_create("large", 0);
    if (file < 0 || ftruncate(file, pattern_bytes) != 0) fail("rank %d: no memory", rank);
    return file;
}

/* From `first` on the pages are those of the file, again and again; the byte at `at` is that at `at` of the pattern. */
static void map_again_and_again(unsigned char* first, size_t length, int file, size_t at) {
    for (size_t done = 0; done < length;) {
        const size_t offset = (at + done) % pattern_bytes;
        size_t piece = pattern_bytes - offset;
        if (piece > length - done) piece = length - done;
        map(first + done, piece, file, offset);
        done += piece;
    }
}

static unsigned char* new_send_buffer(const unsigned char* pattern) {
    const int file = new_file();
    memcpy(map(NULL, pattern_bytes, file, 0), pattern, pattern_bytes);
    const size_t length = sent_at(rank, ranks) / page * stride;
    unsigned char* const buffer = map(NULL, length, -1, 0);
    map_again_and_again(buffer, length, file, 0);
    return buffer;
}

static unsigned char* new_receive_buffer(void) {
    unsigned char* const buffer = map(NULL, received_at(ranks, rank), -1, 0);
    map_again_and_again(buffer + received_at(rank, rank), bytes(rank, rank), new_file(), sent_at(rank, rank));
    return buffer;
}

/* What `pattern` has at that byte of what is sent. */
static const unsigned char* at_byte(const unsigned char* pattern, size_t sent) {
    return pattern + sent / page * stride % pattern_bytes;
}

static void put(unsigned char* buffer, const unsigned char* pattern) {
    for (size_t at = 0; at < sent_at(rank, ranks); at += page) memcpy(buffer + at, at_byte(pattern, at), page);
}

static int call(const unsigned char* send, unsigned char* receive, int in_place) {
    if (unequal) {
        int counts[2][most_ranks];
        int places[2][most_ranks];
        for (int other = 0; other < ranks; ++other) {
            counts[0][other] = (int)(bytes(rank, other) / sizeof(double));
            places[0][other] = (int)(sent_at(rank, other) / sizeof(double));
            counts[1][other] = (int)(bytes(other, rank) / sizeof(double));
            places[1][other] = (int)(received_at(other, rank) / sizeof(double));
        }
        return MPI_Alltoallv(send, counts[0], places[0], MPI_DOUBLE, receive, counts[1], places[1], MPI_DOUBLE,
                             MPI_COMM_WORLD);
    }
    if (in_place) {
        return MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, receive, (int)block, MPI_BYTE, MPI_COMM_WORLD);
    }
    if (stride == page) {
        return MPI_Alltoall(send, (int)block, MPI_BYTE, receive, (int)block, MPI_BYTE, MPI_COMM_WORLD);
    }
    MPI_Datatype content = MPI_DATATYPE_NULL;
    MPI_Datatype spaced = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(page, MPI_BYTE, &content);
    MPI_Type_create_resized(content, 0, (MPI_Aint)stride, &spaced);
    MPI_Type_commit(&spaced);
    const int error = MPI_Alltoall(send, (int)(block / page), spaced, receive, (int)block, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Type_free(&content);
    MPI_Type_free(&spaced);
    return error;
}

static void check(const unsigned char* receive, unsigned char* pattern) {
    for (int from = 0; from < ranks; ++from) {
        fill(pattern, from);
        const size_t first = received_at(from, rank);
        for (size_t at = 0; at < bytes(from, rank); at += page) {
            if (memcmp(receive + first + at, at_byte(pattern, sent_at(from, rank) + at), page) != 0) {
                fail("rank %d: what came from rank %d is wrong in the page at byte %zu", rank, from, at);
            }
        }
    }
}

/* In GiB. */
static double available(void) {
    char line[128];
    long kib = 0;
    FILE* const file = fopen("/proc/meminfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) sscanf(line, "MemAvailable: %ld", &kib);
    if (file != NULL) fclose(file);
    return (double)kib / (1 << 20);
}

int main(int argc, char** argv) {
    const int enough = available() > 11;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 3 || ranks > most_ranks) fail("usage: large WHAT BLOCK_BYTES, on 2 to 4 ranks");
    const int in_place = strcmp(argv[1], "in-place") == 0;
    unequal = strcmp(argv[1], "unequal") == 0;
    stride = strcmp(argv[1], "spaced") == 0 ? 2 * page : page;
    block = strtoull(argv[2], NULL, 10) / page * page;
    int all_enough = 0;
    MPI_Allreduce(&enough, &all_enough, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all_enough) {
        unsigned char* const pattern = malloc(pattern_bytes);
        fill(pattern, rank);
        unsigned char* const send = in_place ? NULL : new_send_buffer(pattern);
        unsigned char* const receive = new_receive_buffer();
        if (in_place) put(receive, pattern);
        const double begin = MPI_Wtime();
        if (call(send, receive, in_place) != MPI_SUCCESS) fail("rank %d: an error", rank);
        const double seconds = MPI_Wtime() - begin;
        check(receive, pattern);
        if (rank == 0) printf("%d calls exchanged, 0 passed through; %.1f s\n", ranks, seconds);
    } else if (rank == 0) {
        printf("this needs 11 GiB of memory\n");
    }
    MPI_Finalize();
    return all_enough ? 0 : 77;
}

#define _GNU_SOURCE /* memfd_create */
#include "cases.h"

#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "communicators.h"
#include "exchange.h"

static void one_call(Communicator* where, Random* shared, Random* own) {
    Exchange exchange;
    begin_exchange(&exchange, where, shared, own, 1);
    end_exchange(&exchange);
}

void calls_on_a_communicator(Random* shared, Random* own) {
    Communicator where = random_communicator(shared);
    Random same = seeded(draw(shared), 0, 0);
    if (where.comm != MPI_COMM_NULL) {
        const int calls = 1 + below(&same, 3);
        const int overlaps = one_in(&same, 4);
        Exchange first;
        if (overlaps) begin_exchange(&first, &where, &same, own, 0);
        for (int i = 0; i < calls; ++i) {
            Exchange exchange;
            begin_exchange(&exchange, &where, &same, own, !overlaps);
            end_exchange(&exchange);
        }
        if (overlaps) end_exchange(&first);
    }
    done_with(&where, shared);
}

/* --- threads --- */

typedef struct {
    Communicator where;
    Random shared;
    Random own;
    int calls;
} Worker;

static void* work(void* argument) {
    Worker* const worker = argument;
    for (int i = 0; i < worker->calls; ++i) one_call(&worker->where, &worker->shared, &worker->own);
    return NULL;
}

/* Messages around all ranks for whoever asks, while other threads are at work. */
static void pass_around(MPI_Comm comm) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int round = 0; round < 20; ++round) {
        int caught = -1;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Status status;
        MPI_Irecv(&caught, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
        MPI_Send(&round, 1, MPI_INT, (rank + 1) % ranks, round, comm);
        MPI_Wait(&request, &status);
        if (caught != round || status.MPI_TAG != round) fail("a message for another thread was caught");
    }
}

void calls_in_threads(Random* shared, Random* own) {
    enum { most_threads = 3 };
    Worker workers[most_threads];
    pthread_t threads[most_threads];
    MPI_Comm beside = MPI_COMM_NULL;
    const int count = 2 + below(shared, most_threads - 1);
    MPI_Comm_dup(MPI_COMM_WORLD, &beside);
    for (int i = 0; i < count; ++i) {
        MPI_Comm comm = MPI_COMM_NULL;
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_split(MPI_COMM_WORLD, one_in(shared, 3) ? rank % 2 : 0, i % 2 == 0 ? rank : -rank, &comm);
        workers[i].where = communicator_of(comm, "a thread's");
        /* No duplicates, either: both MPIs can wait for good where several threads make communicators. */
#ifdef MPICH_VERSION
        /* Its own calls that do not wait can hang where several threads have some. */
        workers[i].where.blocking_only = 1;
#endif
        workers[i].shared = seeded(draw(shared), (uint64_t)i, 0);
        workers[i].own = seeded(draw(own), (uint64_t)i, 1);
        workers[i].calls = 1 + below(shared, 2);
    }
    for (int i = 0; i < count; ++i) pthread_create(&threads[i], NULL, work, &workers[i]);
    pass_around(beside);
    for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
    for (int i = 0; i < count; ++i) MPI_Comm_free(&workers[i].where.comm);
    MPI_Comm_free(&beside);
}

/* --- callbacks --- */

/* What a callback is to do. */
typedef struct {
    Communicator other;
    Random shared;
    Random own;
    int frees;
    int runs;
} Hook;

static int on_copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
    (void)comm, (void)key, (void)extra;
    Hook* const hook = in;
    one_call(&hook->other, &hook->shared, &hook->own);
    *(void**)out = in;
    *flag = 0;
    ++hook->runs;
    return MPI_SUCCESS;
}

static int on_deletion(MPI_Comm comm, int key, void* value, void* extra) {
    (void)comm, (void)key, (void)extra;
    Hook* const hook = value;
    one_call(&hook->other, &hook->shared, &hook->own);
    if (hook->frees) MPI_Comm_free(&hook->other.comm);
    ++hook->runs;
    return MPI_SUCCESS;
}

void calls_in_callbacks(Random* shared, Random* own) {
    MPI_Comm first = MPI_COMM_NULL;
    MPI_Comm second = MPI_COMM_NULL;
    MPI_Comm copy = MPI_COMM_NULL;
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    Hook hook = {communicator_of(second, "another one in a callback"), seeded(draw(shared), 1, 0), *own,
                 one_in(shared, 2), 0};
    /* Open MPI's own calls that do not wait can stay where they are in a callback. */
    hook.other.blocking_only = 1;
    Communicator where = communicator_of(first, "one with an attribute");
    const int copies = one_in(shared, 2);
    MPI_Comm_create_keyval(copies ? on_copy : MPI_COMM_NULL_COPY_FN, on_deletion, &key, NULL);
    /* The interposer's own attribute is set at the first call: before or behind this one. */
    if (one_in(shared, 2)) one_call(&where, shared, own);
    MPI_Comm_set_attr(first, key, &hook);
    one_call(&where, shared, own);
    if (hook.runs != 0) fail("a call ran an attribute's callback");
    MPI_Comm_dup(first, &copy);
    if (hook.runs != copies) fail("%d callbacks of a duplicate, not %d", hook.runs, copies);
    if (one_in(shared, 2)) MPI_Comm_free_keyval(&key);
    MPI_Comm_free(&first);
    if (hook.runs != copies + 1) fail("%d callbacks, not %d", hook.runs, copies + 1);
    Communicator last = communicator_of(copy, "a duplicate that outlived its origin");
    one_call(&last, shared, own);
    MPI_Comm_free(&copy);
    if (key != MPI_KEYVAL_INVALID) MPI_Comm_free_keyval(&key);
    if (!hook.frees) MPI_Comm_free(&second);
}

void call_in_finalize(Random shared, Random own) {
    static Hook hook;
    int key = MPI_KEYVAL_INVALID;
    hook.other = communicator_of(MPI_COMM_WORLD, "MPI_COMM_WORLD in MPI_Finalize");
    hook.other.blocking_only = 1;
    hook.shared = shared;
    hook.own = own;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_deletion, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &hook);
    MPI_Comm_free_keyval(&key);
}

/* --- far apart --- */

enum { around = 64 };

static unsigned char* reserve(size_t size) {
    void* const memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) fail("no addresses for %zu bytes", size);
    return memory;
}

/* The same pages again and again. */
static unsigned char* reserve_repeated(size_t size, size_t period) {
    unsigned char* const memory = reserve(size);
    const int file = memfd_create("sent", 0);
    if (file < 0 || ftruncate(file, (off_t)period) != 0) fail("no file in memory");
    for (size_t at = 0; at < size; at += period) {
        const size_t length = size - at < period ? size - at : period;
        if (mmap(memory + at, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
            fail("no pages");
    }
    close(file);
    return memory;
}

static unsigned char byte_of(int source, MPI_Aint place) {
    return (unsigned char)(1 | mixed((uint64_t)place * 32 + (uint64_t)source));
}

/* One block for each rank, `apart` bytes apart, which is the type's extent. */
static void call_with_blocks(const Communicator* where, int form, MPI_Datatype block, MPI_Aint apart, const void* send,
                             void* receive) {
    Call call = {.form = form, .way = blocking, .peers = where->size, .comm = where->comm};
    for (int i = 0; i < where->size; ++i) {
        const int one = 1;
        const MPI_Aint place = i * apart;
        call.send.counts[i] = 1;
        call.send.places[i] = form == typed ? 0 : i;
        call.send.types[i] = block;
        if (form == typed) {
            MPI_Type_create_hindexed(1, &one, &place, block, &call.send.types[i]);
            MPI_Type_commit(&call.send.types[i]);
        }
    }
    call.receive = call.send;
    call.send.buffer = send;
    call.receive.buffer = receive;
    make_call(&call, NULL);
    for (int i = 0; i < where->size && form == typed; ++i) MPI_Type_free(&call.send.types[i]);
}

/* The same without such a type: by places in bytes, which are larger than an int. */
static void call_with_large_places(const Communicator* where, int form, int bytes, MPI_Aint apart, const void* send,
                                   void* receive) {
    Call call = {.form = form, .way = large_count, .peers = where->size, .comm = where->comm, .far = 1};
    for (int i = 0; i < where->size; ++i) {
        call.send.counts[i] = bytes;
        call.send.addresses[i] = i * apart;
        call.send.types[i] = MPI_BYTE;
    }
    call.receive = call.send;
    call.send.buffer = send;
    call.receive.buffer = receive;
    make_call(&call, NULL);
}

/* Blocks of `bytes` bytes that lie `apart` bytes apart, so that all the memory but theirs stays unused. */
static void check_far(const Communicator* where, int form, int bytes, MPI_Aint apart, int large) {
    const size_t size = (size_t)apart * (size_t)where->size;
    unsigned char* const send = reserve(size);
    unsigned char* const receive = reserve(size);
    MPI_Datatype block = MPI_DATATYPE_NULL;
    MPI_Datatype far = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(bytes, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, apart, &far);
    MPI_Type_commit(&far);
    MPI_Type_free(&block);
    for (int i = 0; i < where->size; ++i) {
        for (int k = 0; k < bytes; ++k) send[i * apart + k] = byte_of(where->rank, i * apart + k);
    }
    if (large) {
        call_with_large_places(where, form, bytes, apart, send, receive);
    } else {
        call_with_blocks(where, form, far, apart, send, receive);
    }
    for (int i = 0; i < where->size; ++i) {
        for (MPI_Aint k = i > 0 ? -around : 0; k < bytes + around; ++k) {
            const int should = k < 0 || k >= bytes ? 0 : byte_of(i, where->rank * apart + k);
            if (receive[i * apart + k] != should) fail("blocks of %d bytes %ld apart: wrong", bytes, (long)apart);
        }
    }
    MPI_Type_free(&far);
    munmap(send, size);
    munmap(receive, size);
}

void calls_far_apart(Random* shared, Random* own) {
    const Communicator where = communicator_of(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    const int form = below(shared, forms);
    const int bytes = 1 + below(shared, 3000);
    const MPI_Aint apart = ((MPI_Aint)1 << 30) + below(shared, 4096);
    /* Each rank says it in a form of its own. */
    const int large = has_way(large_count) && form != equal && !one_in(own, 3);
    check_far(&where, form, bytes, apart, large);
}

/* Blocks that follow one another, from a buffer that repeats itself and takes no memory. */
static void check_dense(const Communicator* where, int form, int bytes) {
    enum { period = 1 << 20 };
    const size_t size = (size_t)bytes * (size_t)where->size;
    unsigned char* const send = reserve_repeated(size, period);
    unsigned char* const receive = reserve(size + around);
    unsigned char* const pattern = reserve(period);
    for (int k = 0; k < period; ++k) send[k] = byte_of(where->rank, k);
    MPI_Datatype block = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(bytes, MPI_BYTE, &block);
    MPI_Type_commit(&block);
    call_with_blocks(where, form, block, bytes, send, receive);
    for (int i = 0; i < where->size; ++i) {
        const size_t from = (size_t)where->rank * (size_t)bytes;
        for (int k = 0; k < period; ++k) pattern[k] = byte_of(i, k);
        for (size_t k = 0; k < (size_t)bytes; ++k) {
            if (receive[(size_t)i * (size_t)bytes + k] != pattern[(from + k) % period])
                fail("dense blocks of %d bytes, form %d: wrong from rank %d at %zu", bytes, form, i, k);
        }
    }
    for (int k = 0; k < around; ++k) {
        if (receive[size + (size_t)k] != 0) fail("dense blocks of %d bytes: written behind", bytes);
    }
    MPI_Type_free(&block);
    munmap(send, size);
    munmap(receive, size + around);
    munmap(pattern, period);
}

void calls_of_much_data(Random* shared, Random* own) {
    (void)own;
    Communicator where = communicator_of(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    const int form = below(shared, forms);
    const int bytes = INT32_MAX / where.size + 100000 + below(shared, 100000);
    check_dense(&where, form, bytes);
}

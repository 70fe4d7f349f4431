/* Preloaded before an interposer, on every rank: makes one thing fail on one rank, at one moment.
 *
 *     AAPC_FAULT_RANK   the rank of MPI_COMM_WORLD on which it happens; "all": on all
 *     AAPC_FAULT        what happens
 *         count            nothing
 *         once:N           the interposer's allocation number N fails
 *         from:N           ... and all after it
 *         kill:N           the process is killed at the interposer's moment number N
 *         exit:N           ... leaves without MPI_Finalize, if MPI_Init is behind it
 *         stop:N           ... is stopped for half a second
 *         full             no shared memory can be reserved, as on a host without room
 *         filled:N         ... from the interposer's reservation number N on
 *         missing          no shared memory can be made, as where the kernel refuses
 *         unreadable       no process may be read
 *         jump:N           the interposer's clocks jump by 1000 s at their reading number N
 *         back:N           ... by -1000 s
 *         fast, slow       they run at three times, at half the speed
 *         filed:N          the interposer opens no socket from its number N on, as without files
 *         unwatched        ... no file that watches others
 *         addressless      ... finds no address of its own
 *         refused, routeless   its connections are refused, or lead nowhere
 *         reset:N          the connection of its message number N is ended before that is sent
 *         trickle          connections move seven bytes at a time
 *     AAPC_FAULT_COUNT  a file into which, with the rank behind its name, the number of allocations, of moments, of
 *                       readings and of messages on connections is written at the end
 *
 * Only calls that come from the interposer's own code count and fail: the MPI has its own way with such things. Its
 * moments are its allocations, its readings of the clock and its looks at other processes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void* __libc_malloc(size_t bytes);

static struct {
    int read;
    char what[16];
    long number;
    long rank;
    uintptr_t first;
    uintptr_t end;
} fault;

static long allocations;
static long moments;
static long readings;
static long sent;

static int find_interposer(struct dl_phdr_info* object, size_t size, void* unused) {
    (void)size, (void)unused;
    if (strstr(object->dlpi_name, "/libaapc-") == NULL) return 0;
    fault.first = object->dlpi_addr;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const uintptr_t end = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr + object->dlpi_phdr[i].p_memsz;
        if (object->dlpi_phdr[i].p_type == PT_LOAD && end > fault.end) fault.end = end;
    }
    return 1;
}

/* Before main(), when everything is loaded. */
__attribute__((constructor)) static void read_fault(void) {
    const char* rank = getenv("OMPI_COMM_WORLD_RANK");
    if (rank == NULL) rank = getenv("PMI_RANK");
    const char* wanted = getenv("AAPC_FAULT_RANK");
    const char* what = getenv("AAPC_FAULT");
    if (rank == NULL || wanted == NULL || what == NULL) return;
    if (strcmp(wanted, "all") != 0 && strcmp(rank, wanted) != 0) return;
    fault.rank = strtol(rank, NULL, 10);
    const size_t length = strcspn(what, ":");
    if (length >= sizeof fault.what) abort();
    memcpy(fault.what, what, length);
    fault.number = what[length] == ':' ? strtol(what + length + 1, NULL, 10) : 0;
    dl_iterate_phdr(find_interposer, NULL);
    fault.read = 1;
}

__attribute__((destructor)) static void write_count(void) {
    const char* const name = getenv("AAPC_FAULT_COUNT");
    if (!fault.read || name == NULL) return;
    char of_rank[4096];
    snprintf(of_rank, sizeof of_rank, "%s.%ld", name, fault.rank);
    const int file = open(of_rank, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file >= 0) {
        dprintf(file, "%ld %ld %ld %ld\n", allocations, moments, readings, sent);
        close(file);
    }
}

static int is(const char* what) { return fault.read && strcmp(fault.what, what) == 0; }

static int is_ours(const void* caller) { return (uintptr_t)caller >= fault.first && (uintptr_t)caller < fault.end; }

/* Somebody else has to wake a stopped process. */
static void stop_for_a_while(void) {
    // Again and again: on a crowded machine the first may come before the stop.
    char command[96];
    snprintf(command, sizeof command, "(for i in 1 2 3 4 5 6; do sleep 0.5; kill -CONT %ld; done) >/dev/null 2>&1 &",
             (long)getpid());
    const pid_t child = vfork();
    if (child == 0) {
        char* const arguments[] = {"sh", "-c", command, NULL};
        char* const environment[] = {"PATH=/usr/bin:/bin", NULL};
        execve("/bin/sh", arguments, environment);
        _exit(127);
    }
    if (child > 0) {
        waitpid(child, NULL, 0);
        raise(SIGSTOP);
    }
}

int MPI_Initialized(int* flag) __attribute__((weak));

/* A process that leaves before MPI_Init is waited for: MPICH does so without us, too. */
static int mpi_has_begun(void) {
    int flag = 0;
    return MPI_Initialized != NULL && MPI_Initialized(&flag) == 0 && flag != 0;
}

static void count_moment(void) {
    if (__atomic_add_fetch(&moments, 1, __ATOMIC_RELAXED) != fault.number) return;
    if (is("kill")) raise(SIGKILL);
    if (is("exit") && mpi_has_begun()) _exit(3);
    if (is("stop")) stop_for_a_while();
}

void* malloc(size_t bytes) {
    if (is_ours(__builtin_return_address(0))) {
        count_moment();
        const long number = __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
        if ((is("once") && number == fault.number) || (is("from") && number >= fault.number)) {
            errno = ENOMEM;
            return NULL;
        }
    }
    return __libc_malloc(bytes);
}

int posix_fallocate(int file, off_t offset, off_t length) {
    static int (*real)(int, off_t, off_t);
    if (real == NULL) real = (int (*)(int, off_t, off_t))dlsym(RTLD_NEXT, "posix_fallocate");
    static long taken = 0;
    if (is_ours(__builtin_return_address(0)) &&
        (is("full") || (is("filled") && __atomic_add_fetch(&taken, 1, __ATOMIC_RELAXED) >= fault.number))) {
        return ENOSPC;
    }
    return real(file, offset, length);
}

int memfd_create(const char* name, unsigned flags) {
    static int (*real)(const char*, unsigned);
    if (real == NULL) real = (int (*)(const char*, unsigned))dlsym(RTLD_NEXT, "memfd_create");
    if (is("missing") && is_ours(__builtin_return_address(0))) {
        errno = ENOSYS;
        return -1;
    }
    return real(name, flags);
}

ssize_t process_vm_readv(pid_t process, const struct iovec* to, unsigned long parts, const struct iovec* from,
                         unsigned long pieces, unsigned long flags) {
    static ssize_t (*real)(pid_t, const struct iovec*, unsigned long, const struct iovec*, unsigned long,
                           unsigned long);
    if (real == NULL) {
        real = (ssize_t(*)(pid_t, const struct iovec*, unsigned long, const struct iovec*, unsigned long,
                           unsigned long))dlsym(RTLD_NEXT, "process_vm_readv");
    }
    if (is_ours(__builtin_return_address(0))) {
        count_moment();
        if (is("unreadable")) {
            errno = EPERM;
            return -1;
        }
    }
    return real(process, to, parts, from, pieces, flags);
}

int socket(int domain, int type, int protocol) {
    static int (*real)(int, int, int);
    if (real == NULL) real = (int (*)(int, int, int))dlsym(RTLD_NEXT, "socket");
    static long opened = 0;
    if (is_ours(__builtin_return_address(0)) && is("filed") &&
        __atomic_add_fetch(&opened, 1, __ATOMIC_RELAXED) >= fault.number) {
        errno = EMFILE;
        return -1;
    }
    return real(domain, type, protocol);
}

int epoll_create1(int flags) {
    static int (*real)(int);
    if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, "epoll_create1");
    if (is_ours(__builtin_return_address(0)) && is("unwatched")) {
        errno = EMFILE;
        return -1;
    }
    return real(flags);
}

int getifaddrs(struct ifaddrs** all) {
    static int (*real)(struct ifaddrs**);
    if (real == NULL) real = (int (*)(struct ifaddrs**))dlsym(RTLD_NEXT, "getifaddrs");
    if (is_ours(__builtin_return_address(0)) && is("addressless")) {
        errno = ENOMEM;
        return -1;
    }
    return real(all);
}

int connect(int socket, const struct sockaddr* address, socklen_t length) {
    static int (*real)(int, const struct sockaddr*, socklen_t);
    if (real == NULL) real = (int (*)(int, const struct sockaddr*, socklen_t))dlsym(RTLD_NEXT, "connect");
    if (is_ours(__builtin_return_address(0)) && (is("refused") || is("routeless"))) {
        errno = is("refused") ? ECONNREFUSED : ENETUNREACH;
        return -1;
    }
    return real(socket, address, length);
}

ssize_t sendmsg(int socket, const struct msghdr* message, int flags) {
    static ssize_t (*real)(int, const struct msghdr*, int);
    if (real == NULL) real = (ssize_t(*)(int, const struct msghdr*, int))dlsym(RTLD_NEXT, "sendmsg");
    if (!is_ours(__builtin_return_address(0))) return real(socket, message, flags);
    count_moment();
    if (__atomic_add_fetch(&sent, 1, __ATOMIC_RELAXED) == fault.number && is("reset")) shutdown(socket, SHUT_RDWR);
    if (is("trickle")) {
        struct iovec little = message->msg_iov[0];
        little.iov_len = little.iov_len < 7 ? little.iov_len : 7;
        struct msghdr less = *message;
        less.msg_iov = &little;
        less.msg_iovlen = 1;
        // The head may be through already.
        if (little.iov_len == 0) {
            little = message->msg_iov[1];
            little.iov_len = little.iov_len < 7 ? little.iov_len : 7;
        }
        return real(socket, &less, flags);
    }
    return real(socket, message, flags);
}

ssize_t recv(int socket, void* place, size_t bytes, int flags) {
    static ssize_t (*real)(int, void*, size_t, int);
    if (real == NULL) real = (ssize_t(*)(int, void*, size_t, int))dlsym(RTLD_NEXT, "recv");
    const int few = is_ours(__builtin_return_address(0)) && is("trickle") && bytes > 7;
    return real(socket, place, few ? 7 : bytes, flags);
}

int clock_gettime(clockid_t clock, struct timespec* now) {
    static int (*real)(clockid_t, struct timespec*);
    if (real == NULL) real = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
    const int error = real(clock, now);
    if (!is_ours(__builtin_return_address(0))) return error;
    count_moment();
    const long reading = __atomic_add_fetch(&readings, 1, __ATOMIC_RELAXED);
    if (is("jump") && reading >= fault.number) now->tv_sec += 1000;
    if (is("back") && reading >= fault.number) now->tv_sec -= 1000;
    if (is("fast")) {
        const long long nanoseconds = 3 * (now->tv_sec % 1000000 * 1000000000LL + now->tv_nsec);
        now->tv_sec = nanoseconds / 1000000000;
        now->tv_nsec = nanoseconds % 1000000000;
    }
    if (is("slow")) {
        const long long nanoseconds = (now->tv_sec % 1000000 * 1000000000LL + now->tv_nsec) / 2;
        now->tv_sec = nanoseconds / 1000000000;
        now->tv_nsec = nanoseconds % 1000000000;
    }
    return error;
}

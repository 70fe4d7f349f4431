/* Cables with a latency, between pairs of TAP devices, since this kernel may not have netem.
 *
 *   delay_line NANOSECONDS FRAMES FIRST SECOND [FIRST SECOND ...]
 *
 * A frame that leaves the kernel through one device of a pair comes back in through the other one NANOSECONDS later, in
 * both directions. At most FRAMES are on their way in each direction; those that come on top are lost. Speed is not
 * held here: a token bucket at each device is what frames wait for before they get here.
 *
 * The devices are there already. When all are connected, this program goes on in the background and the exit status of
 * the one that was called is 0. It ends when it is ended, or when a device goes away. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    largest_frame = 1518, /* MTU 1500, header, one VLAN tag */
    frames_in_a_turn = 64 /* read from one device before the others have theirs */
};

struct frame {
    int64_t due; /* nanoseconds of the monotonic clock */
    size_t size;
    unsigned char bytes[largest_frame];
};

/* One direction of one cable: a ring of frames, oldest first. All wait equally long, so the oldest is due first. */
struct direction {
    int from;
    int to;
    struct frame* frames;
    size_t first;
    size_t count;
};

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int open_device(const char* name) {
    struct ifreq request;
    const int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    memset(&request, 0, sizeof request);
    request.ifr_flags = IFF_TAP | IFF_NO_PI;
    strncpy(request.ifr_name, name, IFNAMSIZ - 1);
    if (device < 0 || ioctl(device, TUNSETIFF, &request) < 0) {
        fprintf(stderr, "delay_line: %s: %s\n", name, strerror(errno));
        exit(1);
    }
    return device;
}

static void connect_devices(struct direction* directions, int count, char** names, size_t capacity) {
    for (int pair = 0; pair < count / 2; ++pair) {
        const int first = open_device(names[2 * pair]);
        const int second = open_device(names[2 * pair + 1]);
        directions[2 * pair] = (struct direction){.from = first, .to = second};
        directions[2 * pair + 1] = (struct direction){.from = second, .to = first};
    }
    for (int number = 0; number < count; ++number) {
        directions[number].frames = calloc(capacity, sizeof(struct frame));
        if (directions[number].frames == NULL) {
            fprintf(stderr, "delay_line: no memory for %zu frames\n", capacity);
            exit(1);
        }
    }
}

/* Frames are to leave on time although the machines' programs keep every processor busy. */
static void take_precedence(void) {
    const struct sched_param lowest = {.sched_priority = sched_get_priority_min(SCHED_FIFO)};
    if (sched_setscheduler(0, SCHED_FIFO, &lowest) < 0 && setpriority(PRIO_PROCESS, 0, -20) < 0) {
        fprintf(stderr, "delay_line: no precedence before other programs (%s); latencies will vary\n", strerror(errno));
    }
    prctl(PR_SET_TIMERSLACK, 1UL);
}

/* False if the device has gone. */
static int take_in(struct direction* direction, size_t capacity, int64_t latency) {
    unsigned char lost[largest_frame];
    for (int turn = 0; turn < frames_in_a_turn; ++turn) {
        const int full = direction->count == capacity;
        struct frame* frame = &direction->frames[(direction->first + direction->count) % capacity];
        const ssize_t size = read(direction->from, full ? lost : frame->bytes, largest_frame);
        if (size < 0) {
            return errno == EAGAIN || errno == EINTR;
        }
        if (!full) {
            frame->size = (size_t)size;
            frame->due = now() + latency;
            ++direction->count;
        }
    }
    return 1;
}

static void let_out(struct direction* direction, size_t capacity) {
    while (direction->count > 0 && direction->frames[direction->first].due <= now()) {
        const struct frame* frame = &direction->frames[direction->first];
        /* What a device does not take now is lost, as on a cable whose other end is down. */
        if (write(direction->to, frame->bytes, frame->size) < 0 && errno == EBADFD) {
            exit(1);
        }
        direction->first = (direction->first + 1) % capacity;
        --direction->count;
    }
}

/* How long nothing is due; a null pointer if nothing is on its way. */
static const struct timespec* until_next(const struct direction* directions, int count, struct timespec* wait) {
    int64_t next = INT64_MAX;
    int64_t left = 0;
    for (int number = 0; number < count; ++number) {
        const struct direction* direction = &directions[number];
        if (direction->count > 0 && direction->frames[direction->first].due < next) {
            next = direction->frames[direction->first].due;
        }
    }
    if (next == INT64_MAX) {
        return NULL;
    }
    left = next - now();
    left = left < 0 ? 0 : left;
    wait->tv_sec = left / 1000000000;
    wait->tv_nsec = left % 1000000000;
    return wait;
}

static void run(struct direction* directions, int count, size_t capacity, int64_t latency) {
    struct pollfd* readable = calloc((size_t)count, sizeof *readable);
    if (readable == NULL) {
        exit(1);
    }
    for (int number = 0; number < count; ++number) {
        readable[number] = (struct pollfd){.fd = directions[number].from, .events = POLLIN};
    }
    for (;;) {
        struct timespec wait;
        if (ppoll(readable, (nfds_t)count, until_next(directions, count, &wait), NULL) < 0 && errno != EINTR) {
            exit(1);
        }
        for (int number = 0; number < count; ++number) {
            if ((readable[number].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) {
                exit(1);
            }
            if ((readable[number].revents & POLLIN) != 0 && !take_in(&directions[number], capacity, latency)) {
                exit(1);
            }
        }
        for (int number = 0; number < count; ++number) {
            let_out(&directions[number], capacity);
        }
    }
}

int main(int argc, char** argv) {
    const int64_t latency = argc > 2 ? atoll(argv[1]) : -1;
    const long long capacity = argc > 2 ? atoll(argv[2]) : 0;
    const int count = argc - 3; /* directions: two for each pair of devices */
    struct direction* directions = NULL;
    if (latency < 0 || capacity < 1 || count < 2 || count % 2 != 0) {
        fprintf(stderr, "usage: delay_line NANOSECONDS FRAMES FIRST SECOND [FIRST SECOND ...]\n");
        return 2;
    }
    directions = calloc((size_t)count, sizeof *directions);
    if (directions == NULL) {
        return 1;
    }
    connect_devices(directions, count, argv + 3, (size_t)capacity);
    take_precedence();
    if (daemon(0, 0) < 0) {
        perror("delay_line: daemon");
        return 1;
    }
    run(directions, count, (size_t)capacity, latency);
}

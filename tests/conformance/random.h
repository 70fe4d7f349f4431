/* Numbers that a seed decides, the same on every machine. */
#ifndef AAPC_TESTS_CONFORMANCE_RANDOM_H
#define AAPC_TESTS_CONFORMANCE_RANDOM_H

#include <stdint.h>

typedef struct {
    uint64_t state;
} Random;

static inline uint64_t mixed(uint64_t x) {
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* A sequence of its own for each pair of numbers. */
static inline Random seeded(uint64_t seed, uint64_t one, uint64_t other) {
    const Random random = {mixed(seed ^ mixed(one ^ mixed(other)))};
    return random;
}

static inline uint64_t draw(Random* random) {
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    return mixed(random->state);
}

/* 0 to limit - 1; 0 where the limit is 0 or less. */
static inline int below(Random* random, int limit) {
    const uint64_t drawn = draw(random) >> 16;
    return limit > 0 ? (int)(drawn % (uint64_t)limit) : 0;
}

static inline int one_in(Random* random, int cases) { return below(random, cases) == 0; }

/* Evenly among the numbers that divide `number`, which is 1 or more. */
static inline int divisor_of(Random* random, int number) {
    int divisors = 0;
    for (int i = 1; i <= number; ++i) divisors += number % i == 0;
    int wanted = below(random, divisors);
    for (int i = 1;; ++i) {
        if (number % i == 0 && wanted-- == 0) return i;
    }
}

/* Fills `order` with 0 to count - 1, shuffled. */
static inline void shuffled(Random* random, int* order, int count) {
    for (int i = 0; i < count; ++i) {
        const int other = below(random, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
}

#endif

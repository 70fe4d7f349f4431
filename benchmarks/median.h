/* What rounds of a benchmark come to. */
#ifndef AAPC_BENCHMARKS_MEDIAN_H
#define AAPC_BENCHMARKS_MEDIAN_H

#include <stdlib.h>

static int ascending(const void* left, const void* right) {
    const double difference = *(const double*)left - *(const double*)right;
    return (difference > 0) - (difference < 0);
}

/* Sorts them. */
static double median(double* values, long count) {
    qsort(values, (size_t)count, sizeof *values, ascending);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

#endif

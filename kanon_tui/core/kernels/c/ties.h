/* Scores that differ by less than TIE are equal, and the first of equals wins. */
#ifndef KANON_TIES_H
#define KANON_TIES_H

#include "kernel.h"

/* Return the place of the first score that is as large as any. */
KN_INLINE int64_t first_of_largest(const double *scores, int64_t size) {
    double largest = -INFINITY;
    for (int64_t i = 0; i < size; i++) {
        largest = max_f64(largest, scores[i]);
    }
    int64_t place = 0;
    while (scores[place] < largest - TIE) {
        place++;
    }
    return place;
}

/* Return the place of the first score that is as small as any. */
KN_INLINE int64_t first_of_smallest(const double *scores, int64_t size) {
    double smallest = INFINITY;
    for (int64_t i = 0; i < size; i++) {
        smallest = min_f64(smallest, scores[i]);
    }
    int64_t place = 0;
    while (scores[place] >= smallest + TIE) {
        place++;
    }
    return place;
}

#endif

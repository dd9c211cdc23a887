/* Sorting numbers in place, without scratch memory: quicksort, and insertion for short runs; and
 * by merging, with scratch memory, where something moves along or most numbers rise already.
 *
 * Equal numbers cannot be told apart, so it does not matter that quicksort is not stable. None of
 * the values may be NaN. The longer part of a division waits, so 64 pairs of ends are room enough.
 */
#ifndef KANON_SORTING_H
#define KANON_SORTING_H

#include "kernel.h"

#define KN_SHORT_RUN 16
#define KN_WAITING 128

#define KN_DEFINE_SORT(name, type)                                                                 \
    KN_INLINE type name##_pivot(const type *values, int64_t low, int64_t high) {                   \
        const int64_t quarter = (high - low) / 4; /* not the ends: runs that rise may meet */      \
        type one = values[low + quarter], two = values[(low + high) / 2];                          \
        const type three = values[high - quarter];                                                 \
        if (one > two) {                                                                           \
            type swapped = one;                                                                    \
            one = two;                                                                             \
            two = swapped;                                                                         \
        }                                                                                          \
        return three < one ? one : three < two ? three : two;                                      \
    }                                                                                              \
                                                                                                   \
    static inline void name##_insert(type *values, int64_t low, int64_t high) {                    \
        for (int64_t i = low + 1; i <= high; i++) {                                                \
            type value = values[i];                                                                \
            int64_t j = i - 1;                                                                     \
            while (j >= low && values[j] > value) {                                                \
                values[j + 1] = values[j];                                                         \
                j--;                                                                               \
            }                                                                                      \
            values[j + 1] = value;                                                                 \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static inline void name(type *values, int64_t size) {                                          \
        int64_t waiting[KN_WAITING], waits = 0, low = 0, high = size - 1;                          \
        for (;;) {                                                                                 \
            while (high - low >= KN_SHORT_RUN) {                                                   \
                type pivot = name##_pivot(values, low, high);                                      \
                int64_t first = low, last = high;                                                  \
                while (first <= last) {                                                            \
                    while (values[first] < pivot) {                                                \
                        first++;                                                                   \
                    }                                                                              \
                    while (values[last] > pivot) {                                                 \
                        last--;                                                                    \
                    }                                                                              \
                    if (first <= last) {                                                           \
                        type swapped = values[first];                                              \
                        values[first++] = values[last];                                            \
                        values[last--] = swapped;                                                  \
                    }                                                                              \
                }                                                                                  \
                if (last - low > high - first) {                                                   \
                    waiting[waits++] = low;                                                        \
                    waiting[waits++] = last;                                                       \
                    low = first;                                                                   \
                } else {                                                                           \
                    waiting[waits++] = first;                                                      \
                    waiting[waits++] = high;                                                       \
                    high = last;                                                                   \
                }                                                                                  \
            }                                                                                      \
            name##_insert(values, low, high);                                                      \
            if (waits == 0) {                                                                      \
                return;                                                                            \
            }                                                                                      \
            high = waiting[--waits];                                                               \
            low = waiting[--waits];                                                                \
        }                                                                                          \
    }

KN_DEFINE_SORT(sort_i64, int64_t)
KN_DEFINE_SORT(sort_f64, double)

/* Return where the run of rising numbers that begins at a place ends. */
KN_INLINE int64_t end_of_run(const int32_t *values, int64_t begin, int64_t size) {
    int64_t end = min_i64(begin + 1, size);
    while (end < size && values[end - 1] <= values[end]) {
        end++;
    }
    return end;
}

/* Sort numbers by merging runs of them that rise. */
static inline void merge_runs_i32(int32_t *values, int32_t *spare, int64_t size) {
    while (end_of_run(values, 0, size) < size) {
        for (int64_t begin = 0, place = 0; begin < size; begin = place) {
            const int64_t middle = end_of_run(values, begin, size);
            const int64_t end = end_of_run(values, middle, size);
            int64_t one = begin, two = middle;
            while (place < end) {
                const bool first = one < middle && (two == end || values[one] <= values[two]);
                spare[place++] = values[first ? one++ : two++];
            }
        }
        memcpy(values, spare, (size_t)size * sizeof *values);
    }
}

/* Sort keys and move what belongs to them along, by merging; equal keys keep their order. */
static inline void sort_f64_with_i32(double *keys, int32_t *others, double *spare_keys,
                                     int32_t *spare_others, int64_t size) {
    for (int64_t run = 1; run < size; run *= 2) {
        for (int64_t begin = 0; begin < size; begin += 2 * run) {
            const int64_t middle = min_i64(begin + run, size), end = min_i64(middle + run, size);
            int64_t one = begin, two = middle;
            for (int64_t place = begin; place < end; place++) {
                const bool first = one < middle && (two == end || keys[one] <= keys[two]);
                const int64_t from = first ? one++ : two++;
                spare_keys[place] = keys[from];
                spare_others[place] = others[from];
            }
        }
        memcpy(keys, spare_keys, (size_t)size * sizeof *keys);
        memcpy(others, spare_others, (size_t)size * sizeof *others);
    }
}

#endif

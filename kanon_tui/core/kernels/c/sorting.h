/* Sorting numbers in place by quicksort, with insertion for short runs.
 *
 * Equal numbers cannot be told apart, so it does not matter that quicksort is not stable. None of
 * the values may be NaN. The shorter part is sorted first by a call, so that calls are never nested
 * more than 64 deep.
 */
#ifndef KANON_SORTING_H
#define KANON_SORTING_H

#include "kernel.h"

#define KN_SHORT_RUN 16

#define KN_DEFINE_SORT(name, type)                                                                 \
    static inline void name(type *values, int64_t size) {                                          \
        while (size > KN_SHORT_RUN) {                                                              \
            const type one = values[size / 4], two = values[size / 2];                             \
            const type three = values[size - 1 - size / 4]; /* inner: the run may be sorted */     \
            const type low = one < two ? one : two, high = one < two ? two : one;                  \
            const type pivot = three < low ? low : three < high ? three : high;                    \
            int64_t first = 0, last = size - 1;                                                    \
            while (first <= last) {                                                                \
                while (values[first] < pivot) {                                                    \
                    first++;                                                                       \
                }                                                                                  \
                while (values[last] > pivot) {                                                     \
                    last--;                                                                        \
                }                                                                                  \
                if (first <= last) {                                                               \
                    const type swapped = values[first];                                            \
                    values[first++] = values[last];                                                \
                    values[last--] = swapped;                                                      \
                }                                                                                  \
            }                                                                                      \
            const bool longer_ends = last + 1 < size - first;                                      \
            name(longer_ends ? values : values + first, longer_ends ? last + 1 : size - first);    \
            values += longer_ends ? first : 0;                                                     \
            size = longer_ends ? size - first : last + 1;                                          \
        }                                                                                          \
        for (int64_t i = 1; i < size; i++) {                                                       \
            const type value = values[i];                                                          \
            int64_t j = i;                                                                         \
            for (; j > 0 && values[j - 1] > value; j--) {                                          \
                values[j] = values[j - 1];                                                         \
            }                                                                                      \
            values[j] = value;                                                                     \
        }                                                                                          \
    }

KN_DEFINE_SORT(sort_i64, int64_t)
KN_DEFINE_SORT(sort_f64, double)
KN_DEFINE_SORT(sort_i32, int32_t)

#endif

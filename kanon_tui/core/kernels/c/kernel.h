/* Included by every kernel: the generated declarations and a few small helpers.
 *
 * Kernels take pointers and sizes, allocate nothing, keep no global state and call no Python.
 * They do one decision or a bounded batch per call. Two-dimensional arrays are flat, row by row:
 * element (i, j) of `table` is table[i * table_shape1 + j].
 */
#ifndef KANON_KERNEL_H
#define KANON_KERNEL_H

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "declarations.h"

#define KN_INLINE static inline __attribute__((always_inline))

/* Python's min(a, b) and max(a, b): the first unless the second is strictly beyond it. The order
 * of the arguments matters for NaN and -0.0; never fmin or fmax. */
#define KN_MIN(a, b) ((b) < (a) ? (b) : (a))
#define KN_MAX(a, b) ((b) > (a) ? (b) : (a))

/* Set a variable; the value of the expression is whether the variable changed. */
#define KN_SET(variable, to) ((variable) == (to) ? false : ((variable) = (to), true))

KN_INLINE int64_t abs_i64(int64_t a) {
    return a < 0 ? -a : a;
}
KN_INLINE int64_t min_i64(int64_t a, int64_t b) {
    return b < a ? b : a;
}
KN_INLINE int64_t max_i64(int64_t a, int64_t b) {
    return b > a ? b : a;
}
KN_INLINE double min_f64(double a, double b) {
    return b < a ? b : a;
}
KN_INLINE double max_f64(double a, double b) {
    return b > a ? b : a;
}

#endif

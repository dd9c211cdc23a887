/* Powers with the same bits on every machine.
 *
 * The last bit of libm's pow differs between C libraries, and the choice of a merge may depend on
 * it. This one uses +, -, *, / and exact scaling alone; its error is a few units of the last place.
 */
#ifndef KANON_POWER_H
#define KANON_POWER_H

#include "kernel.h"

#define LN_2 0x1.62e42fefa39efp-1
#define ONE_BY_LN_2 0x1.71547652b82fep+0
#define ROOT_OF_HALF 0x1.6a09e667f3bcdp-1
/* A product with it separates the upper 26 bits of a number. */
#define SPLITTER 134217729.0

/* Return c[0] + c[1] · x + c[2] · x² + … */
KN_INLINE double polynomial(const double *c, int terms, double x) {
    double sum = c[terms - 1];
    for (int i = terms - 2; i >= 0; i--) {
        sum = sum * x + c[i];
    }
    return sum;
}

/* Return the natural logarithm of m, for m from √½ to √2: 2 · atanh(s) = 2 · (s + s³/3 + s⁵/5 + …)
 * with |s| < 0.172. */
static inline double log_near_one(double m) {
    static const double c[] = {1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11, 1.0 / 13,
                               1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23};
    const double s = (m - 1.0) / (m + 1.0), square = s * s;
    return 2.0 * s + 2.0 * s * (square * polynomial(c, 11, square));
}

/* Return e raised to r, for |r| < 0.35, by its series. */
static inline double exp_near_zero(double r) {
    static const double c[] = {1.0 / 2,       1.0 / 6,        1.0 / 24,        1.0 / 120,
                               1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                               1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
    return 1.0 + (r + r * r * polynomial(c, 12, r));
}

/* Return x raised to y, for x >= 0 and 0 <= y <= 2. As x = m · 2^e, that is 2^(y·e + y·log2(m)).
 * The product y·e may be large, so its whole part is removed before anything is rounded: y is split
 * into two halves, whose products with e are exact. */
static inline double power(double x, double y) {
    if (y == 1.0) {
        return x;
    }
    if (y == 0.0) {
        return 1.0;
    }
    if (y == 2.0) {
        return x * x;
    }
    if (x == 0.0) {
        return 0.0;
    }
    int e;
    double m = frexp(x, &e);
    if (m < ROOT_OF_HALF) {
        m *= 2.0;
        e--;
    }
    const double scaled = y * SPLITTER, upper = scaled - (scaled - y), lower = y - upper;
    const double of_m = y * (log_near_one(m) * ONE_BY_LN_2);
    const double whole = floor(upper * e + (lower * e + of_m) + 0.5);
    const double rest = (upper * e - whole) + (lower * e + of_m);
    return ldexp(exp_near_zero(rest * LN_2), (int)whole);
}

#endif

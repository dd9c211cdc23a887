/* Near rows of every row, from orders in which near ones often stand close together. */
#include "boxes.h"
#include "kernel.h"

static bool is_known(const int32_t *near, int64_t most, int32_t row) {
    bool known = false;
    for (int64_t slot = 0; slot < most; slot++) {
        known |= near[slot] == row;
    }
    return known;
}

/* Insert a row among the nearest, which are sorted; the last one is dropped. */
static void insert(int32_t *near, double *away, int64_t most, int32_t row, double distance) {
    int64_t slot = most - 1;
    for (; slot > 0 && away[slot - 1] > distance; slot--) {
        near[slot] = near[slot - 1];
        away[slot] = away[slot - 1];
    }
    near[slot] = row;
    away[slot] = distance;
}

void kn_refining_look_along(const Attributes *attributes, const double *rates, int64_t rates_shape0,
                            const int32_t *rows, int64_t rows_shape0, int64_t rows_shape1,
                            const int32_t *order, int64_t order_shape0, int64_t reach,
                            int32_t *near, int64_t near_shape0, int64_t near_shape1, double *away,
                            int64_t away_shape0, int64_t away_shape1) {
    const int64_t most = near_shape1;
    (void)rates_shape0, (void)rows_shape0, (void)near_shape0, (void)away_shape0, (void)away_shape1;
    for (int64_t place = 0; place < order_shape0; place++) {
        const int32_t row = order[place];
        int32_t *own_near = near + row * most;
        double *own_away = away + row * most;
        const int64_t end = min_i64(place + reach + 1, order_shape0);
        for (int64_t i = max_i64(place - reach, 0); i < end; i++) {
            const int32_t other = order[i];
            if (other == row) {
                continue;
            }
            const double distance =
                pair_cost(attributes, rates, rows + row * rows_shape1, rows + other * rows_shape1);
            if (distance < own_away[most - 1] && !is_known(own_near, most, other)) {
                insert(own_near, own_away, most, other, distance);
            }
        }
    }
}

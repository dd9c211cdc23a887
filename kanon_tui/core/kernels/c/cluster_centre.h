/* The contingency table and the centre of a cluster; `cluster_centre.py` says what they are. */
#ifndef KANON_CLUSTER_CENTRE_H
#define KANON_CLUSTER_CENTRE_H

#include "kernel.h"

/* Let one record of a row leave the table (by = -1) or come back (by = 1). */
void count_record(const Contingency *table, int64_t row, int32_t by);

/* Put the centre on a row, which stands at a position of the tree, and measure from its values. */
void start_centre(const BoxTree *tree, int64_t position, const Contingency *table, int64_t row,
                  int64_t k, bool spatial, const Centre *centre);

/* Let a row take part in the centre: its numbers in the mean, its categories at distance 0. */
void add_to_centre(const BoxTree *tree, int64_t position, const Centre *centre);

#endif

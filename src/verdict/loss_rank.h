/* loss_rank.h - rows of view `findings` in their order: as findings ranks those of one source, here over several */
#ifndef VERDICT_LOSS_RANK_H
#define VERDICT_LOSS_RANK_H

#include "findings/finding.h"
#include "table/table.h"

/* A share of the table; below 0 where it is not known. */
double loss_share(const struct table *t, uint32_t row, const char *col);
enum gain_rank loss_gain_rank(const struct table *t, uint32_t row);
/* A run that failed, gains, what is lost at most, what gains nothing. */
bool loss_ranks_before(const struct table *t, uint32_t a, uint32_t b);

#endif

/*
 * labels.h - what pages of Nsight Compute print in the place of metrics: labels, scaled units, numbers with separators.
 */
#ifndef LOAD_NCU_LABELS_H
#define LOAD_NCU_LABELS_H

#include <stdbool.h>
#include <stddef.h>

/* The metric of a label in a section (by its display name); NULL: it is not known, or the label is a metric's name itself. */
const char *label_metric(const char *section, size_t section_n, const char *label, size_t n);
/* What a value of that unit is multiplied by to be in base units ("Kbyte": 1000); 1 for all others. */
double label_scale(const char *unit, size_t n);
/* A number, with commas between thousands or not; where both '.' and ',' stand in it, the last is the decimal point. */
bool label_number(const char *s, size_t n, double *v);

#endif

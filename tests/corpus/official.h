/* official.h - a profile against the tables that the vendor's own tool (nsys stats 2022.4) printed of the same database */
#ifndef TESTS_CORPUS_OFFICIAL_H
#define TESTS_CORPUS_OFFICIAL_H

/*
 * csv: files BASE.REPORT.csv or .csv.gz. For each one line, "REPORT ROWS DIFFERENCES FAULTS" (rows of theirs; those that agree only
 * because of a fault that is named in the comments above), behind TAP comments. 0 nothing differs, 1 something does, 2 could not read.
 */
int official_compare(const char *profile, char *const *csv, int n_csv);

#endif

/* cmd_report.h - what the report command and the explorer's R share */
#ifndef CMD_CMD_REPORT_H
#define CMD_CMD_REPORT_H

struct options;

enum { REPORT_FILES = 6 };

/* -o, or the default folder. */
const char *report_dir(const struct options *o);
/* Frees what report_write() returned; NULL is fine. */
void report_free_files(char **files);

#endif

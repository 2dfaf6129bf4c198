/* documents.c - the six documents in their order; what is in them stands in doc_*.c */
#include "report/section.h"

const struct document *const documents[] = {&doc_overview, &doc_methods,   &doc_gpu, &doc_cpu,
					    &doc_paths,	   &doc_breakdown, NULL};

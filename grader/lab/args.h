/* args.h: what a lab.json holds of data: structs, arguments of any type with how results are
 * compared, sets of values; and the lab's rival. Private to grader/lab. */
#ifndef GRADER_LAB_ARGS_H
#define GRADER_LAB_ARGS_H

#include "grader/lab/lab.h"
#include "grader/lab/reader.h"

/* "reference.cu", "my-check.cpp": a plain name of C++ source that lies beside lab.json. */
bool gr_is_source(const char *name);

/* The members "structs", "arguments", "values" and "check" of the document; the first
 * mistake is the reader's. */
void gr_args_read(gr_reader *r, gr_lab *lab, const gr_place *top);
/* For the sizes of a case: do all draws fit their arguments? */
bool gr_args_check_case(gr_reader *r, const gr_lab *lab, const gr_vars *sizes);
void gr_args_free(gr_lab *lab);

/* rival.c: the member "rival", of any lab, when its arguments are known; do its formulas work out
 * at these sizes? */
void gr_read_rival(gr_reader *r, gr_lab *lab, const gr_place *top);
bool gr_check_rival(gr_reader *r, const gr_lab *lab, const gr_vars *sizes);
void gr_free_rival(gr_lab *lab);

/* values.c: the member "values". */
void gr_args_read_values(gr_reader *r, gr_lab *lab, const gr_place *top);
void gr_args_free_values(gr_lab *lab);

#endif

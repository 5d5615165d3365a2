/* args.h: the data of a lab.json: structs, arguments and how their results are compared, sets of
 * values, and the lab's rival. Private to grader/lab. */
#pragma once

#include "grader/lab/lab.h"
#include "grader/lab/reader.h"

/* Returns true for a plain name of a C++ source beside lab.json: "reference.cu", "my-check.cpp". */
bool gr_is_source(const char *name);

/* Reads the members "structs", "arguments", "values" and "check". r notes the first mistake. */
void gr_args_read(gr_reader *r, gr_lab *lab, const gr_place *top);
/* Returns true if all draws fit their arguments at the sizes of a case. */
bool gr_args_check_case(gr_reader *r, const gr_lab *lab, const gr_vars *sizes);

/* read_rival.c: reads the member "rival" after the arguments, and checks its formulas at these
 * sizes. */
void gr_read_rival(gr_reader *r, gr_lab *lab, const gr_place *top);
bool gr_check_rival(gr_reader *r, const gr_lab *lab, const gr_vars *sizes);
void gr_free_rival(gr_lab *lab);

/* values.c: the member "values", and what it holds. */
void gr_args_read_values(gr_reader *r, gr_lab *lab, const gr_place *top);
void gr_args_free(gr_lab *lab);

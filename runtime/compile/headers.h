/* headers.h: the C headers that teaching code takes for granted (printf, malloc, memcpy, sqrtf,
 * assert). A cell has them without an #include, and so has the same code where it is graded,
 * compared or submitted. cuda_runtime.h brings half of them, so they cost no measurable time. */
#pragma once

#define WB_CELL_HEADERS                                                                            \
    "#include <assert.h>\n"                                                                        \
    "#include <math.h>\n"                                                                          \
    "#include <stddef.h>\n"                                                                        \
    "#include <stdio.h>\n"                                                                         \
    "#include <stdlib.h>\n"                                                                        \
    "#include <string.h>\n"

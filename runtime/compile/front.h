/* front.h: cells that the front end (runtime/frontend) compiles instead of nvcc. */
#ifndef WARPBOOK_COMPILE_FRONT_H
#define WARPBOOK_COMPILE_FRONT_H

#include "runtime/compile/compile.h"
#include "runtime/frontend/frontend.h"

/* Whether it may be asked: there is one, and nothing but nvcc's plain way to a library is wanted.
 */
bool wb_front_may(const wb_compile_spec *spec);

/* Makes `folder`/output and `folder`/inputs.d, and the result of a cell that compiles without a
 * word. False: it is nvcc's, and nothing is lost. */
bool wb_front_compile(const wb_compile_spec *spec, const char *folder, wb_compile_result *result);

#endif

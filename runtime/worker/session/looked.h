/* looked.h: which CUDA errors the program looked at. Private to this room. */
#ifndef WARPBOOK_SESSION_LOOKED_H
#define WARPBOOK_SESSION_LOOKED_H

#include "runtime/worker/session/state.h"

/* Decides whether the errors that CUDA calls returned are the cell's failure, and takes them out of
 * the outcome if they are not. An error counts as looked at if the text uses the result of the
 * call, or of a later cudaGetLastError(). Otherwise the outcome's error and frames become those of
 * the first call whose result the program dropped, and the report's "unchecked" is that call.
 *
 * A kernel's fault counts as looked at if, besides, the program asked for the error's name or text.
 * Without softgpu nothing changes, because a GPU does not say which call failed. Call this before
 * wb_tidy_outcome, which takes the paths of libraries away. */
void wb_looked(const wb_session *s, wb_outcome *o);

#endif

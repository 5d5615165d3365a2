/* looked.h: finds out which CUDA errors the program checked. Private to this room. */
#pragma once

#include "runtime/worker/session/state.h"

/* Decides if the errors that CUDA calls returned make the cell fail, and removes them from the
 * outcome if not. A program checked an error if its text uses the result of the call, or of a later
 * cudaGetLastError(). Otherwise the outcome's error and frames become those of the first call whose
 * result it dropped, and the report's "unchecked" is that call.
 *
 * A kernel's fault also requires that the program asked for the error's name or text. Without
 * softgpu nothing changes, because a GPU does not say which call failed. Call this before
 * wb_tidy_outcome, which removes the libraries' paths. */
void wb_looked(const wb_session *s, wb_outcome *o);

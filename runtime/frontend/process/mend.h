// mend.h: what is changed in a module before anything is optimised, so that it fits what nvcc
// makes.
#ifndef WARPBOOK_FRONTEND_MEND_H
#define WARPBOOK_FRONTEND_MEND_H

#include "llvm/IR/Module.h"

#include "runtime/frontend/process/judge.h"

namespace frontend {

// - A kernel of another cell is called what nvcc calls it: _Z21__device_stub__squarePfi becomes
// _Z6squarePfi.
// - Types are told in gcc's words.
// - A division's divisor is hidden from the optimiser: one by zero is an exception of the
// processor, as with gcc, and
//   not something undefined that may become anything.
void mend(llvm::Module &module, const Words &words);

} // namespace frontend

#endif

// gate.h: the files that the compiler may read, and the two where it stops and waits.
#ifndef WARPBOOK_FRONTEND_GATE_H
#define WARPBOOK_FRONTEND_GATE_H

#include <string>
#include <vector>

#include "llvm/Support/VirtualFileSystem.h"

namespace frontend {

// Headers that belong to the system and to our own installation, `folders`, may be read; of any
// other folder those that were read before the first stop. A cell that reads anything else is
// nvcc's: headers of the user's may change, and those of CUDA's libraries ask which compiler reads
// them.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> gate(std::vector<std::string> folders);

// What was read so far, each once.
std::vector<std::string> files_read();

} // namespace frontend

#endif

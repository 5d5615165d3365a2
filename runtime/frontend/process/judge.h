// judge.h: which cells the front end may compile, by what they declare.
#ifndef WARPBOOK_FRONTEND_JUDGE_H
#define WARPBOOK_FRONTEND_JUDGE_H

#include <map>
#include <memory>
#include <string>

#include "clang/AST/ASTConsumer.h"

namespace frontend {

// clang's words for a function (its __PRETTY_FUNCTION__), and gcc's.
using Words = std::map<std::string, std::string>;

// Looks at the finished unit before any code is made of it, and ends the process (leave) where it
// is nvcc's. Fills `words` for the functions that tell types.
std::unique_ptr<clang::ASTConsumer> judge(Words &words);

} // namespace frontend

#endif

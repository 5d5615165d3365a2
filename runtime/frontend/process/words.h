// words.h: types in gcc's words, which later cells are given as the types of variables, and people
// are shown.
#ifndef WARPBOOK_FRONTEND_WORDS_H
#define WARPBOOK_FRONTEND_WORDS_H

#include <string>

#include "clang/AST/ASTContext.h"

namespace frontend {

// As gcc 12's __PRETTY_FUNCTION__ spells the type; "" for types whose spelling is not known for
// certain.
std::string gcc_words(const clang::ASTContext &context, clang::QualType type);

} // namespace frontend

#endif

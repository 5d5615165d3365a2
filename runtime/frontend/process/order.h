// order.h: calls whose arguments' order shows. C++ leaves it open: gcc works them out from the last
// to the first, clang from the first to the last.
#ifndef WARPBOOK_FRONTEND_ORDER_H
#define WARPBOOK_FRONTEND_ORDER_H

#include <map>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

namespace frontend {

class Order {
  public:
    explicit Order(const clang::ASTContext &context) : context(context) {
    }
    // Whether one of the arguments may change what another reads or does, as far as that can be
    // seen.
    bool shows(llvm::ArrayRef<const clang::Expr *> arguments);

  private:
    // What working an expression out does, at most: nothing that another could notice, nothing but
    // look at what others may change, or change something.
    enum Effect { NOTHING, LOOKS, CHANGES };

    const clang::ASTContext &context;
    std::map<const clang::FunctionDecl *, Effect> known;

    Effect of(const clang::Stmt *statement);
    Effect of_children(const clang::Stmt *statement);
    Effect of_call(const clang::FunctionDecl *callee);
    Effect of_header(const clang::FunctionDecl *callee) const;
};

} // namespace frontend

#endif

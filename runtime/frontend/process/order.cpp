// order.cpp: see order.h.
#include "runtime/frontend/process/order.h"

#include <algorithm>
#include <set>
#include <string>

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"

namespace frontend {

using namespace clang;

namespace {

// The variable that an assignment changes is the function's own: nobody else sees it.
bool is_own_variable(const Expr *target) {
    for (target = target->IgnoreParenImpCasts();;) {
        if (const auto *member = dyn_cast<MemberExpr>(target)) {
            if (member->isArrow())
                return false;
            target = member->getBase()->IgnoreParenImpCasts();
        } else if (const auto *element = dyn_cast<ArraySubscriptExpr>(target)) {
            target = element->getBase()->IgnoreParenImpCasts();
            if (!target->getType()->isArrayType())
                return false;
        } else {
            break;
        }
    }
    const auto *reference = dyn_cast<DeclRefExpr>(target);
    const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    return variable && variable->hasLocalStorage() && !variable->getType()->isReferenceType() &&
           !reference->refersToEnclosingVariableOrCapture();
}

} // namespace

bool Order::shows(ArrayRef<const Expr *> arguments) {
    size_t looks = 0;
    bool changes = false;
    for (const Expr *argument : arguments) {
        Effect effect = of(argument);
        looks += effect != NOTHING;
        looks += effect == CHANGES && isa<PackExpansionExpr>(argument);
        changes |= effect == CHANGES;
    }
    return changes && looks > 1;
}

Order::Effect Order::of_children(const Stmt *statement) {
    Effect effect = NOTHING;
    for (const Stmt *child : statement->children())
        effect = std::max(effect, child ? of(child) : NOTHING);
    return effect;
}

Order::Effect Order::of(const Stmt *statement) {
    if (isa<LambdaExpr>(statement))
        return LOOKS;
    Effect inner = of_children(statement);
    if (const auto *cast = dyn_cast<ImplicitCastExpr>(statement)) {
        if (cast->getCastKind() == CK_LValueToRValue &&
            !cast->getSubExpr()->getType().isConstQualified())
            return std::max(inner, LOOKS);
    } else if (const auto *one = dyn_cast<UnaryOperator>(statement)) {
        if (one->isIncrementDecrementOp())
            return is_own_variable(one->getSubExpr()) ? std::max(inner, LOOKS) : CHANGES;
    } else if (const auto *two = dyn_cast<BinaryOperator>(statement)) {
        if (two->isAssignmentOp())
            return is_own_variable(two->getLHS()) ? std::max(inner, LOOKS) : CHANGES;
    } else if (const auto *call = dyn_cast<CallExpr>(statement)) {
        const FunctionDecl *callee = call->getDirectCallee();
        return std::max(inner, callee ? of_call(callee) : CHANGES);
    } else if (const auto *make = dyn_cast<CXXConstructExpr>(statement)) {
        return std::max(inner, of_call(make->getConstructor()));
    } else if (isa<CXXNewExpr>(statement) || isa<CXXDeleteExpr>(statement) ||
               isa<AsmStmt>(statement) || isa<CXXUnresolvedConstructExpr>(statement) ||
               isa<CXXDependentScopeMemberExpr>(statement)) {
        return CHANGES;
    }
    return inner;
}

// A function of the library's: what only looks, by what it promises or by its name.
Order::Effect Order::of_header(const FunctionDecl *callee) const {
    static const std::set<std::string> names = {
        "abs",       "acos",      "asin",  "at",      "atan",  "atan2", "back", "begin", "c_str",
        "cbrt",      "ceil",      "cos",   "data",    "end",   "exp",   "exp2", "fabs",  "floor",
        "fma",       "fmax",      "fmin",  "fmod",    "front", "get",   "log",  "log10", "log2",
        "make_pair", "max",       "min",   "pow",     "round", "sin",   "size", "sqrt",  "sqrtf",
        "tan",       "to_string", "trunc", "forward", "cosf",  "sinf",  "expf", "powf",  "fabsf"};
    if (unsigned id = callee->getBuiltinID())
        if (context.BuiltinInfo.isConst(id) || context.BuiltinInfo.isPure(id) ||
            context.BuiltinInfo.isConstWithoutErrnoAndExceptions(id))
            return LOOKS;
    if (!context.getSourceManager().isInSystemHeader(callee->getLocation()))
        return CHANGES;
    if (callee->getIdentifier())
        if (names.count(callee->getName().str()))
            return LOOKS;
    const auto *method = dyn_cast<CXXMethodDecl>(callee);
    if (!method)
        return CHANGES;
    bool map =
        method->getParent()->getIdentifier() && method->getParent()->getName().contains("map");
    if (callee->getOverloadedOperator() == OO_Subscript && !map)
        return LOOKS;
    // std::function's operator() is const and calls anything.
    return method->isConst() && callee->getOverloadedOperator() != OO_Call ? LOOKS
           : isa<CXXConstructorDecl>(method)                               ? LOOKS
                                                                           : CHANGES;
}

Order::Effect Order::of_call(const FunctionDecl *callee) {
    auto [at, fresh] = known.try_emplace(callee, CHANGES); // one that calls itself
    if (!fresh)
        return at->second;
    const FunctionDecl *definition = nullptr;
    Effect effect = CHANGES;
    if (isa<CXXConstructorDecl>(callee) && (callee->isDefaulted() || callee->isTrivial()))
        effect = LOOKS;
    else if (context.getSourceManager().isInSystemHeader(callee->getLocation()) ||
             callee->getBuiltinID())
        effect = of_header(callee);
    else if (callee->hasBody(definition) && !isa<CXXConstructorDecl>(callee))
        effect = std::max(of(definition->getBody()), LOOKS);
    return known[callee] = effect;
}

} // namespace frontend

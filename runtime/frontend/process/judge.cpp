// judge.cpp: see judge.h.
#include "runtime/frontend/process/judge.h"

#include "clang/AST/Attr.h"
#include "clang/AST/Expr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"

#include "runtime/frontend/process/order.h"
#include "runtime/frontend/process/prefix.h"
#include "runtime/frontend/process/serve.h"
#include "runtime/frontend/process/words.h"

namespace frontend {

namespace {

using namespace clang;

template <class A> bool is_written(const Decl *decl) {
    for (const auto *attribute : decl->specific_attrs<A>())
        if (!attribute->isImplicit())
            return true;
    return false;
}

class Visitor : public RecursiveASTVisitor<Visitor> {
  public:
    explicit Visitor(const ASTContext &context)
        : sources(context.getSourceManager()), own("cell [" + job().id + "]"), order(context) {
    }

    bool VisitFunctionDecl(FunctionDecl *f) {
        bool made = f->isThisDeclarationADefinition() || f->getDescribedFunctionTemplate();
        if (f->hasAttr<CUDAGlobalAttr>() && made)
            leave("it has a kernel");
        if (made && is_written<CUDADeviceAttr>(f) && is_own(f->getLocation()))
            leave("it has device code");
        return true;
    }
    bool VisitVarDecl(VarDecl *v) {
        if (v->hasAttr<CUDADeviceAttr>() || v->hasAttr<CUDAConstantAttr>() ||
            v->hasAttr<CUDASharedAttr>() || v->hasAttr<HIPManagedAttr>())
            if (!v->getType().isConstQualified() || is_written<CUDADeviceAttr>(v))
                leave("it has a variable of the device");
        if (v->getTLSKind() != VarDecl::TLS_None)
            leave("it has a variable of each thread");
        if (is_shared(v) && v->hasInit() && !is_constant(v))
            leave("it has a static variable with an initialiser that has to run");
        if (v->isFileVarDecl() && is_function_too(v))
            leave("it has a variable of a function's name");
        if (isa<DecompositionDecl>(v) && v->hasGlobalStorage())
            leave("it has a structured binding that later cells may use");
        return true;
    }
    bool VisitCallExpr(CallExpr *call) {
        bool ordered = false; // by C++17
        if (const auto *sign = dyn_cast<CXXOperatorCallExpr>(call))
            ordered = sign->getOperator() == OO_LessLess ||
                      sign->getOperator() == OO_GreaterGreater ||
                      sign->getOperator() == OO_Subscript || sign->getOperator() == OO_Comma ||
                      sign->isAssignmentOp();
        if (!ordered)
            check_order(call->getArgs(), call->getNumArgs());
        return true;
    }
    bool VisitCXXConstructExpr(CXXConstructExpr *made) {
        if (!made->isListInitialization())
            check_order(made->getArgs(), made->getNumArgs());
        return true;
    }
    bool VisitCXXUnresolvedConstructExpr(CXXUnresolvedConstructExpr *made) {
        std::vector<Expr *> all(made->arg_begin(), made->arg_end());
        if (!made->isListInitialization())
            check_order(all.data(), all.size());
        return true;
    }
    bool VisitLambdaExpr(LambdaExpr *lambda) {
        const CXXMethodDecl *call = lambda->getCallOperator();
        if (is_written<CUDADeviceAttr>(call) || is_written<CUDAHostAttr>(call))
            leave("it has a lambda for the device");
        return true;
    }
    bool VisitFileScopeAsmDecl(FileScopeAsmDecl *) {
        leave("it has assembler");
    }
    bool VisitGCCAsmStmt(GCCAsmStmt *a) {
        if (is_own(a->getBeginLoc()))
            leave("it has assembler");
        return true;
    }

    // A declaration of the unit's text, whatever #line says of it, not of a header that is read.
    bool is_mine(SourceLocation at) const {
        return sources.getFilename(sources.getExpansionLoc(at)).starts_with(WB_STOPS);
    }

  private:
    const SourceManager &sources;
    std::string own;
    Order order;

    void check_order(Expr *const *arguments, size_t n) {
        std::vector<const Expr *> all(arguments, arguments + n);
        if (n > 1 && order.shows(all))
            leave("it has a call whose arguments' order may show");
    }

    // Whether cells that repeat the text share the variable (runtime/cells/live/statics.c). gcc
    // works some initialisers out beforehand that clang runs once, behind a guard (sqrt(2.0)): of
    // the two, one would undo what the other has made of it.
    static bool is_shared(const VarDecl *v) {
        const DeclContext *in = v->getDeclContext();
        if (const auto *function = dyn_cast<FunctionDecl>(in))
            return v->isStaticLocal() &&
                   (function->isExternallyVisible() || in->isDependentContext());
        return v->isStaticDataMember() || v->isInline() || v->getDescribedVarTemplate();
    }
    static bool is_constant(const VarDecl *v) {
        const Expr *start = v->getAnyInitializer();
        return !start->isValueDependent() && !start->isTypeDependent() &&
               !start->containsErrors() &&
               start->isConstantInitializer(v->getASTContext(), v->getType()->isReferenceType());
    }

    // A function of C's headers, say: nvcc's headers use some of them behind the cell's text.
    static bool is_function_too(const VarDecl *v) {
        for (const NamedDecl *other :
             v->getASTContext().getTranslationUnitDecl()->lookup(v->getDeclName()))
            if (isa<FunctionDecl>(other->getUnderlyingDecl()) ||
                isa<FunctionTemplateDecl>(other->getUnderlyingDecl()))
                return true;
        return false;
    }

    // New in this cell: its own text, or that of a header of the user's, which may be repeated and
    // may not.
    bool is_own(SourceLocation at) const {
        PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(at));
        StringRef file = place.isValid() ? place.getFilename() : "";
        return file == own || !(file.starts_with("cell [") || file == "warpbook");
    }
};

class Judge : public ASTConsumer {
  public:
    explicit Judge(Words &words) : words(words) {
    }

    void HandleTranslationUnit(ASTContext &context) override {
        if (context.getDiagnostics().hasErrorOccurred())
            return;
        Visitor visitor(context);
        for (Decl *decl : context.getTranslationUnitDecl()->decls())
            if (visitor.is_mine(decl->getLocation()))
                visitor.TraverseDecl(decl);
        for (Decl *decl : context.getTranslationUnitDecl()->decls())
            find_words(context, decl);
    }

  private:
    Words &words;

    // __wb_type<N, T>() and wb::show::put_type<T>().
    void find_words(ASTContext &context, Decl *decl) {
        if (auto *space = dyn_cast<NamespaceDecl>(decl)) {
            if (space->getName() == "wb" || space->getName() == "show")
                for (Decl *inner : space->decls())
                    find_words(context, inner);
            return;
        }
        auto *function = dyn_cast<FunctionTemplateDecl>(decl);
        std::string name = function && function->getIdentifier() ? function->getName().str() : "";
        if (name != "__wb_type" && name != "put_type")
            return;
        for (FunctionDecl *made : function->specializations())
            if (made->isDefined())
                add(context, made, name == "__wb_type");
    }

    void add(ASTContext &context, const FunctionDecl *made, bool numbered) {
        const TemplateArgumentList *arguments = made->getTemplateSpecializationArgs();
        std::string type = gcc_words(context, arguments->get(numbered).getAsType());
        if (type.empty())
            leave("it has a variable or a value of type " +
                  arguments->get(numbered).getAsType().getAsString());
        std::string theirs = PredefinedExpr::ComputeName(PredefinedIdentKind::PrettyFunction, made);
        words[theirs] = numbered
                            ? "constexpr const char* __wb_type() [with int WbN = " +
                                  std::to_string(arguments->get(0).getAsIntegral().getExtValue()) +
                                  "; WbT = " + type + "]"
                            : "void wb::show::put_type() [with WbT = " + type + "]";
    }
};

} // namespace

std::unique_ptr<ASTConsumer> judge(Words &words) {
    return std::make_unique<Judge>(words);
}

} // namespace frontend

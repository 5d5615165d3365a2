// words.cpp: see words.h. Compared with g++ by tests/frontend.
#include "runtime/frontend/process/words.h"

#include "clang/AST/Decl.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Type.h"

namespace frontend {

namespace {

using namespace clang;

// What stands before and behind the declarator: "int (*" and ")(float)".
struct Halves {
    std::string before, behind;
    bool ok = true;
};

const char *builtin(const BuiltinType *type) {
    switch (type->getKind()) {
    case BuiltinType::Void:
        return "void";
    case BuiltinType::Bool:
        return "bool";
    case BuiltinType::Char_S:
        return "char";
    case BuiltinType::SChar:
        return "signed char";
    case BuiltinType::UChar:
        return "unsigned char";
    case BuiltinType::WChar_S:
        return "wchar_t";
    case BuiltinType::Char16:
        return "char16_t";
    case BuiltinType::Char32:
        return "char32_t";
    case BuiltinType::Short:
        return "short int";
    case BuiltinType::UShort:
        return "short unsigned int";
    case BuiltinType::Int:
        return "int";
    case BuiltinType::UInt:
        return "unsigned int";
    case BuiltinType::Long:
        return "long int";
    case BuiltinType::ULong:
        return "long unsigned int";
    case BuiltinType::LongLong:
        return "long long int";
    case BuiltinType::ULongLong:
        return "long long unsigned int";
    case BuiltinType::Float:
        return "float";
    case BuiltinType::Double:
        return "double";
    case BuiltinType::LongDouble:
        return "long double";
    default:
        return nullptr;
    }
}

class Speller {
  public:
    explicit Speller(const ASTContext &context) : context(context) {
    }

    std::string whole(QualType type) {
        Halves h = halves(type);
        return h.ok ? h.before + h.behind : "";
    }

  private:
    const ASTContext &context;

    static Halves unknown() {
        return {"", "", false};
    }

    static std::string qualifiers(QualType type) {
        std::string words = type.isConstQualified() ? "const" : "";
        if (type.isVolatileQualified())
            words += words.empty() ? "volatile" : " volatile";
        return words;
    }

    Halves halves(QualType type) {
        type = type.getCanonicalType();
        if (type.isRestrictQualified() || type.hasAddressSpace())
            return unknown();
        if (const auto *array = context.getAsConstantArrayType(type))
            return bounded(array);
        std::string words = qualifiers(type);
        const Type *bare = type.getTypePtr();
        if (const auto *pointer = dyn_cast<PointerType>(bare))
            return indirect(pointer->getPointeeType(), "*", words);
        if (const auto *reference = dyn_cast<LValueReferenceType>(bare))
            return indirect(reference->getPointeeType(), "&", words);
        if (const auto *reference = dyn_cast<RValueReferenceType>(bare))
            return indirect(reference->getPointeeType(), "&&", words);
        std::string name;
        if (const auto *b = dyn_cast<BuiltinType>(bare))
            name = builtin(b) ? builtin(b) : "";
        else if (const auto *tag = dyn_cast<TagType>(bare))
            name = of_tag(tag->getDecl());
        else if (const auto *function = dyn_cast<FunctionProtoType>(bare))
            return words.empty() ? call(function) : unknown();
        if (name.empty())
            return unknown();
        return {words.empty() ? name : words + " " + name, "", true};
    }

    Halves bounded(const ConstantArrayType *array) {
        Halves h = halves(array->getElementType());
        std::string bound = "[" + std::to_string(array->getSize().getZExtValue()) + "]";
        bool inner = !h.behind.empty();
        if (inner && h.behind[0] != ' ')
            return unknown();
        h.behind = " " + bound + (inner ? h.behind.substr(1) : "");
        return h;
    }

    Halves indirect(QualType to, const char *mark, const std::string &words) {
        Halves h = halves(to);
        bool group = to->isArrayType() || to->isFunctionType();
        h.before += group ? std::string(to->isArrayType() ? " (" : " (") + mark : mark;
        if (!words.empty())
            h.before += " " + words;
        if (group)
            h.behind = ")" + (to->isArrayType() ? h.behind.substr(1) : h.behind);
        return h;
    }

    Halves call(const FunctionProtoType *function) {
        Halves h = halves(function->getReturnType());
        if (function->isVariadic() || !function->getMethodQuals().empty() ||
            function->getRefQualifier() != RQ_None || function->hasNoexceptExceptionSpec() ||
            !h.behind.empty())
            return unknown();
        std::string list;
        for (QualType parameter : function->getParamTypes()) {
            std::string one = whole(parameter);
            h.ok &= !one.empty();
            list += (list.empty() ? "" : ", ") + one;
        }
        h.behind = "(" + list + ")";
        return h;
    }

    std::string of_tag(const TagDecl *tag) {
        std::string scope = of_scope(tag->getDeclContext());
        if (scope == "?" || !tag->getIdentifier() || tag->getDescribedTemplate())
            return "";
        std::string name = scope + tag->getName().str();
        if (const auto *special = dyn_cast<ClassTemplateSpecializationDecl>(tag)) {
            std::string list = arguments(special);
            if (list.empty())
                return "";
            name += list;
        }
        return name;
    }

    // "std::__cxx11::", or "?" for a scope that has no name elsewhere.
    std::string of_scope(const DeclContext *in) {
        if (in->isTranslationUnit())
            return "";
        if (isa<LinkageSpecDecl>(in))
            return of_scope(in->getParent());
        if (const auto *space = dyn_cast<NamespaceDecl>(in)) {
            std::string outer = of_scope(space->getDeclContext());
            return space->isAnonymousNamespace() || outer == "?"
                       ? "?"
                       : outer + space->getName().str() + "::";
        }
        if (const auto *record = dyn_cast<CXXRecordDecl>(in)) {
            std::string outer = of_tag(record);
            return outer.empty() ? "?" : outer + "::";
        }
        return "?";
    }

    std::string arguments(const ClassTemplateSpecializationDecl *special) {
        const TemplateParameterList *parameters =
            special->getSpecializedTemplate()->getTemplateParameters();
        ArrayRef<TemplateArgument> all = special->getTemplateArgs().asArray();
        size_t n = all.size();
        while (n > 0 && n <= parameters->size() &&
               isSubstitutedDefaultArgument(const_cast<ASTContext &>(context), all[n - 1],
                                            parameters->getParam(unsigned(n - 1)), all,
                                            parameters->getDepth()))
            n--;
        std::string list;
        for (const TemplateArgument &argument : all.take_front(n))
            if (!add(list, argument))
                return "";
        if (list.empty())
            return all.empty() || n > 0 ? "" : "<>";
        return "<" + list + (list.back() == '>' ? " >" : ">");
    }

    bool add(std::string &list, const TemplateArgument &argument) {
        std::string word;
        if (argument.getKind() == TemplateArgument::Pack) {
            for (const TemplateArgument &one : argument.pack_elements())
                if (!add(list, one))
                    return false;
            return true;
        }
        if (argument.getKind() == TemplateArgument::Type)
            word = whole(argument.getAsType());
        else if (argument.getKind() == TemplateArgument::Integral)
            word = number(argument);
        list += (list.empty() ? "" : ", ") + word;
        return !word.empty();
    }

    static std::string number(const TemplateArgument &argument) {
        QualType type = argument.getIntegralType();
        if (type->isBooleanType())
            return argument.getAsIntegral().getBoolValue() ? "true" : "false";
        if (type->isAnyCharacterType() || type->isEnumeralType())
            return "";
        llvm::SmallString<40> digits;
        argument.getAsIntegral().toString(digits, 10);
        return digits.str().str();
    }
};

} // namespace

std::string gcc_words(const ASTContext &context, QualType type) {
    return Speller(context).whole(type);
}

} // namespace frontend

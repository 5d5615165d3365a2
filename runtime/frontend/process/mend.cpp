// mend.cpp: see mend.h.
#include "runtime/frontend/process/mend.h"

#include <cctype>
#include <cstdlib>
#include <vector>

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

namespace frontend {

namespace {

using namespace llvm;

// "_ZN1a21__device_stub__squareEPfi": "_ZN1a6squareEPfi"; "" for other names.
std::string kernel_of(StringRef stub) {
    static const char mark[] = "__device_stub__";
    size_t at = stub.find(mark), digits = at;
    if (at == StringRef::npos)
        return "";
    while (digits > 0 && isdigit(static_cast<unsigned char>(stub[digits - 1])))
        digits--;
    long length = std::strtol(stub.substr(digits, at - digits).str().c_str(), nullptr, 10);
    long left = length - long(sizeof mark - 1);
    if (digits == at || left <= 0)
        return digits == at ? stub.substr(at + sizeof mark - 1).str() : ""; // extern "C"
    return (stub.substr(0, digits) + std::to_string(left) + stub.substr(at + sizeof mark - 1))
        .str();
}

void rename_kernels(Module &module) {
    for (Function &function : module) {
        std::string name = kernel_of(function.getName());
        if (name.empty())
            continue;
        if (GlobalValue *there = module.getNamedValue(name))
            function.replaceAllUsesWith(there);
        else
            function.setName(name);
    }
}

void tell_types(Module &module, const Words &words) {
    std::vector<GlobalVariable *> all;
    for (GlobalVariable &variable : module.globals())
        if (variable.isConstant() && variable.hasInitializer() && variable.hasPrivateLinkage())
            all.push_back(&variable);
    for (GlobalVariable *variable : all) {
        auto *text = dyn_cast<ConstantDataArray>(variable->getInitializer());
        auto found =
            text && text->isCString() ? words.find(text->getAsCString().str()) : words.end();
        if (found == words.end())
            continue;
        Constant *told = ConstantDataArray::getString(module.getContext(), found->second);
        auto *better =
            new GlobalVariable(module, told->getType(), true, GlobalValue::PrivateLinkage, told);
        better->setAlignment(Align(1));
        better->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
        variable->replaceAllUsesWith(better);
        variable->eraseFromParent();
    }
}

bool divides(const Instruction &instruction) {
    switch (instruction.getOpcode()) {
    case Instruction::SDiv:
    case Instruction::UDiv:
    case Instruction::SRem:
    case Instruction::URem:
        return true;
    default:
        return false;
    }
}

void hide_divisor(Instruction &division) {
    Value *divisor = division.getOperand(1);
    auto *known = dyn_cast<ConstantInt>(divisor);
    Type *type = divisor->getType();
    if ((known && !known->isZero()) || !type->isIntegerTy() || type->getIntegerBitWidth() > 64)
        return;
    IRBuilder<> builder(&division);
    auto *asm_type = FunctionType::get(type, {type}, false);
    auto *as_it_is = InlineAsm::get(asm_type, "", "=r,0,~{dirflag},~{fpsr},~{flags}", false);
    division.setOperand(1, builder.CreateCall(asm_type, as_it_is, {divisor}));
}

} // namespace

void mend(Module &module, const Words &words) {
    rename_kernels(module);
    tell_types(module, words);
    for (Function &function : module)
        for (BasicBlock &block : function)
            for (Instruction &instruction : block)
                if (divides(instruction))
                    hide_divisor(instruction);
}

} // namespace frontend

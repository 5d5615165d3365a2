// main.cpp: the front end's process: warpbook-frontend CUDA_INCLUDE OUR_INCLUDE STAND_INS
// [OPTION...], connected to who asks by its descriptor 0. Sets the compiler up, has it read what
// every cell begins with, and waits (serve.h). What goes on from there is one ordinary compilation:
// nothing of it outlives its cell.
#include <cstdio>
#include <fstream>

#include "clang/Basic/TargetInfo.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Driver/Job.h"
#include "clang/Driver/Tool.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

#include "runtime/compile/headers.h"
#include "runtime/frontend/process/gate.h"
#include "runtime/frontend/process/judge.h"
#include "runtime/frontend/process/mend.h"
#include "runtime/frontend/process/prefix.h"
#include "runtime/frontend/process/serve.h"

namespace frontend {

namespace {

constexpr char preamble[] =
    "#line 1 \"warpbook\"\n" WB_CELL_HEADERS "#include \"warpbook_cell.h\"\n";
using Object = llvm::SmallVector<char, 0>;

constexpr char unit_name[] = "cell.cu";

// The first word of any kind is the cell's end: what there is to say, nvcc says.
class Ear : public clang::DiagnosticConsumer {
  public:
    clang::DiagnosticsEngine::Level heard = clang::DiagnosticsEngine::Error; // from this level on

    void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                          const clang::Diagnostic &what) override {
        if (level < heard)
            return;
        llvm::SmallString<200> text;
        what.FormatDiagnostic(text);
        std::string where;
        if (what.hasSourceManager() && what.getLocation().isValid())
            where = " (" + what.getLocation().printToString(what.getSourceManager()) + ")";
        leave("it is to be told: " + text.str().str() + where);
    }
};

class Mend : public llvm::PassInfoMixin<Mend> {
  public:
    explicit Mend(const Words &words) : words(words) {
    }
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
        mend(module, words);
        return llvm::PreservedAnalyses::none();
    }
    static bool isRequired() {
        return true;
    }

  private:
    const Words &words;
};

// Behind the one that makes the object: writes it and ends the process, which has nothing to tidy
// up.
class Finish : public clang::ASTConsumer {
  public:
    explicit Finish(const Object &object) : object(object) {
    }
    void HandleTranslationUnit(clang::ASTContext &context) override {
        if (context.getDiagnostics().hasErrorOccurred() || job().answer < 0)
            return;
        std::ofstream out(job().object, std::ios::binary);
        out.write(object.data(), std::streamsize(object.size()));
        out.close();
        if (!out)
            leave("its object can't be written");
        made(files_read());
    }

  private:
    const Object &object;
};

class Action : public clang::EmitObjAction {
  public:
    Action(Words &words, const Object &object) : words(words), object(object) {
    }
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                          llvm::StringRef file) override {
        std::vector<std::unique_ptr<clang::ASTConsumer>> all;
        all.push_back(judge(words));
        all.push_back(clang::EmitObjAction::CreateASTConsumer(compiler, file));
        all.push_back(std::make_unique<Finish>(object));
        return std::make_unique<clang::MultiplexConsumer>(std::move(all));
    }

  private:
    Words &words;
    const Object &object;
};

// What is like nvcc's gcc here, and where gcc takes code as it stands while clang may take it for
// undefined. Warnings are on so that cells of which nvcc might have something to say are left to
// it.
const char *const options[] = {"-std=c++17",
                               "-O2",
                               "-g1",
                               "-gdwarf-4",
                               "-fPIC",
                               "-fsemantic-interposition",
                               "-fno-delete-null-pointer-checks",
                               "-fno-finite-loops",
                               "-fno-strict-aliasing",
                               "-fwrapv",
                               "-ffp-contract=off",
                               "-fno-addrsig",
                               "-ftrivial-auto-var-init=zero",
                               "-fno-builtin-malloc",
                               "-fno-builtin-calloc",
                               "-fno-builtin-realloc",
                               "-fno-builtin-free",
                               "-Wall",
                               "-Wextra",
                               "-Wno-sign-compare",
                               "-Wno-unused-parameter",
                               "-Wno-missing-field-initializers",
                               "-Wno-unused-const-variable",
                               "-Wno-unused-function",
                               "-Wno-unknown-cuda-version",
                               "-Wunreachable-code",
                               "-Wno-unused-value"};

std::shared_ptr<clang::CompilerInvocation> invocation(int argc, char **argv,
                                                      clang::DiagnosticsEngine &diagnostics) {
    std::string cuda = std::string("--cuda-path=") + argv[1] + "/..",
                ours = std::string("-I") + argv[2];
    std::string stand_ins = std::string("-I") + argv[3];
    std::vector<const char *> words = {WB_CLANG,           "-x",         "cuda",
                                       "--cuda-host-only", cuda.c_str(), ours.c_str(),
                                       stand_ins.c_str(),  "-include",   "frontend_host.h"};
    words.insert(words.end(), std::begin(options), std::end(options));
    words.insert(words.end(), argv + 4, argv + argc);
    words.insert(words.end(), {"-c", unit_name});
    clang::driver::Driver driver(WB_CLANG, llvm::sys::getDefaultTargetTriple(), diagnostics);
    driver.setCheckInputsExist(false);
    std::unique_ptr<clang::driver::Compilation> plan(driver.BuildCompilation(words));
    auto made = std::make_shared<clang::CompilerInvocation>();
    if (!plan || plan->getJobs().size() != 1 ||
        !clang::CompilerInvocation::CreateFromArgs(*made, plan->getJobs().begin()->getArguments(),
                                                   diagnostics))
        leave("the compiler can't be set up");
    return made;
}

[[noreturn]] void run(int argc, char **argv) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    serve_begin(0, preamble);

    Ear ear;
    clang::CompilerInstance compiler;
    compiler.createDiagnostics(&ear, false);
    compiler.setInvocation(invocation(argc, argv, compiler.getDiagnostics()));
    compiler.createDiagnostics(&ear, false);
    ear.heard = clang::DiagnosticsEngine::Warning;
    Words words;
    compiler.getCodeGenOpts().PassBuilderCallbacks.push_back([&words](llvm::PassBuilder &builder) {
        builder.registerPipelineStartEPCallback(
            [&words](llvm::ModulePassManager &passes, llvm::OptimizationLevel) {
                passes.addPass(Mend(words));
            });
    });
    std::string text = std::string(preamble) + "#include \"" WB_STOP_0 "\"\n";
    compiler.getPreprocessorOpts().addRemappedFile(
        unit_name, llvm::MemoryBuffer::getMemBufferCopy(text, unit_name).release());
    compiler.setFileManager(new clang::FileManager(
        compiler.getFileSystemOpts(),
        gate({"/usr/include/", "/usr/lib/gcc/", "/usr/lib/llvm-", argv[2], argv[3]})));
    compiler.getCodeGenOpts().ClearASTBeforeBackend =
        false; // it would be written to, and so copied
    Object object;
    compiler.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(object));
    Action action(words, object);
    compiler.ExecuteAction(action);
    leave("it does not compile");
}

} // namespace

} // namespace frontend

int main(int argc, char **argv) {
    if (argc < 4) {
        std::fprintf(stderr, "warpbook-frontend is started by warpbook\n");
        return 2;
    }
    frontend::run(argc, argv);
}

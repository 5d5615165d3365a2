// gate.cpp: see gate.h.
#include "runtime/frontend/process/gate.h"

#include <set>

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include "runtime/frontend/process/prefix.h"
#include "runtime/frontend/process/serve.h"

namespace frontend {

namespace {

std::set<std::string> opened;
bool stopped_once;

// A file made of a text.
class Text : public llvm::vfs::File {
  public:
    Text(const std::string &path, std::string content)
        : content(std::move(content)),
          about(path, llvm::vfs::getNextVirtualUniqueID(), {}, 0, 0, this->content.size(),
                llvm::sys::fs::file_type::regular_file, llvm::sys::fs::owner_read) {
    }
    llvm::ErrorOr<llvm::vfs::Status> status() override {
        return about;
    }
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine &name, int64_t,
                                                                 bool, bool) override {
        return llvm::MemoryBuffer::getMemBufferCopy(content, name);
    }
    std::error_code close() override {
        return {};
    }

  private:
    std::string content;
    llvm::vfs::Status about;
};

class Gate : public llvm::vfs::ProxyFileSystem {
  public:
    explicit Gate(std::vector<std::string> folders)
        : ProxyFileSystem(llvm::vfs::getRealFileSystem()), folders(std::move(folders)) {
    }

    // The folder of the stops is there as soon as somebody asks.
    llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &name) override {
        std::string path = name.str();
        if (path == WB_STOPS)
            return llvm::vfs::Status(path, llvm::vfs::getNextVirtualUniqueID(), {}, 0, 0, 0,
                                     llvm::sys::fs::file_type::directory_file,
                                     llvm::sys::fs::all_read);
        return ProxyFileSystem::status(name);
    }

    llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
    openFileForRead(const llvm::Twine &name) override {
        std::string path = name.str();
        if (path == WB_STOP_0 || path == WB_STOP_1) {
            stopped_once = true;
            std::string text = wait_for_text(path == WB_STOP_1);
            return std::unique_ptr<llvm::vfs::File>(new Text(path, std::move(text)));
        }
        auto file = ProxyFileSystem::openFileForRead(name);
        if (file) {
            auto about = (*file)->status();
            if (about && !about->isDirectory())
                check(path);
        }
        return file;
    }

  private:
    std::vector<std::string> folders;

    void check(const std::string &given) {
        llvm::SmallString<256> path(given);
        llvm::sys::path::remove_dots(path, true);
        if (opened.count(path.str().str()))
            return;
        bool may = !stopped_once;
        for (const std::string &folder : folders)
            may |= path.str().starts_with(folder);
        if (!may)
            leave("it reads " + path.str().str());
        opened.insert(path.str().str());
    }
};

} // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> gate(std::vector<std::string> folders) {
    return llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>(new Gate(std::move(folders)));
}

std::vector<std::string> files_read() {
    return std::vector<std::string>(opened.begin(), opened.end());
}

} // namespace frontend

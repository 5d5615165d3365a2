// prefix.cpp: see prefix.h.
#include "runtime/frontend/process/prefix.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace frontend {

namespace {

// `#line 3 "cell [0123]"`: the line and the name with its quotes.
bool read_place(const std::string &line, long &number, std::string &file) {
    if (line.compare(0, 6, "#line ") != 0)
        return false;
    char *end = nullptr;
    number = std::strtol(line.c_str() + 6, &end, 10);
    file = *end == ' ' ? end + 1 : "";
    return file.size() > 2;
}

bool is_include(const std::string &line) {
    size_t at = line.find_first_not_of(" \t");
    if (at == std::string::npos || line[at] != '#')
        return false;
    at = line.find_first_not_of(" \t", at + 1);
    if (at == std::string::npos || line.compare(at, 7, "include") != 0)
        return false;
    at = line.find_first_not_of(" \t", at + 7);
    if (at == std::string::npos || line[at] != '<')
        return false;
    size_t end = line.find('>', at); // and nothing behind it
    return end != std::string::npos &&
           line.find_first_not_of(" \t\r", end + 1) == std::string::npos;
}

bool is_blank(const std::string &line) {
    return line.find_first_not_of(" \t\r") == std::string::npos;
}

// Cuts the text behind the last of the #include lines at its beginning.
void cut(const std::string &text, Request &request) {
    std::string file = "\"warpbook\"", last_file = file, line;
    long number = 1, last_number = 1;
    size_t cut_at = 0;
    for (size_t at = 0, end; at < text.size(); at = end + 1) {
        end = text.find('\n', at);
        end = end == std::string::npos ? text.size() : end;
        line.assign(text, at, end - at);
        bool include = is_include(line);
        if (!read_place(line, number, file)) {
            if (!include && !is_blank(line))
                break;
            number++;
        }
        if (include) {
            request.includes +=
                line.substr(line.find('<'), line.find('>') - line.find('<') + 1) + "\n";
            cut_at = end + 1;
            last_number = number;
            last_file = file;
        }
    }
    size_t at = 0;
    for (std::string names = std::move(request.includes); at < names.size();) {
        size_t end = names.find('\n', at);
        request.includes += "#include " + names.substr(at, end - at) + "\n";
        at = end + 1;
    }
    request.rest = "#line " + std::to_string(last_number) + " " + last_file + "\n";
    request.rest.append(text, cut_at < text.size() ? cut_at : text.size(), std::string::npos);
}

// "…/cell_0123.cu": 0123.
std::string id_of(const std::string &path) {
    size_t slash = path.rfind('/'), from = slash == std::string::npos ? 0 : slash + 1;
    size_t dot = path.rfind(".cu");
    if (path.compare(from, 5, "cell_") != 0 || dot == std::string::npos || dot < from + 5)
        return "";
    return path.substr(from + 5, dot - from - 5);
}

} // namespace

bool read_request(const std::string &words, const std::string &preamble, Request &request) {
    request = {};
    request.source = words.c_str();
    request.object = words.c_str() + request.source.size() + 1;
    request.id = id_of(request.source);
    std::ifstream in(request.source, std::ios::binary);
    std::stringstream all;
    all << in.rdbuf();
    std::string text = all.str();
    if (!in || request.id.empty() || text.compare(0, preamble.size(), preamble) != 0)
        return false;
    cut(text.substr(preamble.size()), request);
    return true;
}

std::string word_of_the_compiler(const std::string &text) {
    // assert() tells its function's type in the compiler's words. What names begin with
    // __wb_lambda_ are types that a library shares with others, and their symbols are not certain.
    static const char *const words[] = {
        "__clang",          "__NVCC",        "__GNUC",          "__GXX",    "__VERSION__",
        "__CUDACC",         "__CUDA_ARCH__", "__OPTIMIZE",      "__has_",   "__BASE_FILE__",
        "__INCLUDE_",       "__COUNTER__",   "__PRETTY_",       "__int128", "__float128",
        "__wb_lambda_",     "__wb_binding_", "source_location", "_Pragma",  "alloca(",
        "__builtin_alloca", "setjmp(",       "assert("};
    for (const char *word : words)
        for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at++)
            if (at == 0 ||
                (!std::isalnum(static_cast<unsigned char>(text[at - 1])) && text[at - 1] != '_'))
                return word;
    return text.find("#pragma") != std::string::npos ? "#pragma" : "";
}

} // namespace frontend

// prefix.h: a unit's text, as what many units begin with and the rest.
#ifndef WARPBOOK_FRONTEND_PREFIX_H
#define WARPBOOK_FRONTEND_PREFIX_H

#include <string>

// Where the compiler stops and waits: files of these names, in a folder that no disk has.
#define WB_STOPS "/warpbook-frontend"
#define WB_STOP_0 WB_STOPS "/cell"
#define WB_STOP_1 WB_STOPS "/cell-with-headers"

namespace frontend {

struct Request {
    std::string source, object, id; // as in Job
    std::string includes;           // the #include <...> lines it begins with, one after the other
    std::string rest;               // what follows them, its #line first
};

// `words`: "source NUL object NUL". False when the unit can't be read or does not begin with the
// preamble.
bool read_request(const std::string &words, const std::string &preamble, Request &request);

// The word in the text that asks which compiler reads it, or that the two take differently; "":
// there is none.
std::string word_of_the_compiler(const std::string &text);

} // namespace frontend

#endif

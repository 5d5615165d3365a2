// serve.h: the tree of processes that wait, and what they are asked.
//
// The first process reads the headers that every cell has, and waits where the cell would begin. A
// cell is compiled by a fork of it, which reads the rest of the unit as if the compiler had never
// stopped, and is gone with all it did. Cells that begin with #include lines get a process that has
// read these too (a stem), which waits in the same way and is kept.
#ifndef WARPBOOK_FRONTEND_SERVE_H
#define WARPBOOK_FRONTEND_SERVE_H

#include <string>
#include <vector>

namespace frontend {

// What a fork is to compile.
struct Job {
    std::string source; // the unit's path
    std::string object; // where the object goes
    std::string id;     // of the cell: "cell [ID]" in #line
    int answer = -1;    // where the answer goes; -1: this process is none that compiles
};

// The job of this process, once it has one.
Job &job();

// What the compiler reads where it stopped, at that depth of the tree: 0 or 1. Returns in forks
// alone: the process that calls it waits for jobs until its caller closes the connection, and ends.
std::string wait_for_text(int depth);

// Ends this process: the cell is nvcc's, for that reason.
[[noreturn]] void leave(const std::string &why);
// Ends this process: the object is there; the files that were read for it.
[[noreturn]] void made(const std::vector<std::string> &inputs);

// The connection to who asks, and the text that every unit begins with.
void serve_begin(int connection, const std::string &preamble);

} // namespace frontend

#endif

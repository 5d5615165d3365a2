// serve.cpp: see serve.h. A request is the source's path, a NUL, the object's path, a NUL. The
// answer ends with a NUL: "made" and the files that were read, a line each, or "left", a blank and
// the reason.
#include "runtime/frontend/process/serve.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/frontend/process/prefix.h"

namespace frontend {

namespace {

// A stem that nobody asks goes when so many others were asked since.
constexpr size_t max_stems = 3;
// Of a fork: seconds of CPU time, and bytes of address space beyond what it was born with.
constexpr rlim_t limit_cpu_s = 10, limit_memory = rlim_t(3) << 30;
constexpr int limit_wall_ms = 8000;

struct Stem {
    std::string includes;
    int connection;
    pid_t pid;
};

std::string preamble;
int connection = -1;
std::vector<Stem> stems; // the one that was asked last is the last
Job current;

bool write_all(int fd, const char *data, size_t len) {
    while (len > 0) {
        ssize_t n = send(fd, data, len, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data += n;
        len -= static_cast<size_t>(n);
    }
    return true;
}

// Reads up to the n-th NUL; false at the end, or past the clock (ms, -1: none).
bool read_strings(int fd, int n, int clock_ms, std::string &text) {
    text.clear();
    for (char c; n > 0; n -= c == '\0') {
        pollfd p = {fd, POLLIN, 0};
        int ready = poll(&p, 1, clock_ms);
        if (ready < 0 && errno == EINTR) {
            c = 1;
            continue;
        }
        if (ready <= 0 || read(fd, &c, 1) != 1)
            return false;
        text += c;
    }
    return true;
}

void reply(int fd, const std::string &text) {
    if (!write_all(fd, text.c_str(), text.size() + 1) && fd == connection)
        _exit(0);
}

void drop(Stem &stem) {
    close(stem.connection);
    kill(stem.pid, SIGKILL);
    waitpid(stem.pid, nullptr, 0);
}

// What a child that compiles may use. What it can't end by itself, the limits do.
void limit_this_process() {
    const rlimit cpu = {limit_cpu_s, limit_cpu_s}, memory = {limit_memory, limit_memory},
                 core = {0, 0};
    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CORE, &core);
}

void close_stems() {
    for (const Stem &stem : stems)
        close(stem.connection);
    stems.clear();
}

// In the caller: waits for the fork's answer and passes it on. In the fork: true.
bool compile_in_fork(const Request &request) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        reply(connection, "left no connection");
        return false;
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        close(connection);
        close_stems();
        limit_this_process();
        current = {request.source, request.object, request.id, ends[1]};
        return true;
    }
    close(ends[1]);
    std::string answer;
    if (pid < 0 || !read_strings(ends[0], 1, limit_wall_ms, answer))
        answer = "left the front end crashed or took too long";
    close(ends[0]);
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, nullptr, 0);
    }
    reply(connection, answer.c_str());
    return false;
}

// Makes a stem for the #include lines. In the stem: true.
bool grow(const std::string &includes) {
    int ends[2];
    if (stems.size() == max_stems) {
        drop(stems.front());
        stems.erase(stems.begin());
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        close(connection);
        close_stems();
        connection = ends[1];
        return true;
    }
    close(ends[1]);
    if (pid < 0)
        close(ends[0]);
    else
        stems.push_back({includes, ends[0], pid});
    return false;
}

Stem *find(const std::string &includes) {
    for (size_t i = 0; i < stems.size(); i++)
        if (stems[i].includes == includes) {
            std::swap(stems[i], stems.back());
            return &stems.back();
        }
    return nullptr;
}

// Hands the request to the stem, and its answer back.
void ask(const std::string &words) {
    std::string answer;
    Stem &stem = stems.back();
    write_all(stem.connection, words.data(), words.size()); // one that is gone has left its answer
    if (read_strings(stem.connection, 1, 2 * limit_wall_ms, answer)) {
        reply(connection, answer.c_str());
        if (answer.compare(0, 9, "left-stem") != 0)
            return;
    } else {
        reply(connection, "left the front end crashed or took too long over headers");
    }
    drop(stem);
    stems.pop_back();
}

} // namespace

Job &job() {
    return current;
}

void serve_begin(int fd, const std::string &text) {
    connection = fd;
    preamble = text;
}

std::string wait_for_text(int depth) {
    if (current.answer >= 0) // a file of that name in the cell's own text
        leave("it includes a file of ours");
    if (depth == 0)
        reply(connection, "ready");
    for (std::string words; read_strings(connection, 2, -1, words);) {
        Request request;
        if (!read_request(words, preamble, request)) {
            reply(connection, "left it does not begin as cells do");
            continue;
        }
        std::string word = word_of_the_compiler(request.rest);
        if (!word.empty()) {
            reply(connection, "left it says " + word);
            continue;
        }
        if (depth > 0 || request.includes.empty()) {
            if (compile_in_fork(request))
                return request.rest;
            continue;
        }
        if (!find(request.includes) && grow(request.includes))
            return request.includes + "#include \"" WB_STOP_1 "\"\n";
        if (find(request.includes))
            ask(words);
        else
            reply(connection, "left no process can be made");
    }
    _exit(0);
}

void leave(const std::string &why) {
    // A stem that can't be: who asked hears so once, and drops it.
    int fd = current.answer >= 0 ? current.answer : connection;
    std::string text = (current.answer >= 0 ? "left " : "left-stem ") + why;
    write_all(fd, text.c_str(), text.size() + 1);
    _exit(0);
}

void made(const std::vector<std::string> &inputs) {
    std::string text = "made";
    for (const std::string &path : inputs)
        text += "\n" + path;
    write_all(current.answer, text.c_str(), text.size() + 1);
    _exit(0);
}

} // namespace frontend

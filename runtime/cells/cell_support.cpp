// cell_support.cpp: the try block around a cell's initialisers, and the text of displayed values
// (warpbook_show.h). Every cell's library links it, so that cells need not compile it.
#include <cxxabi.h>
#include <exception>
#include <istream>
#include <ostream>
#include <string>
#include <typeinfo>

#include <dlfcn.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
// The worker exports these. They are weak, because no library that the cell links to does.
__attribute__((weak)) void wb_cell_value(const char *mime, const char *data, size_t len);
__attribute__((weak)) void wb_cell_display(const char *bundle, const char *metadata, const char *id,
                                           int update);
__attribute__((weak)) void wb_cell_threw(const void *object);
__attribute__((weak)) void wb_cell_defined(int item);
}

#define EXPORT extern "C" __attribute__((visibility("default")))

// The number of the cell's finished items. The worker reads it if one did not finish.
extern "C" {
__attribute__((visibility("default"))) volatile int wb_cell_finished;
}

// Records that `items` items have finished. The last made a variable; 0: the first begins.
EXPORT int wb_cell_made(int items) {
    if (wb_cell_defined)
        wb_cell_defined(items);
    return wb_cell_finished = items;
}

// Thrown for "return;" in the cell, as in warpbook_cell.h.
struct __wb_returned {};

// <iostream> without the object that initialises the streams when the library is loaded.
namespace std {
extern istream cin;
extern ostream cout, cerr, clog;
extern wistream wcin;
extern wostream wcout, wcerr, wclog;
} // namespace std

namespace {

// Returns the exception object being handled, the only member of libstdc++'s std::exception_ptr.
const void *current_object() {
    std::exception_ptr pointer = std::current_exception();
    const void *object = nullptr;
    static_assert(sizeof object == sizeof pointer, "an exception_ptr is a pointer");
    std::memcpy(&object, static_cast<const void *>(&pointer), sizeof object);
    return object;
}

std::string &shown() {
    static std::string text;
    return text;
}

std::string demangled(const std::type_info *type) {
    int status = 0;
    char *name = type ? abi::__cxa_demangle(type->name(), nullptr, nullptr, &status) : nullptr;
    std::string text = name ? name : type ? type->name() : "an exception of another language";
    std::free(name);
    return text;
}

template <class Stream> void restore(Stream &stream, void *&buffer) {
    if (!buffer)
        buffer = stream.rdbuf();
    else if (stream.rdbuf() != buffer)
        stream.rdbuf(static_cast<decltype(stream.rdbuf())>(buffer));
    stream.clear();
}

// Returns the length of the UTF-8 sequence at p, or 0.
size_t utf8(const unsigned char *p, size_t left) {
    size_t n = *p < 0x80                 ? 1
               : *p >= 0xC2 && *p < 0xE0 ? 2
               : *p >= 0xE0 && *p < 0xF0 ? 3
               : *p >= 0xF0 && *p < 0xF5 ? 4
                                         : 0;
    if (n == 0 || n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    if ((*p == 0xE0 && p[1] < 0xA0) || (*p == 0xED && p[1] > 0x9F) || (*p == 0xF0 && p[1] < 0x90) ||
        (*p == 0xF4 && p[1] > 0x8F))
        return 0;
    return n;
}

// Writes a byte by its number: an invalid one as C++ source would, \xe9.
void put_byte(std::string &out, unsigned char byte, const char *format = "\\x%02x") {
    char code[8];
    std::snprintf(code, sizeof code, format, byte);
    out += code;
}

void json_string(std::string &out, const char *text, size_t len) {
    out += '"';
    for (size_t i = 0; i < len;) {
        unsigned char c = static_cast<unsigned char>(text[i]);
        size_t n = utf8(reinterpret_cast<const unsigned char *>(text) + i, len - i);
        if (c == '"' || c == '\\')
            (out += '\\') += text[i];
        else if (c < 0x20)
            put_byte(out, c, "\\u%04x");
        else if (n == 0)
            put_byte(out += '\\', c);
        else
            out.append(text + i, n);
        i += n ? n : 1;
    }
    out += '"';
}

bool is_json(const char *mime, size_t len) {
    return (len >= 5 && std::memcmp(mime + len - 5, "+json", 5) == 0) ||
           (len == 16 && std::memcmp(mime, "application/json", 16) == 0);
}

} // namespace

// Registers only the cell's own device variables. The host's name for an earlier cell's is a
// reference to what that cell registered (live/device_vars.h).
extern "C" __attribute__((visibility("hidden"))) void
__cudaRegisterVar(void **handle, char *host, char *address, const char *name, int is_extern,
                  size_t size, int constant, int global) {
    static const auto real =
        reinterpret_cast<decltype(&__cudaRegisterVar)>(dlsym(RTLD_NEXT, "__cudaRegisterVar"));
    Dl_info variable, cell;
    if (real && dladdr(host, &variable) && dladdr(const_cast<int *>(&wb_cell_finished), &cell) &&
        variable.dli_fbase == cell.dli_fbase)
        real(handle, host, address, name, is_extern, size, constant, global);
}

// Calls f. Returns 0, 2 if the cell returned early, or 1 with "type: what()" of an exception.
EXPORT int wb_cell_call(void (*f)(void), char *text, size_t size) {
    const char *what = nullptr;
    std::string kept;
    try {
        try {
            f();
            return 0;
        } catch (abi::__forced_unwind &) {
            throw; // thread cancellation
        } catch (const __wb_returned &) {
            return 2;
        } catch (...) {
            if (wb_cell_threw)
                wb_cell_threw(current_object());
            kept = demangled(abi::__cxa_current_exception_type());
            throw;
        }
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (const std::exception &e) {
        kept += ": ";
        kept += e.what();
    } catch (const char *message) {
        what = message;
    } catch (const std::string &message) {
        kept = "std::string: " + message;
    } catch (int number) {
        kept += ": " + std::to_string(number);
    } catch (...) {
    }
    kept += what ? std::string(": ") + what : "";
    size_t len = kept.size() < size ? kept.size() : size - 1;
    while (len < kept.size() && len > 0 && (kept[len] & 0xC0) == 0x80)
        len--; // cuts at a whole character
    std::memcpy(text, kept.data(), len);
    text[len] = '\0';
    return 1;
}

EXPORT void wb_cell_streams(void *buffers[]) {
    static std::ios_base::Init made;
    restore(std::cin, buffers[0]);
    restore(std::cout, buffers[1]);
    restore(std::cerr, buffers[2]);
    restore(std::clog, buffers[3]);
    restore(std::wcin, buffers[4]);
    restore(std::wcout, buffers[5]);
    restore(std::wcerr, buffers[6]);
    restore(std::wclog, buffers[7]);
}

EXPORT void wb_show_display(const char *mime, size_t mime_len, const char *data, size_t len,
                            const char *id, size_t id_len, int update) {
    std::string bundle = "{", name(id, id_len);
    json_string(bundle, mime, mime_len);
    bundle += ':';
    if (is_json(mime, mime_len))
        bundle.append(data, len);
    else
        json_string(bundle, data, len);
    bundle += '}';
    wb_cell_display(bundle.c_str(), nullptr, id_len ? name.c_str() : nullptr, update);
}

EXPORT void wb_show_begin(void) {
    shown().clear();
}
EXPORT void wb_show_end(void) {
    wb_cell_value("text/plain", shown().data(), shown().size());
}
EXPORT void wb_show_put(const char *text, size_t len) {
    shown().append(text, len);
}
EXPORT void wb_show_signed(long long value) {
    shown() += std::to_string(value);
}
EXPORT void wb_show_unsigned(unsigned long long value) {
    shown() += std::to_string(value);
}

EXPORT void wb_show_quoted(const char *text, size_t len, char quote) {
    std::string &s = shown();
    s += quote;
    for (size_t i = 0, n; i < len; i += n ? n : 1) {
        char c = text[i];
        n = utf8(reinterpret_cast<const unsigned char *>(text) + i, len - i);
        if (c == quote || c == '\\')
            (s += '\\') += c;
        else if (c == '\n')
            s += "\\n";
        else if (c == '\t')
            s += "\\t";
        else if (n == 0 || static_cast<unsigned char>(c) < 0x20)
            put_byte(s, static_cast<unsigned char>(c));
        else
            s.append(text + i, n);
    }
    s += quote;
}

EXPORT void wb_show_real(double value, int digits) {
    char text[40];
    for (int n = digits == 9 ? 6 : 15; n <= digits; n++) {
        std::snprintf(text, sizeof text, "%.*g", n, value);
        double back = std::strtod(text, nullptr);
        if (back == value || (digits == 9 && static_cast<float>(back) == static_cast<float>(value)))
            break;
    }
    if (std::strspn(text, "-0123456789") == std::strlen(text))
        std::strcat(text, ".0"); // shows that it is no integer
    shown() += text;
}

EXPORT void wb_show_pointer(const void *value) {
    char text[40];
    std::snprintf(text, sizeof text, "0x%llx",
                  static_cast<unsigned long long>(reinterpret_cast<size_t>(value)));
    shown() += value ? text : "nullptr";
}

EXPORT void wb_show_type(const char *pretty) {
    const char *at = std::strstr(pretty, "T = ");
    const char *end = at ? std::strrchr(pretty, ']') : nullptr;
    std::string type = end ? std::string(at + 4, end) : pretty;
    // The name of a variable that holds a lambda is between a prefix and a number (closure.h).
    static const char head[] = "__wb_lambda_";
    for (size_t i; (i = type.find(head)) != std::string::npos;) {
        size_t n = i + sizeof head - 1;
        while (n < type.size() && (std::isalnum(static_cast<unsigned char>(type[n])) ||
                                   type[n] == '_' || type[n] & 0x80))
            n++;
        size_t past = n + (type.compare(n, 2, "()") == 0 ? 2 : 0);
        type.replace(i, past - i, type, i + sizeof head - 1, n - 9 - i - (sizeof head - 1));
    }
    shown() += type;
}

EXPORT void wb_show_error(int code, const char *name, const char *text) {
    shown() += name;
    shown() += " (" + std::to_string(code) + "): " + text;
}

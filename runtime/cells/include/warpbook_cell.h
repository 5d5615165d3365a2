/* warpbook_cell.h: what every cell has without an #include: wb::display and its relatives. It
 * precedes every cell, so it is small. warpbook_show.h shows a cell's last expression.
 *
 *   wb::html("<b>bold</b>");
 *   wb::svg(text);  wb::markdown(text);  wb::latex(text);
 *   wb::display("text/plain", "42%", "progress");      with an id, for updates:
 *   wb::update("text/plain", "43%", "progress");
 *   wb::clear();
 *
 * A text is a const char * or anything with data() and size(), such as std::string.
 * runtime/compile/headers.h lists the C headers that a cell has as well. */
#pragma once

#include <stddef.h>

extern "C" {
void wb_show_display(const char *mime, size_t mime_len, const char *data, size_t len,
                     const char *id, size_t id_len, int update);
__attribute__((weak)) void wb_cell_clear(int wait);
extern volatile int wb_cell_finished;
int wb_cell_made(int items);
}

namespace wb {

struct text {
    const char *p;
    size_t n;
    text(const char *s) : p(s ? s : ""), n(__builtin_strlen(p)) {
    }
    template <class WbS>
    text(const WbS &s, decltype(s.data(), s.size(), 0) = 0) : p(s.data()), n(s.size()) {
    }
};

/* Shows `data` as `mime`; a JSON type takes JSON text. With an id, update() can replace it. */
inline void display(text mime, text data, text id = "") {
    wb_show_display(mime.p, mime.n, data.p, data.n, id.p, id.n, 0);
}
inline void update(text mime, text data, text id) {
    wb_show_display(mime.p, mime.n, data.p, data.n, id.p, id.n, 1);
}
inline void html(text data, text id = "") {
    display("text/html", data, id);
}
inline void svg(text data, text id = "") {
    display("image/svg+xml", data, id);
}
inline void markdown(text data, text id = "") {
    display("text/markdown", data, id);
}
inline void latex(text data, text id = "") {
    display("text/latex", data, id);
}
/* Removes the cell's output. wait: only when the next output comes. */
inline void clear(bool wait = false) {
    wb_cell_clear(wait);
}

} // namespace wb

/* The result of the function with a cell's statements. "return 0;" in it ends the whole cell:
 * go_on() throws an object that wb_cell_call knows. */
struct __wb_returned {};
struct __wb_end {
    bool early;
    __wb_end() : early(false) {
    }
    template <class WbT> __wb_end(const WbT &) : early(true) {
    }
    void go_on() const {
        if (early)
            throw __wb_returned();
    }
};

/* A declarator of any type, written before the name. */
template <class WbT> struct __wb_id { using type = WbT; };
template <class WbT> struct __wb_bare { using type = WbT; };
template <class WbT> struct __wb_bare<WbT &> { using type = WbT; };
/* A lambda captures a copy of an array in this struct. */
template <class WbT> struct __wb_array { WbT value; };
template <class WbT> const __wb_array<WbT> &__wb_copy(WbT &x) {
    return reinterpret_cast<const __wb_array<WbT> &>(x);
}
/* Returns a reference to a structured binding. gcc 12 does not link a constant one. */
template <class WbT> WbT &__wb_bound(WbT &x) {
    asm("");
    return x;
}
/* Gives the type of what a lambda captures by value, and a value of that type, in a function that
 * is only needed for its type. */
template <class WbT> WbT __wb_kept(WbT);
template <class WbT> WbT __wb_held() {
    __builtin_trap();
    for (;;)
        ;
}
/* Leaves the compiler's spelling of a variable's type in the library, where we read it. */
template <int WbN, class WbT> constexpr const char *__wb_type() {
    return __PRETTY_FUNCTION__;
}

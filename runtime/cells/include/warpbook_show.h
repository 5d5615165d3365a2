/* warpbook_show.h: the text of a cell's last expression. It comes after all that a cell includes,
 * and includes no further header: it uses streams if the cell has them, and tests for members by
 * name (begin, first, x, ...).
 *
 * A program's macros must not affect it: cellgen.c removes those of the notebook meanwhile, and it
 * avoids names that a user's header may define (N, T). */
#pragma once

#include <type_traits>
#include <utility>
#ifdef _GLIBCXX_OSTREAM
#include <sstream>
#endif

extern "C" {
void wb_show_begin(void);
void wb_show_end(void); /* sends the text since wb_show_begin as text/plain */
void wb_show_put(const char *text, size_t len);
void wb_show_quoted(const char *text, size_t len, char quote);
void wb_show_signed(long long value);
void wb_show_unsigned(unsigned long long value);
/* the shortest exact text, of at most `digits` digits */
void wb_show_real(double value, int digits);
void wb_show_pointer(const void *value);
void wb_show_type(const char *pretty); /* shows X of "... [with WbT = X]" */
void wb_show_error(int code, const char *name, const char *text);
}

namespace wb {
namespace show {

struct __wb_nothing {}; /* the value of a void expression */
template <class WbT> WbT &&operator,(WbT &&value, __wb_nothing) {
    return static_cast<WbT &&>(value);
}

enum { max_elements = 100 };

template <int WbN> struct rank : rank<WbN - 1> {};
template <> struct rank<0> {};

inline void put(const char *text) {
    wb_show_put(text, __builtin_strlen(text));
}
template <class WbT> void put_type() {
    wb_show_type(__PRETTY_FUNCTION__);
}
template <class WbT> void one(const WbT &value);

template <class WbI, class WbE> void elements(WbI i, WbE end) {
    put("{");
    size_t n = 0;
    for (; i != end; ++i, ++n) {
        if (n)
            put(", ");
        if (n == max_elements) {
            put("...");
            break;
        }
        one(*i);
    }
    put("}");
}

/* The overload with the highest rank that fits wins. The last one shows the type's name. */
template <class WbT> void any(const WbT &, rank<0>) {
    put("<");
    put_type<WbT>();
    put(">");
}
/* Shows the members of a point, a vector or a pixel, and "..." for others. */
template <class WbT, class... WbM> void members(const WbM &...m) {
    size_t n = 0, size = 0;
    put_type<WbT>();
    put("{");
    ((put(n++ ? ", " : ""), one(m), size += sizeof m), ...);
    put(size + alignof(WbT) <= sizeof(WbT) ? ", ...}" : "}");
}
template <class WbT>
auto any(const WbT &v, rank<1>) -> typename std::enable_if<sizeof(v.x) && sizeof(v.y)>::type {
    members<WbT>(v.x, v.y);
}
template <class WbT>
auto any(const WbT &v, rank<2>) ->
    typename std::enable_if<sizeof(v.x) && sizeof(v.y) && sizeof(v.z)>::type {
    members<WbT>(v.x, v.y, v.z);
}
template <class WbT>
auto any(const WbT &v, rank<2>) ->
    typename std::enable_if<sizeof(v.r) && sizeof(v.g) && sizeof(v.b)>::type {
    members<WbT>(v.r, v.g, v.b);
}
template <class WbT>
auto any(const WbT &v, rank<3>) ->
    typename std::enable_if<sizeof(v.x) && sizeof(v.y) && sizeof(v.z) && sizeof(v.w)>::type {
    members<WbT>(v.x, v.y, v.z, v.w);
}
template <class WbT>
auto any(const WbT &v, rank<3>) ->
    typename std::enable_if<sizeof(v.r) && sizeof(v.g) && sizeof(v.b) && sizeof(v.a)>::type {
    members<WbT>(v.r, v.g, v.b, v.a);
}
/* Shows a class that stands for a number (__half, an element of a device vector or of vector<bool>)
 * as the first type that takes it without loss; braces refuse the others. */
template <class WbT, class WbN>
using takes =
    typename std::enable_if<std::is_class<WbT>::value && sizeof(WbN{std::declval<const WbT &>()}),
                            rank<0>>::type;
template <class WbT> takes<WbT, unsigned long long> number(const WbT &v, rank<0>) {
    return one<unsigned long long>(v), rank<0>();
}
template <class WbT> takes<WbT, long long> number(const WbT &v, rank<1>) {
    return one<long long>(v), rank<0>();
}
template <class WbT> takes<WbT, bool> number(const WbT &v, rank<2>) {
    return one<bool>(v), rank<0>();
}
template <class WbT> takes<WbT, double> number(const WbT &v, rank<3>) {
    return one<double>(v), rank<0>();
}
template <class WbT> takes<WbT, float> number(const WbT &v, rank<4>) {
    return one<float>(v), rank<0>();
}
template <class WbT> auto any(const WbT &v, rank<4>) -> decltype(number(v, rank<4>()), void()) {
    number(v, rank<4>());
}
template <class WbT> auto any(const WbT &v, rank<5>) -> decltype(v.get(), bool(v), void()) {
    any(v.get(), rank<16>());
}
template <class WbT> auto any(const WbT &v, rank<6>) -> decltype(v.has_value(), *v, void()) {
    if (v.has_value())
        one(*v);
    else
        put("{}");
}
template <class WbT> auto any(const WbT &v, rank<7>) -> decltype(v.real(), v.imag(), void()) {
    put("(");
    one(v.real());
    put(", ");
    one(v.imag());
    put(")");
}
template <class WbT> auto any(const WbT &v, rank<8>) -> decltype(v.first, v.second, void()) {
    put("{");
    one(v.first);
    put(", ");
    one(v.second);
    put("}");
}
template <class WbT>
auto any(const WbT &v, rank<9>) -> decltype(v.begin() != v.end(), *v.begin(), void()) {
    elements(v.begin(), v.end());
}
#ifdef _GLIBCXX_TUPLE
template <class WbT, size_t... WbI> void tuple(const WbT &v, std::index_sequence<WbI...>) {
    put("{");
    ((put(WbI ? ", " : ""), one(std::get<WbI>(v))), ...);
    put("}");
}
template <class... WbT> void any(const std::tuple<WbT...> &v, rank<10>) {
    tuple(v, std::index_sequence_for<WbT...>());
}
#endif
#ifdef _GLIBCXX_OSTREAM
template <class WbT>
auto any(const WbT &v, rank<11>) ->
    typename std::enable_if<std::is_class<WbT>::value && !std::is_convertible<WbT, float>::value &&
                            sizeof(std::declval<std::ostream &>() << v)>::type {
    std::ostringstream text;
    text << v;
    std::string s = text.str();
    wb_show_put(s.data(), s.size());
}
#endif
template <class WbT>
auto any(const WbT &v, rank<12>) -> typename std::enable_if<
    std::is_same<typename std::decay<decltype(*v.data())>::type, char>::value &&
    sizeof(v.size())>::type {
    wb_show_quoted(v.data(), v.size(), '"');
}
template <class WbT>
auto any(const WbT &v, rank<14>) -> typename std::enable_if<std::is_enum<WbT>::value>::type {
    put_type<WbT>();
    put("(");
    wb_show_signed(static_cast<long long>(v));
    put(")");
}
template <class WbT>
auto any(const WbT &v, rank<15>) -> typename std::enable_if<std::is_arithmetic<WbT>::value>::type {
    if (std::is_same<WbT, bool>::value)
        put(v ? "true" : "false");
    else if (std::is_floating_point<WbT>::value)
        wb_show_real(static_cast<double>(v), std::is_same<WbT, float>::value ? 9 : 17);
    else if (std::is_same<WbT, char>::value) {
        char c = static_cast<char>(v);
        wb_show_quoted(&c, 1, '\'');
    } else if (std::is_signed<WbT>::value)
        wb_show_signed(static_cast<long long>(v));
    else
        wb_show_unsigned(static_cast<unsigned long long>(v));
}
template <class WbT> void any(WbT *const &v, rank<16>) {
    put_type<WbT *>();
    put(" ");
    wb_show_pointer(reinterpret_cast<const void *>(v));
}
inline void any(std::nullptr_t, rank<17>) {
    put("nullptr");
}
inline void any(const char *const &v, rank<17>) {
    if (v)
        wb_show_quoted(v, __builtin_strlen(v), '"');
    else
        put("(const char *) nullptr");
}
inline void any(char *const &v, rank<17>) {
    any(static_cast<const char *>(v), rank<17>());
}
inline void any(const cudaError_t &v, rank<17>) {
    wb_show_error(static_cast<int>(v), cudaGetErrorName(v), cudaGetErrorString(v));
}
template <class WbT, size_t WbN> void any(const WbT (&v)[WbN], rank<18>) {
    elements(v, v + WbN);
}
template <size_t WbN> void any(const char (&v)[WbN], rank<19>) {
    size_t n = 0;
    while (n < WbN && v[n])
        n++;
    wb_show_quoted(v, n, '"');
}

template <class WbT> void one(const WbT &value) {
    any(value, rank<19>());
}

template <class WbT> void __wb_value(const WbT &v) {
    wb_show_begin();
    one(v);
    wb_show_end();
}
inline void __wb_value(__wb_nothing) {
}
#ifdef _GLIBCXX_OSTREAM
inline void __wb_value(const std::ostream &) {
}
#endif

/* The host's object for a device variable. */
struct __wb_shadow {
    const void *at;
    size_t size;
    bool managed;
};
/* Shows a device variable, or an element or member of it, with its value on the device. */
template <class WbT, size_t WbN> void __wb_value(const WbT &v, const __wb_shadow (&shadows)[WbN]) {
    const char *at = reinterpret_cast<const char *>(__builtin_addressof(v));
    for (const __wb_shadow &shadow : shadows) {
        size_t offset = static_cast<size_t>(at - static_cast<const char *>(shadow.at));
        if (offset >= shadow.size)
            continue;
        void *copy = shadow.managed ? nullptr : __builtin_malloc(sizeof v);
        cudaError_t result = cudaDeviceSynchronize();
        if (result == cudaSuccess && copy)
            result = cudaMemcpyFromSymbol(copy, shadow.at, sizeof v, offset);
        if (result != cudaSuccess)
            __wb_value(result);
        else
            __wb_value(copy ? *static_cast<const WbT *>(copy) : v);
        __builtin_free(copy);
        return;
    }
    __wb_value(v);
}

} // namespace show
} // namespace wb

using wb::show::__wb_nothing;
using wb::show::__wb_shadow;
using wb::show::__wb_value;

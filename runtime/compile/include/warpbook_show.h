/* warpbook_show.h: the text of a cell's last expression. Included after everything a cell includes,
 * so that it brings in no header that the cell does not already pay for: streams are used where the
 * cell has them, members are asked for by name (begin, first, x, ...). */
#ifndef WARPBOOK_SHOW_H
#define WARPBOOK_SHOW_H

#include <type_traits>
#include <utility>
#ifdef _GLIBCXX_OSTREAM
#include <sstream>
#endif

extern "C" {
void wb_show_begin(void);
void wb_show_end(void); /* sends what was put in between as text/plain */
void wb_show_put(const char *text, size_t len);
void wb_show_quoted(const char *text, size_t len, char quote);
void wb_show_signed(long long value);
void wb_show_unsigned(unsigned long long value);
void wb_show_real(double value, int digits); /* as many digits as tell it apart, at most `digits` */
void wb_show_pointer(const void *value);
void wb_show_type(const char *pretty); /* "... [with T = X]" as X */
void wb_show_error(int code, const char *name, const char *text);
}

namespace wb {
namespace show {

struct nothing {}; /* what a void expression shows */
template <class T> T &&operator,(T &&value, nothing) {
    return static_cast<T &&>(value);
}

enum { max_elements = 100 };

template <int N> struct rank : rank<N - 1> {};
template <> struct rank<0> {};

inline void put(const char *text) {
    wb_show_put(text, __builtin_strlen(text));
}
template <class T> void put_type() {
    wb_show_type(__PRETTY_FUNCTION__);
}
template <class T> void one(const T &value);

template <class I, class E> void elements(I i, E end) {
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

/* From the most particular (the highest rank) to the type's name. */
template <class T> void any(const T &, rank<0>) {
    put("<");
    put_type<T>();
    put(">");
}
template <class T>
auto any(const T &v, rank<1>) -> typename std::enable_if<sizeof(v.x) && sizeof(v.y)>::type {
    put_type<T>();
    put("{");
    one(v.x);
    put(", ");
    one(v.y);
    put("}");
}
template <class T>
auto any(const T &v, rank<2>) ->
    typename std::enable_if<sizeof(v.x) && sizeof(v.y) && sizeof(v.z)>::type {
    put_type<T>();
    put("{");
    one(v.x);
    put(", ");
    one(v.y);
    put(", ");
    one(v.z);
    put("}");
}
template <class T>
auto any(const T &v, rank<3>) ->
    typename std::enable_if<sizeof(v.x) && sizeof(v.y) && sizeof(v.z) && sizeof(v.w)>::type {
    put_type<T>();
    put("{");
    one(v.x);
    put(", ");
    one(v.y);
    put(", ");
    one(v.z);
    put(", ");
    one(v.w);
    put("}");
}
template <class T>
auto any(const T &v, rank<4>) ->
    typename std::enable_if<std::is_class<T>::value && std::is_convertible<T, float>::value>::type {
    wb_show_real(static_cast<float>(v), 9);
}
template <class T> auto any(const T &v, rank<5>) -> decltype(v.get(), bool(v), void()) {
    any(v.get(), rank<15>());
}
template <class T> auto any(const T &v, rank<6>) -> decltype(v.has_value(), *v, void()) {
    if (v.has_value())
        one(*v);
    else
        put("{}");
}
template <class T> auto any(const T &v, rank<7>) -> decltype(v.real(), v.imag(), void()) {
    put("(");
    one(v.real());
    put(", ");
    one(v.imag());
    put(")");
}
template <class T> auto any(const T &v, rank<8>) -> decltype(v.first, v.second, void()) {
    put("{");
    one(v.first);
    put(", ");
    one(v.second);
    put("}");
}
template <class T>
auto any(const T &v, rank<9>) -> decltype(v.begin() != v.end(), *v.begin(), void()) {
    elements(v.begin(), v.end());
}
template <class T>
auto any(const T &v, rank<10>) -> typename std::enable_if<
    std::is_same<typename std::decay<decltype(*v.data())>::type, char>::value &&
    sizeof(v.size())>::type {
    wb_show_quoted(v.data(), v.size(), '"');
}
#ifdef _GLIBCXX_TUPLE
template <class T, size_t... I> void tuple(const T &v, std::index_sequence<I...>) {
    put("{");
    ((put(I ? ", " : ""), one(std::get<I>(v))), ...);
    put("}");
}
template <class... T> void any(const std::tuple<T...> &v, rank<11>) {
    tuple(v, std::index_sequence_for<T...>());
}
#endif
#ifdef _GLIBCXX_OSTREAM
template <class T>
auto any(const T &v, rank<12>) ->
    typename std::enable_if<std::is_class<T>::value && !std::is_convertible<T, float>::value &&
                            sizeof(std::declval<std::ostream &>() << v) &&
                            !std::is_same<typename std::decay<T>::type, std::string>::value>::type {
    std::ostringstream text;
    text << v;
    std::string s = text.str();
    wb_show_put(s.data(), s.size());
}
#endif
template <class T>
auto any(const T &v, rank<13>) -> typename std::enable_if<std::is_enum<T>::value>::type {
    put_type<T>();
    put("(");
    wb_show_signed(static_cast<long long>(v));
    put(")");
}
template <class T>
auto any(const T &v, rank<14>) -> typename std::enable_if<std::is_arithmetic<T>::value>::type {
    if (std::is_same<T, bool>::value)
        put(v ? "true" : "false");
    else if (std::is_floating_point<T>::value)
        wb_show_real(static_cast<double>(v), std::is_same<T, float>::value ? 9 : 17);
    else if (std::is_same<T, char>::value) {
        char c = static_cast<char>(v);
        wb_show_quoted(&c, 1, '\'');
    } else if (std::is_signed<T>::value)
        wb_show_signed(static_cast<long long>(v));
    else
        wb_show_unsigned(static_cast<unsigned long long>(v));
}
template <class T> void any(T *const &v, rank<15>) {
    put_type<T *>();
    put(" ");
    wb_show_pointer(reinterpret_cast<const void *>(v));
}
inline void any(std::nullptr_t, rank<16>) {
    put("nullptr");
}
inline void any(const char *const &v, rank<16>) {
    if (v)
        wb_show_quoted(v, __builtin_strlen(v), '"');
    else
        put("(const char *) nullptr");
}
inline void any(char *const &v, rank<16>) {
    any(static_cast<const char *>(v), rank<16>());
}
inline void any(const cudaError_t &v, rank<16>) {
    wb_show_error(static_cast<int>(v), cudaGetErrorName(v), cudaGetErrorString(v));
}
template <class T, size_t N> void any(const T (&v)[N], rank<17>) {
    elements(v, v + N);
}
template <size_t N> void any(const char (&v)[N], rank<18>) {
    size_t n = 0;
    while (n < N && v[n])
        n++;
    wb_show_quoted(v, n, '"');
}

template <class T> void one(const T &value) {
    any(value, rank<18>());
}

template <class T> void value(const T &v) {
    wb_show_begin();
    one(v);
    wb_show_end();
}
inline void value(nothing) {
}
#ifdef _GLIBCXX_OSTREAM
inline void value(const std::ostream &) {
}
#endif

} // namespace show
} // namespace wb

#endif

/* guard.c: see guard.h. */
#include "runtime/worker/words/guard.h"
#include "runtime/base/words.h"

/* Finds "std::vector<_Tp, _Alloc>" and "operator[]" in "reference std::vector<_Tp,
 * _Alloc>::operator[](size_type) const [with _Tp = int; ..]". Returns the parameters' '('. */
static const char *find_parts(const char *function, const char **type, const char **member) {
    int depth = 0;
    *type = *member = function;
    const char *p = function;
    for (; *p && (*p != '(' || depth); p++) {
        bool arrow = strncmp(p, "->", 2) == 0;
        p += arrow ? 1 : 0;
        depth += (*p == '<') - (*p == '>' && !arrow);
        if (depth == 0 && *p == ' ')
            *type = *member = p + 1;
        else if (depth == 0 && strncmp(p, "::", 2) == 0)
            *member = p + 2;
    }
    return p;
}

/* Appends the template arguments that people write, in the template's order. */
static void add_values(wb_buf *out, const char *parameters, size_t len, const char *with) {
    static const char *const written[] = {"_Tp", "_CharT", "_Type", "_Nm", "_Extent"};
    const char *separator = "<";
    for (size_t i = 0; with && i < WB_COUNT(written); i++) {
        char wanted[32];
        snprintf(wanted, sizeof wanted, " %s = ", written[i]);
        const char *used = memmem(parameters, len, written[i], strlen(written[i]));
        const char *value = used ? strstr(with, wanted) : NULL;
        if (!value)
            continue;
        value += strlen(wanted);
        const char *end = strchr(value, ';');
        size_t n = end ? (size_t)(end - value) : strlen(value) - 1; /* the last ']' */
        wb_buf_printf(out, "%s%.*s", separator, (int)n, value);
        separator = ", ";
    }
    if (*separator == ',')
        wb_buf_putc(out, '>');
}

wb_guard wb_guard_read(const char *function, char *type, size_t size) {
    static const struct {
        const char *ours, *written;
    } renamed[] = {{"std::__cxx11::basic_string<char>", "std::string"},
                   {"std::basic_string_view<char>", "std::string_view"},
                   {"std::__shared_ptr_access<", "std::shared_ptr<"},
                   {"std::_Optional_base_impl<", "std::optional<"}};
    const char *begin, *member, *end = find_parts(function, &begin, &member);
    size_t len = (size_t)(end - member), before = (size_t)(member - begin);
    const char *open = memchr(begin, '<', before);
    wb_buf text = {0};
    wb_buf_append(&text, begin, open ? (size_t)(open - begin) : before < 2 ? 0 : before - 2);
    if (open)
        add_values(&text, open, (size_t)(member - open), strstr(end, "[with "));
    char *whole = wb_buf_steal(&text);
    for (size_t i = 0; i < WB_COUNT(renamed); i++)
        wb_text_replace(&whole, renamed[i].ours, renamed[i].written);
    snprintf(type, size, "%s", whole ? whole : "");
    free(whole);
    bool pointer = strstr(type, "_ptr<") != NULL;
    if (strncmp(type, "std::optional", 13) == 0)
        return WB_GUARD_VALUE;
    if (pointer || wb_word_among(member, len, "operator* operator->"))
        return WB_GUARD_NULL;
    if (len == 10 && strncmp(member, "operator[]", 10) == 0)
        return WB_GUARD_INDEX;
    if (wb_word_among(member, len, "front back top pop pop_back pop_front"))
        return WB_GUARD_EMPTY;
    size_t used = strlen(type);
    snprintf(type + used, size - used, "%s%.*s", used ? "::" : "", (int)len, member);
    return WB_GUARD_OTHER;
}

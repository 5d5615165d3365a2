/* expressions.c: calls, types and operators that do not match. */
#include "runtime/cells/hint/rules.h"

#include <ctype.h>

/* Returns the text after the name and blanks, if the caret points to it. */
static const char *behind(const wb_hint_question *q, const wb_hint *hint) {
    const char *at = wb_hint_caret(q), *end = at + strspn(at, "*(+-&!< ");
    const char *found = strstr(end, hint->name);
    end = found ? found + strlen(hint->name) : "";
    return end + strspn(end, " ");
}

bool wb_hint_keyword(const wb_hint_question *q, wb_hint *hint) {
    wb_piece word = wb_piece_before(wb_hint_source(q).text, wb_hint_caret(q));
    wb_hint_copy(hint->name, word);
    return wb_word_among(word.text, word.len, "if while for switch");
}

/* Accepts a C++ keyword in place of a variable's name: before "=", ";", "," or "[". */
bool wb_hint_reserved(const wb_hint_question *q, wb_hint *hint) {
    const char *next = behind(q, hint);
    return *next && strchr("=;,[", *next) && next[1] != '=';
}

/* Accepts a name that no other row explains. */
bool wb_hint_plain(const wb_hint_question *q, wb_hint *hint) {
    const char *next = behind(q, hint);
    if (*next == '=' && next[1] != '=')
        hint->kind = WB_HINT_UNDECLARED;
    return q->live && hint->line > 0;
}

/* Accepts "2x", which is meant as a name, but not "2". */
bool wb_hint_digit(const wb_hint_question *q, wb_hint *hint) {
    (void)hint;
    const char *at = wb_hint_caret(q);
    return isalpha((unsigned char)at[strspn(at, "0123456789")]);
}

/* Cuts "std::vector<_Tp>::vector" to "std::vector". */
bool wb_hint_class_name(const wb_hint_question *q, wb_hint *hint) {
    (void)q;
    hint->name[strcspn(hint->name, "<")] = '\0';
    return true;
}

/* Accepts a caret at the call's first argument. */
bool wb_hint_first(const wb_hint_question *q, wb_hint *hint) {
    (void)hint;
    const char *at = wb_hint_caret(q);
    return at > wb_hint_source(q).text && at[-1] == '(';
}

/* Takes the name before the first "(" from the caret on. */
bool wb_hint_object(const wb_hint_question *q, wb_hint *hint) {
    const char *open = strchr(wb_hint_caret(q), '(');
    if (open)
        wb_hint_copy(hint->name, wb_piece_before(wb_hint_source(q).text, open));
    return *hint->name;
}

/* Accepts a call. The caret may be at the dot before its name. */
bool wb_hint_called(const wb_hint_question *q, wb_hint *hint) {
    if (strchr(".-", *wb_hint_caret(q)))
        return wb_hint_object(q, hint);
    const char *next = behind(q, hint);
    return *next == '(' || *next == '<' || *next == '{';
}

/* Accepts a caret at the name itself. */
bool wb_hint_name_here(const wb_hint_question *q, wb_hint *hint) {
    const char *at = wb_hint_caret(q);
    return strncmp(at, hint->name, strlen(hint->name)) == 0 && at > wb_hint_source(q).text;
}

bool wb_hint_known(const wb_hint_question *q, wb_hint *hint) {
    int cell;
    hint->name[strcspn(hint->name, ":")] = '\0';
    return wb_hint_entity(q, hint->name, &cell) != NULL;
}

/* Accepts "x ** y" with a value before the stars. */
bool wb_hint_power(const wb_hint_question *q, wb_hint *hint) {
    (void)hint;
    wb_piece line = wb_hint_source(q);
    const char *stars = memmem(line.text, line.len, "**", 2);
    wb_piece value = wb_piece_before(line.text, stars);
    return value.len && !wb_word_among(value.text, value.len, "return else case");
}

bool wb_hint_scalar(const wb_hint_question *q, wb_hint *hint) {
    static const char scalars[] = "int float double char bool unsigned long short";
    (void)q;
    return wb_word_among(hint->other, wb_word_length(hint->other), scalars);
}

bool wb_hint_indirect(const wb_hint_question *q, wb_hint *hint) {
    const char *at = wb_hint_caret(q), *value = at + strspn(at, "= ");
    size_t n = strlen(hint->name), other = strlen(hint->other), shorter = n < other ? n : other;
    bool variable = isalpha((unsigned char)*value) && !strchr(value, '(');
    if (variable && strncmp(hint->name, hint->other, shorter) == 0) {
        if (strcmp(hint->other + shorter, " *") == 0)
            hint->kind = WB_HINT_ADDRESS_MISSING;
        else if (strcmp(hint->name + shorter, " *") == 0)
            hint->kind = WB_HINT_STAR_MISSING;
    }
    return strcmp(hint->name, "void") != 0 && !strstr(hint->name, "__") &&
           !strstr(hint->other, "__");
}

/* Leaves a std::vector in place of a pointer to its own row. */
bool wb_hint_argument(const wb_hint_question *q, wb_hint *hint) {
    (void)hint;
    return !strstr(q->text, "from \"std::vector<");
}

/* hint_other.c: see hint_other.h. */
#include "runtime/cells/hint/hint_other.h"
#include "runtime/base/base.h"

#include <ctype.h>
#include <string.h>

/* The quoted line: from its first character that is not blank to its last. */
typedef struct line {
    const char *text;
    size_t len;
} line;

static line first_line(const char *excerpt) {
    line l = {excerpt + strspn(excerpt, " \t"), 0};
    l.len = strcspn(l.text, "\n");
    while (l.len > 0 && isspace((unsigned char)l.text[l.len - 1]))
        l.len--;
    return l;
}

static bool begins(line l, const char *word) {
    size_t n = strlen(word);
    return l.len > n && memcmp(l.text, word, n) == 0;
}

static bool begins_one_of(line l, const char *const *words) {
    bool found = false;
    for (; *words && !found; words++)
        found = begins(l, *words);
    return found;
}

static bool has(line l, const char *what) {
    return memmem(l.text, l.len, what, strlen(what)) != NULL;
}

/* What C++ could not mean either: statements without a semicolon, blocks behind a colon. */
static bool is_python(line l) {
    static const char *const statements[] = {"import ", "from ", "print(", "print ", "del ",
                                             "raise ",  "with ", "async ", "@",      NULL};
    static const char *const blocks[] = {"def ",   "for ", "if ",     "elif ", "while ", "with ",
                                         "class ", "try:", "except ", "else:", NULL};
    char last = l.len ? l.text[l.len - 1] : ';';
    if (has(l, "\"\"\"") || (begins(l, "from ") && has(l, " import ")))
        return true;
    bool block = last == ':' && l.len > 1 && l.text[l.len - 2] != ' '; /* "class A :" is C++ */
    return (block && begins_one_of(l, blocks) && !has(l, "?")) ||
           (last != ';' && last != '{' && last != ',' && begins_one_of(l, statements));
}

/* IPython takes some commands without their mark. */
static bool is_command(line l) {
    static const char *const commands[] = {
        "pip ",  "pip3 ", "apt ",   "apt-get ", "conda ",      "git ",  "wget ", "curl ",  "nvcc ",
        "make ", "ls ",   "mkdir ", "cat ",     "nvidia-smi ", "sudo ", "./",    "python", NULL};
    return l.text[l.len - 1] != ';' && l.text[l.len - 1] != '{' && begins_one_of(l, commands) &&
           !has(l, " = ");
}

char *wb_hint_other(const char *excerpt) {
    line l = excerpt ? first_line(excerpt) : (line){"", 0};
    if (l.len == 0)
        return NULL;
    if (is_python(l))
        return wb_format(
            "This is Python, and cells are CUDA C++ here. %%%%writefile FILE.py on the "
            "first line and !python3 FILE.py in another cell run it; a source that "
            "Python would write to a file is the cell itself, or %%%%writefile FILE.cu.");
    if (begins(l, "cd ") && l.text[l.len - 1] != ';')
        return wb_format("The line %%%.*s changes the folder.", (int)l.len, l.text);
    if (is_command(l))
        return wb_format("That is a command of the shell: with an exclamation mark before it, "
                         "!%.*s, it is run.",
                         (int)l.len, l.text);
    return NULL;
}

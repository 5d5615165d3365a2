/* words.c: a call's options, looked at in one place: each of those that take a value may be written
 * --seed 7 and --seed=7, and what is none of them is refused with a word on what is meant. */
#include "runtime/cli/words.h"
#include "runtime/base/language.h"
#include "runtime/base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int wb_cli_usage(const wb_command *command, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "warpbook %s: ", command->name);
    vfprintf(stderr, wb_tr(format), args);
    fprintf(stderr, wb_tr("\nusage: warpbook %s %s\n"), command->name, command->usage);
    va_end(args);
    return WB_EXIT_USAGE;
}

/* Whether `name` of n characters is a word of the list. */
static bool is_listed(const char *list, const char *name, size_t n) {
    for (const char *p = list; p && *p; p += strspn(p, " ")) {
        size_t word = strcspn(p, " ");
        if (word == n && memcmp(p, name, n) == 0)
            return true;
        p += word;
    }
    return false;
}

/* Appends the list's words to names; malloc'd text behind them, for the caller to free. */
static char *words_of(const char *list, const char **names, size_t *n, size_t room) {
    char *copy = strdup(list ? list : ""), *rest = copy;
    for (char *word; copy && *n < room && (word = strsep(&rest, " "));)
        if (*word)
            names[(*n)++] = word;
    return copy;
}

static int refuse_unknown(const wb_command *command, const char *word, size_t n) {
    const char *names[64];
    size_t count = 0;
    char *a = words_of(command->values, names, &count, WB_COUNT(names));
    char *b = words_of(command->flags, names, &count, WB_COUNT(names));
    char *name = strndup(word, n);
    const char *near = name ? wb_text_nearest(name, names, count) : NULL;
    int status =
        wb_cli_usage(command, "there is no option %s%s%s%s", word,
                     near ? wb_tr(", did you mean ") : "", near ? near : "", near ? "?" : "");
    free(a);
    free(b);
    free(name);
    return status;
}

int wb_cli_words(const wb_command *command, int argc, char **argv, char **words) {
    int n = 0;
    bool options = true;
    for (int i = 0; i < argc; i++) {
        char *word = argv[i], *equals = strchr(word, '=');
        size_t length = equals ? (size_t)(equals - word) : strlen(word);
        words[n++] = word;
        if (i > 0 && command->leading) /* -O3 is the compiler's, and "--" ends them too */
            options &= strncmp(word, "--", 2) == 0 && word[2] != '\0';
        if (i == 0 || !options || word[0] != '-' || word[1] == '\0')
            continue;
        if (strcmp(word, "--help") == 0 && command->flags)
            return -1;
        if (!is_listed(command->values, word, length)) {
            if (!command->flags || (is_listed(command->flags, word, length) && !equals))
                continue;
            return is_listed(command->flags, word, length)
                       ? -wb_cli_usage(command, "%.*s takes no value", (int)length, word) - 1
                       : -refuse_unknown(command, word, length) - 1;
        }
        if (equals) {
            *equals = '\0'; /* argv is ours to write to */
            words[n++] = equals + 1;
        } else if (++i < argc) {
            words[n++] = argv[i];
        } else {
            return -wb_cli_usage(command, "%s needs a value", word) - 1;
        }
    }
    return n;
}

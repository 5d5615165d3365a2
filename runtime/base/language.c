/* language.c: error messages, the user's language, and its catalogue. The catalogue is part of the
 * program, because a sandbox or a user's program that changed folders could not find a file. */
#include "runtime/base/base.h"
#include "runtime/base/language.h"
#include "runtime/base/catalog.h"

#include <pthread.h>
#include <stdatomic.h>
#include <strings.h>

#ifndef WB_CATALOGS
#define WB_CATALOGS "build/language"
#endif
__asm__(".section .rodata\n"
        ".balign 8\n"
        "wb_zh_begin:\n"
        ".incbin \"" WB_CATALOGS "/zh_CN.mo\"\n"
        "wb_zh_end:\n"
        ".previous\n");
#define OWN __attribute__((visibility("hidden")))
extern const unsigned char wb_zh_begin[] OWN, wb_zh_end[] OWN;

static wb_catalog chinese;

static void open_chinese(void) {
    wb_catalog_open(&chinese, wb_zh_begin, (size_t)(wb_zh_end - wb_zh_begin));
}

/* ---- which ---------------------------------------------------------------------------------- */

bool wb_language_read(const char *name, wb_language *language) {
    static const struct {
        const char *name;
        wb_language language;
    } known[] = {{"en", WB_ENGLISH},
                 {"zh", WB_CHINESE},
                 {"english", WB_ENGLISH},
                 {"chinese", WB_CHINESE},
                 {"中文", WB_CHINESE}};
    size_t n = strcspn(name, "_-.@:");
    for (size_t i = 0; i < WB_COUNT(known); i++) {
        if (strlen(known[i].name) == n && strncasecmp(known[i].name, name, n) == 0) {
            *language = known[i].language;
            return true;
        }
    }
    return false;
}

/* Returns true unless the locale names another encoding than UTF-8, which all our texts have. */
static bool is_utf8(const char *locale) {
    const char *set = strchr(locale, '.');
    return !set || strncasecmp(set, ".utf-8", 6) == 0 || strncasecmp(set, ".utf8", 5) == 0;
}

/* Follows gettext: LANGUAGE is a list, and counts only if the locale is not C. */
static wb_language from_environment(void) {
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    wb_language language = WB_ENGLISH;
    const char *own = getenv("WARPBOOK_LANGUAGE"), *locale = NULL;
    if (own && wb_language_read(own, &language))
        return language;
    for (size_t i = 0; i < WB_COUNT(names) && !(locale && *locale); i++)
        locale = getenv(names[i]);
    size_t n = locale ? strcspn(locale, ".") : 0;
    if (n == 0 || (n == 1 && locale[0] == 'C') || strcmp(locale, "POSIX") == 0 || !is_utf8(locale))
        return WB_ENGLISH;
    for (const char *list = getenv("LANGUAGE"); list && *list; list += *list == ':') {
        if (wb_language_read(list, &language))
            return language;
        list += strcspn(list, ":");
    }
    wb_language_read(locale, &language);
    return language;
}

enum { UNKNOWN = -1 };
static atomic_int current = UNKNOWN;
static atomic_bool told; /* wb_language_set was called */

wb_language wb_language_get(void) {
    int language = atomic_load_explicit(&current, memory_order_relaxed);
    if (language == UNKNOWN) { /* two threads may both look; they find the same */
        language = (int)from_environment();
        int unknown = UNKNOWN;
        if (!atomic_compare_exchange_strong(&current, &unknown, language))
            language = unknown;
    }
    return (wb_language)language;
}

void wb_language_set(wb_language language) {
    atomic_store(&current, (int)language);
    atomic_store(&told, true);
}

const char *wb_language_name(wb_language language) {
    return language == WB_CHINESE ? "zh" : "en";
}

const char *wb_language_entry(void) {
    if (!atomic_load(&told))
        return NULL;
    return wb_language_get() == WB_CHINESE ? "WARPBOOK_LANGUAGE=zh" : "WARPBOOK_LANGUAGE=en";
}

const char *wb_language_file(const char *file, char *buf, size_t size) {
    int number, len = 0;
    if (!file || sscanf(file, "cell [%d]%n", &number, &len) != 1 || len == 0 || file[len])
        return file;
    snprintf(buf, size, _("cell [%i]"), number); /* the file's own name has %d */
    return buf;
}

/* ---- errors --------------------------------------------------------------------------------- */

bool wb_fail(wb_error *err, int code, const char *format, ...) {
    if (!err)
        return false;
    err->code = code;
    WB_FORMAT_INTO(err->text, format);
    return false;
}

/* ---- texts ---------------------------------------------------------------------------------- */

static const wb_catalog *catalog_of_chinese(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_chinese);
    return &chinese;
}

bool wb_language_has(wb_language language) {
    return language == WB_ENGLISH || catalog_of_chinese()->count > 1; /* 1: only the head */
}

const char *wb_tr(const char *text) {
    if (wb_language_get() == WB_ENGLISH || !*text)
        return text;
    const char *found = wb_catalog_find(catalog_of_chinese(), text);
    return found && *found ? found : text;
}

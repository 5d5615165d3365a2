/* bring.c: see bring.h. A header may be omitted only if the unit without it means the same or does
 * not compile. A unit that does not compile is compiled again with all headers (session.c), and the
 * user sees those messages. Three things could change the meaning silently:
 *
 * - Overloads. A unit can't reach names of a library's namespace unless it names the namespace,
 *   has an argument of one of its types (then the type's text names it), or has a using-directive,
 *   which is live in every later cell. Thrust and its kin can't be named without their headers.
 *   The standard library's headers that they read always replace them, so std keeps its overloads.
 *   A function of CUDA's 16-bit types needs an argument of, or a conversion to, such a type. Every
 *   other overload wins against a conversion.
 * - Names of C, which are global. All public C headers that the #include's cell read replace it.
 * - Tested macros. A unit with a line #if, #ifdef or #elif omits nothing.
 *
 * The user's own headers that stay #include lines may do any of that, so a notebook with one omits
 * nothing. */
#include "runtime/cells/headers/bring.h"

#include <ctype.h>
#include <limits.h>

#include "runtime/device/toolkit.h"

/* ---- what a unit uses ----------------------------------------------------------------------- */

typedef struct scan {
    wb_uses *uses;
    const char *text;
    size_t len;
} scan;

/* Returns true if a namespace's name is used: after "namespace", or before no word (a comment). */
static bool is_used(const scan *s, size_t start, size_t end) {
    start = wb_trimmed(s->text, start, WB_BLANK);
    if (start >= 9 && memcmp(s->text + start - 9, "namespace", 9) == 0)
        return true;
    while (end < s->len && (s->text[end] == ' ' || s->text[end] == '\t'))
        end++;
    unsigned char next = end < s->len ? (unsigned char)s->text[end] : '\n';
    return !isalnum(next) && next != '_' && next != '.' && next != ',';
}

/* Notes one word. An overlooked use fails to compile, and only costs a second compilation. */
static void see(void *ctx, const char *word, size_t n) {
    static const char *const macros[] = {"THRUST", "CUB_", "CCCL", "_CCCL", "LIBCUDACXX"};
    scan *s = ctx;
    size_t start = (size_t)(word - s->text);
    s->uses->cccl |= wb_word_among(word, n, "thrust cub cuda cooperative_groups nvtx3") &&
                     is_used(s, start, start + n);
    for (size_t i = 0; i < WB_COUNT(macros); i++)
        s->uses->cccl |= wb_begins(word, macros[i]);
    bool directive = wb_word_among(word, n, "if ifdef ifndef elif");
    start = directive ? wb_trimmed(s->text, start, " \t") : 0;
    s->uses->all |= start > 0 && s->text[start - 1] == '#';
}

void wb_uses_add(wb_uses *uses, const char *text, size_t len) {
    scan s = {.uses = uses, .text = text, .len = len};
    if (text)
        wb_words(text, len, see, &s);
}

/* ---- what a header brings ------------------------------------------------------------------- */

/* Returns the rest of a path below `folder`, or NULL. */
static const char *below(const char *path, const char *folder) {
    size_t n = strlen(folder);
    return n && strncmp(path, folder, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

/* Returns "vector" for <c++/12/vector>; NULL for internal parts (bits/) and other folders. */
static const char *of_library(const char *in_usr) {
    const char *rest = below(in_usr, "c++");
    rest = rest ? strchr(rest, '/') : NULL;
    return rest && !strchr(rest + 1, '/') ? rest + 1 : NULL;
}

/* Returns "sys/types.h" for "x86_64-linux-gnu/sys/types.h" and "sys/types.h". */
static const char *of_c(const char *in_usr) {
    const char *slash = strchr(in_usr, '/');
    const char *name =
        slash && memmem(in_usr, (size_t)(slash - in_usr), "-linux-", 7) ? slash + 1 : in_usr;
    static const char *const own[] = {"bits", "gnu", "asm", "asm-generic", "c++"};
    for (size_t i = 0; i < WB_COUNT(own); i++)
        if (below(name, own[i]))
            return NULL;
    return name;
}

/* Folders of headers that are not the user's. */
typedef struct places {
    char toolkit[PATH_MAX], as_found[PATH_MAX], ours[PATH_MAX];
} places;

static bool find_places(places *p) {
    wb_toolkit toolkit;
    wb_error err;
    WB_SCOPED char *share = wb_path_share("include");
    bool ok = share && wb_toolkit_find(&toolkit, &err) &&
              realpath(toolkit.include_dir, p->toolkit) && realpath(share, p->ours);
    if (ok)
        snprintf(p->as_found, sizeof p->as_found, "%s", toolkit.include_dir);
    return ok;
}

static bool is_known(const places *p, const char *path) {
    const char *const folders[] = {"/usr/include", "/usr/lib", p->toolkit, p->as_found, p->ours};
    for (size_t i = 0; i < WB_COUNT(folders); i++)
        if (below(path, folders[i]))
            return true;
    return false;
}

bool wb_header_is_own(const char *path) {
    places p;
    return find_places(&p) && !is_known(&p, path);
}

/* Adds the line for one file. Returns false if it is the user's own. */
static bool add_file(wb_strings *lines, const char *path, const places *p) {
    char file[PATH_MAX];
    if (!realpath(path, file) || !(is_known(p, file) || is_known(p, path)))
        return false;
    const char *in_usr = below(file, "/usr/include");
    const char *library = in_usr ? of_library(in_usr) : NULL, *c = in_usr ? of_c(in_usr) : NULL;
    if (library || c)
        wb_strings_own(lines, wb_format("#include <%s>\n", library ? library : c));
    return true;
}

char *wb_brings(const char *inputs) {
    places p;
    WB_SCOPED_STRINGS wb_strings lines = {0};
    wb_buf out = {0};
    bool ok = inputs && find_places(&p);
    while (ok && *inputs) {
        size_t n = strcspn(inputs, "\n");
        WB_SCOPED char *path = wb_format("%.*s", (int)n, inputs);
        ok = path && add_file(&lines, path, &p);
        inputs += n + (inputs[n] == '\n');
    }
    if (!ok || lines.failed)
        return NULL;
    if (lines.n) /* all compilers give the same order */
        qsort(lines.v, lines.n, sizeof *lines.v, wb_by_text);
    for (size_t i = 0; i < lines.n; i++)
        wb_buf_puts(&out, i > 0 && strcmp(lines.v[i], lines.v[i - 1]) == 0 ? "" : lines.v[i]);
    return wb_buf_steal(&out);
}

/* ---- what stays away ------------------------------------------------------------------------ */

/* Returns the file of a live `#include <file>` at file scope, its length in *len, or NULL. */
static const char *file_of(const wb_entity *e, size_t *len) {
    bool include = e->kind == WB_ENTITY_INCLUDE && e->text && !*e->open;
    const char *file = include ? wb_word_included(e->text, len) : NULL;
    return file && file[-1] == '<' ? file : NULL;
}

bool wb_may_stay_away(const wb_entity *e, const char *brings, const wb_uses *uses) {
    static const char *const cccl[] = {"thrust/", "cub/", "cuda/", "cooperative_groups"};
    size_t n = 0;
    const char *file = file_of(e, &n);
    if (!file || !brings || uses->all)
        return false;
    for (size_t i = 0; i < WB_COUNT(cccl); i++)
        if (wb_begins(file, cccl[i]))
            return !uses->cccl;
    return false;
}

/* cuda_api.c: reads declarations and their doc comments from CUDA's headers. It needs no parser,
 * because the headers follow a pattern. A missed name costs only a completion. */
#include "jupyter_kernel/help/cuda_api.h"

#include <ctype.h>
#include <pthread.h>

#include "runtime/device/toolkit.h"
#include "runtime/base/words.h"

/* Texts are offsets into api.text while the list grows. The sorted list has pointers. */
typedef struct entry {
    size_t name, signature, brief;
    const char *type;
} entry;

static pthread_mutex_t reading =
    PTHREAD_MUTEX_INITIALIZER; /* other requests may come while a cell runs */

static struct {
    bool read;
    wb_buf text;
    entry *entries;
    size_t n;
    cuda_name *names;
} api;

/* A position in a header. */
typedef struct reader {
    const char *p, *end;
    wb_buf doc; /* the brief of the last doc comment, until a declaration takes it */
    bool in_enum;
} reader;

/* ---- the list ----------------------------------------------------------------------------- */

static size_t keep(const char *text, size_t len) {
    size_t at = api.text.len;
    wb_buf_append(&api.text, text, len);
    wb_buf_append(&api.text, "", 1);
    return at;
}

static void add(reader *r, const char *name, size_t len, const wb_buf *signature,
                const char *type) {
    entry *e = WB_PUSH(api.entries, api.n);
    if (!e)
        return;
    e->name = keep(name, len);
    e->signature =
        keep(signature && signature->data ? signature->data : "", signature ? signature->len : 0);
    e->brief = keep(r->doc.data ? r->doc.data : "", r->doc.len);
    e->type = type;
    wb_buf_clear(&r->doc);
}

/* ---- comments ----------------------------------------------------------------------------- */

static bool starts(const char *p, const char *end, const char *word) {
    size_t n = strlen(word);
    return (size_t)(end - p) >= n && memcmp(p, word, n) == 0;
}

/* Takes the plain text of a doc comment up to the first empty line or command. */
static void take_brief(reader *r, const char *p, const char *end) {
    wb_buf_clear(&r->doc);
    bool line_start = true, blank_line = false;
    for (; p < end && r->doc.len < 400; p++) {
        if (*p == '\n') {
            if (blank_line && r->doc.len > 0)
                return;
            line_start = blank_line = true;
            continue;
        }
        if (line_start && (isspace((unsigned char)*p) || *p == '*' || *p == '<'))
            continue;
        if (line_start && *p == '\\' && r->doc.len > 0)
            return;
        if (line_start && r->doc.len > 0)
            wb_buf_putc(&r->doc, ' ');
        line_start = blank_line = false;
        if (*p == '\\') { /* \p, \ref, \e: keep the word that follows */
            while (p + 1 < end && !isspace((unsigned char)p[1]))
                p++;
            p++;
        } else if (p[0] != ':' || p + 1 == end || p[1] != ':') {
            wb_buf_putc(&r->doc, *p);
        } else {
            p++;
        }
    }
}

/* Skips the comment at r->p and keeps its brief if it is a doc comment. */
static void read_comment(reader *r) {
    const char *close = memmem(r->p + 2, (size_t)(r->end - r->p) - 2, "*/", 2);
    const char *stop = close ? close : r->end;
    if (starts(r->p, r->end, "/**") && !starts(r->p, r->end, "/**/")) {
        const char *brief = memmem(r->p, (size_t)(stop - r->p), "\\brief", 6);
        take_brief(r, brief ? brief + 6 : r->p + 3, stop);
    }
    r->p = close ? close + 2 : r->end;
}

/* ---- declarations ------------------------------------------------------------------------- */

/* Returns true for a word that does not help a reader: linkage or calling convention. */
static bool is_noise(const char *word, size_t len) {
    return wb_word_among(word, len,
                         "extern __host__ CUDARTAPI CUDARTAPI_CDECL CUBLASAPI CUBLASWINAPI "
                         "__cudart_builtin__ __device_builtin__ __CUDA_MATH_CRTIMP __cdecl __THROW "
                         "__DEVICE_FUNCTIONS_DECL__ _CRTIMP __forceinline__ __inline__");
}

/* Joins blanks, drops noise words and the _v2 of cuBLAS names, and writes __dv(x) as " = x". */
static void clean_signature(const char *p, const char *end, wb_buf *out) {
    while (p < end) {
        if (isspace((unsigned char)*p)) {
            if (out->len > 0 && out->data[out->len - 1] != ' ' && out->data[out->len - 1] != '(')
                wb_buf_putc(out, ' ');
            p++;
        } else if (wb_word_part(*p)) {
            const char *word = p;
            while (p < end && wb_word_part(*p))
                p++;
            size_t len = (size_t)(p - word);
            if (len == 4 && memcmp(word, "__dv", 4) == 0 && p < end && *p == '(') {
                const char *close = memchr(p, ')', (size_t)(end - p));
                wb_buf_puts(out, out->len && out->data[out->len - 1] == ' ' ? "= " : " = ");
                wb_buf_append(out, p + 1, close ? (size_t)(close - p) - 1 : 0);
                p = close ? close + 1 : end;
            } else if (!is_noise(word, len)) {
                bool v2 = len > 9 && memcmp(word, "cublas", 6) == 0 &&
                          memcmp(word + len - 3, "_v2", 3) == 0;
                wb_buf_append(out, word, v2 ? len - 3 : len);
            }
        } else {
            wb_buf_putc(out, *p++);
        }
    }
    while (out->len > 0 && out->data[out->len - 1] == ' ')
        out->data[--out->len] = '\0';
}

/* Reads a statement with one of the known beginnings. It counts if it declares a function. */
static void read_declaration(reader *r) {
    const char *from = r->p, *stop = from;
    while (stop < r->end && *stop != ';' && *stop != '{' && *stop != '#')
        stop++;
    r->p = stop < r->end && *stop != '#' ? stop + 1 : stop;
    wb_buf signature = {0};
    if (stop - from < 4000)
        clean_signature(from, stop, &signature);
    const char *open = signature.data ? strchr(signature.data, '(') : NULL;
    const char *name = open;
    while (name && name > signature.data && wb_word_part(name[-1]))
        name--;
    if (name && open - name > 2 && name > signature.data && strncmp(name, "__attr", 6) != 0 &&
        !isdigit((unsigned char)*name))
        add(r, name, (size_t)(open - name), &signature, "function");
    else
        wb_buf_clear(&r->doc);
    wb_buf_free(&signature);
}

/* Reads an enumerator up to the comma, with the doc comment before or after it. */
static void read_enumerator(reader *r) {
    const char *name = r->p;
    while (r->p < r->end && wb_word_part(*r->p))
        r->p++;
    const char *name_end = r->p;
    while (r->p < r->end && *r->p != ',' && *r->p != '}' && *r->p != '\n' &&
           !starts(r->p, r->end, "/*"))
        r->p++;
    if (r->p < r->end && *r->p == ',')
        r->p++;
    const char *behind = r->p;
    while (behind < r->end && (*behind == ' ' || *behind == '\t'))
        behind++;
    if (starts(behind, r->end, "/**<")) {
        r->p = behind;
        read_comment(r);
    }
    if (name_end - name > 3)
        add(r, name, (size_t)(name_end - name), NULL, "enumerator");
}

static void skip_line(reader *r) {
    while (r->p < r->end && *r->p != '\n') {
        if (*r->p == '\\' && r->p + 1 < r->end)
            r->p++;
        r->p++;
    }
}

static bool begins_declaration(const reader *r) {
    static const char *const begin[] = {"extern __host__", "extern __DEVICE_FUNCTIONS_DECL__",
                                        "__DEVICE_FUNCTIONS_DECL__", "CUBLASAPI",
                                        "cublasStatus_t CUBLASWINAPI"};
    for (size_t i = 0; i < WB_COUNT(begin); i++)
        if (starts(r->p, r->end, begin[i]))
            return true;
    return false;
}

static void read_item(reader *r) {
    if (starts(r->p, r->end, "/*")) {
        read_comment(r);
    } else if (*r->p == '#' || starts(r->p, r->end, "//")) {
        skip_line(r);
    } else if (r->in_enum) {
        if (*r->p == '}')
            r->in_enum = false;
        if (wb_word_part(*r->p))
            read_enumerator(r);
        else
            r->p++;
    } else if (begins_declaration(r)) {
        read_declaration(r);
    } else if (starts(r->p, r->end, "enum ") || starts(r->p, r->end, "typedef enum")) {
        while (r->p < r->end && *r->p != '{' && *r->p != ';')
            r->p++;
        r->in_enum = r->p < r->end && *r->p++ == '{';
        wb_buf_clear(&r->doc);
    } else {
        while (r->p < r->end && wb_word_part(*r->p))
            r->p++;
        if (r->p < r->end)
            r->p++;
    }
}

bool cuda_api_scan(const char *text, size_t len) {
    reader r = {.p = text, .end = text + len};
    while (r.p < r.end)
        read_item(&r);
    wb_buf_free(&r.doc);
    return !api.text.failed;
}

/* ---- the toolkit -------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b) {
    return strcmp(((const cuda_name *)a)->name, ((const cuda_name *)b)->name);
}

/* Sorts the list and keeps one entry a name, one with documentation if there is any. */
static void finish(void) {
    api.names = calloc(api.n ? api.n : 1, sizeof *api.names);
    if (!api.names || api.text.failed) {
        api.n = 0;
        return;
    }
    const char *base = api.text.data;
    for (size_t i = 0; i < api.n; i++) {
        const entry *e = &api.entries[i];
        api.names[i] = (cuda_name){base + e->name, base + e->signature, base + e->brief, e->type};
    }
    qsort(api.names, api.n, sizeof *api.names, by_name);
    size_t kept = 0;
    for (size_t i = 0; i < api.n; i++) {
        bool again = kept > 0 && by_name(&api.names[i], &api.names[kept - 1]) == 0;
        if (!again)
            api.names[kept++] = api.names[i];
        else if (!api.names[kept - 1].brief[0])
            api.names[kept - 1] = api.names[i];
    }
    api.n = kept;
    free(api.entries);
    api.entries = NULL;
}

const cuda_name *cuda_api_all(size_t *n) {
    static const char *const headers[] = {"cuda_runtime_api.h", "driver_types.h", "cublas_api.h",
                                          "crt/device_functions.h", "crt/math_functions.h"};
    pthread_mutex_lock(&reading);
    if (!api.read) {
        api.read = true;
        wb_toolkit toolkit;
        bool found = wb_toolkit_find(&toolkit, NULL);
        for (size_t i = 0; found && i < WB_COUNT(headers); i++) {
            wb_buf text = {0};
            char *path = wb_format("%s/%s", toolkit.include_dir, headers[i]);
            if (path && wb_file_read(path, 16 << 20, &text, NULL))
                cuda_api_scan(text.data, text.len);
            wb_buf_free(&text);
            free(path);
        }
        finish();
    }
    pthread_mutex_unlock(&reading);
    *n = api.n;
    return api.names;
}

const cuda_name *cuda_api_find(const char *name, size_t len) {
    size_t n, low = 0;
    const cuda_name *names = cuda_api_all(&n);
    for (size_t high = n; low < high;) {
        size_t mid = low + (high - low) / 2;
        int order = strncmp(names[mid].name, name, len);
        if (order == 0 && names[mid].name[len] == '\0')
            return &names[mid];
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

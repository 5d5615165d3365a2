/* resources.c: see resources.h. */
#include "runtime/model/resources.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/scoped.h"
#include "runtime/model/alone.h"
#include "runtime/model/assemble.h"

enum { MAX_ENTRIES = 4096, MAX_ENTRY_BYTES = 512 };

char *model_ptxas(wb_error *err) {
    static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH"};
    const char *given = wb_setting("WARPBOOK_SOFTGPU_PTXAS");
    if (given) {
        if (access(given, X_OK) == 0)
            return strdup(given);
        wb_fail(err, 1, _("$WARPBOOK_SOFTGPU_PTXAS names %.400s, which can't be run: %s"), given,
                strerror(errno));
        return NULL;
    }
    char *found = wb_path_find("ptxas");
    for (size_t i = 0; !found && i < WB_COUNT(homes); i++) {
        const char *home = getenv(homes[i]);
        char *path = home && *home ? wb_format("%s/bin/ptxas", home) : NULL;
        found = path ? wb_path_find(path) : NULL;
        free(path);
    }
    if (!found)
        wb_fail(
            err, 1,
            _("there is no ptxas on the PATH nor in $CUDA_HOME/bin: CUDA's assembler determines "
              "how many registers a kernel needs"));
    return found;
}

/* ---- the GPU's name ----------------------------------------------------------------------- */

/* Returns 90 and 'a' from the first line that begins with ".target sm_90a". Returns 0 if there is
 * none; ptxas then reports the error. */
static unsigned target_of(const char *ptx, size_t len, char *suffix) {
    static const char word[] = ".target";
    const char *end = ptx + len;
    unsigned target = 0;
    *suffix = '\0';
    for (const char *p = ptx; (p = memmem(p, (size_t)(end - p), word, sizeof word - 1)) != NULL;) {
        bool begins = p == ptx || p[-1] == '\n';
        p += sizeof word - 1;
        while (p < end && (*p == ' ' || *p == '\t'))
            p++;
        if (!begins || end - p < 4 || memcmp(p, "sm_", 3) != 0)
            continue;
        for (p += 3; p < end && isdigit((unsigned char)*p) && target < 10000; p++)
            target = 10 * target + (unsigned)(*p - '0');
        *suffix = p < end && (*p == 'a' || *p == 'f') ? *p : '\0';
        return target;
    }
    return 0;
}

/* Makes the argument of -arch: "sm_90", or "sm_90a" for code of one architecture only. */
static bool name_arch(const char *ptx, size_t len, unsigned capability, char arch[32],
                      wb_error *err) {
    char suffix;
    unsigned target = target_of(ptx, len, &suffix), c = capability;
    if (suffix == 'a' && target != c)
        return wb_fail(err, 1,
                       _("this code is for compute capability %u.%u alone (sm_%ua), and this GPU's "
                         "is %u.%u"),
                       target / 10, target % 10, target, c / 10, c % 10);
    if (suffix == 'f' && (target > c || target / 10 != c / 10))
        return wb_fail(err, 1,
                       _("this code is for GPUs like those of compute capability %u.%u (sm_%uf), "
                         "and this GPU's is %u.%u"),
                       target / 10, target % 10, target, c / 10, c % 10);
    if (target > c)
        return wb_fail(err, 1,
                       _("this code is for compute capability %u.%u and newer, and this GPU's is "
                         "%u.%u"),
                       target / 10, target % 10, c / 10, c % 10);
    snprintf(arch, 32, "sm_%u%s", c, suffix == 'a' ? "a" : "");
    return true;
}

/* ---- ptxas's output ---------------------------------------------------------------------- */

/* Returns the number before `unit`, as in "Used 24 registers, 1024 bytes smem", or 0. */
static uint64_t number_before(const char *line, size_t len, const char *unit) {
    const char *at = memmem(line, len, unit, strlen(unit)), *digit = at;
    if (!at || at == line)
        return 0;
    while (digit > line && isdigit((unsigned char)digit[-1]))
        digit--;
    return strtoull(digit, NULL, 10);
}

static bool has(const char *line, size_t len, const char *text) {
    return memmem(line, len, text, strlen(text)) != NULL;
}

/* Reads the figures of a kernel. Called functions have "Function properties" with their own spills
 * too. If other kernels were assembled as well (!alone), nothing says which kernel calls them. Then
 * only the kernel's own spills count. */
static bool read_figures(const char *log, const char *kernel, bool alone, model_resources *out) {
    char *heading = wb_format("Compiling entry function '%s' for", kernel);
    const char *at = heading && log ? strstr(log, heading) : NULL;
    uint64_t deepest = 0;
    bool used = false;
    *out = (model_resources){0};
    for (size_t n; at && *at && (alone || !used); at += n + (at[n] == '\n')) {
        n = strcspn(at, "\n");
        if (has(at, n, " bytes stack frame, ")) {
            uint64_t frame = number_before(at, n, " bytes stack frame");
            deepest = frame > deepest ? frame : deepest;
            out->spill_store_bytes += number_before(at, n, " bytes spill stores");
            out->spill_load_bytes += number_before(at, n, " bytes spill loads");
        } else if (has(at, n, ": Used ") && has(at, n, " registers")) {
            used = true;
            out->registers = number_before(at, n, " registers");
            out->shared_bytes = number_before(at, n, " bytes smem");
            out->local_bytes = number_before(at, n, " bytes cumulative stack size");
        }
    }
    free(heading);
    if (out->local_bytes < deepest) /* for recursion ptxas knows only the frames */
        out->local_bytes = deepest;
    return used && out->registers > 0;
}

/* ---- the cache ---------------------------------------------------------------------------- */

/* Makes an entry's text: its key, the figures, and a checksum of both. */
static bool render(const char *key, const model_resources *r, char out[MAX_ENTRY_BYTES]) {
    char sum[WB_SHA256_TEXT];
    int n = snprintf(out, MAX_ENTRY_BYTES, "warpbook resources 1 %s %llu %llu %llu %llu %llu ", key,
                     (unsigned long long)r->registers, (unsigned long long)r->spill_store_bytes,
                     (unsigned long long)r->spill_load_bytes, (unsigned long long)r->shared_bytes,
                     (unsigned long long)r->local_bytes);
    if (n <= 0 || n + WB_SHA256_TEXT + 1 >= MAX_ENTRY_BYTES)
        return false;
    wb_sha256(out, (size_t)n, sum);
    snprintf(out + n, (size_t)(MAX_ENTRY_BYTES - n), "%s\n", sum);
    return true;
}

static bool load(const char *path, const char *key, model_resources *r) {
    unsigned long long f[5];
    char again[MAX_ENTRY_BYTES];
    struct stat st;
    WB_SCOPED_BUF wb_buf text = {0};
    bool ok = stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
              wb_file_read(path, MAX_ENTRY_BYTES, &text, NULL) && text.data &&
              sscanf(text.data, "warpbook resources 1 %*64s %llu %llu %llu %llu %llu", &f[0], &f[1],
                     &f[2], &f[3], &f[4]) == 5;
    if (ok) {
        *r = (model_resources){f[0], f[1], f[2], f[3], f[4]};
        ok = render(key, r, again) && strlen(again) == text.len &&
             memcmp(again, text.data, text.len) == 0;
    }
    return ok;
}

/* Empties the folder if it has too many entries. */
static void bound(const char *folder) {
    DIR *d = opendir(folder);
    size_t n = 0;
    while (d && readdir(d) != NULL)
        n++;
    if (d)
        closedir(d);
    if (n > MAX_ENTRIES)
        wb_dir_remove(folder, NULL);
}

/* Writes an entry; failure is no error. Does not use wb_file_write(), which would change the
 * program's umask for a moment. */
static void keep(const char *folder, const char *path, const char *key, const model_resources *r) {
    char text[MAX_ENTRY_BYTES];
    bound(folder);
    WB_SCOPED char *temporary = wb_format("%s.XXXXXX", path);
    int fd = temporary && render(key, r, text) && wb_dir_make(folder, NULL)
                 ? mkostemp(temporary, O_CLOEXEC)
                 : -1;
    if (fd >= 0) {
        size_t len = strlen(text);
        bool ok = write(fd, text, len) == (ssize_t)len;
        ok = close(fd) == 0 && ok;
        if (!ok || rename(temporary, path) != 0)
            unlink(temporary);
    }
}

/* Hashes everything that the figures depend on: ptxas, GPU, kernel and code. */
static bool make_key(const char *ptxas, const char *arch, const char *kernel, const wb_buf *code,
                     char key[WB_SHA256_TEXT]) {
    struct stat st;
    WB_SCOPED_BUF wb_buf all = {0};
    bool ok = stat(ptxas, &st) == 0 &&
              wb_buf_printf(&all, "%s\n%lld %lld %ld\n%s\n%s\n", ptxas, (long long)st.st_size,
                            (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, arch, kernel) &&
              wb_buf_append(&all, code->data, code->len);
    if (ok)
        wb_sha256(all.data, all.len, key);
    return ok;
}

/* ---- finding resources ------------------------------------------------------------------- */

/* Assembles the kernel alone. If something else names a removed kernel, assembles the whole code,
 * which takes longer. Errors then have the right line. */
static bool ask(const char *ptxas, const char *arch, const char *kernel, const wb_buf *code,
                const char *ptx, size_t len, model_resources *out, wb_error *err) {
    WB_SCOPED_BUF wb_buf log = {0};
    bool alone = model_assemble(ptxas, arch, kernel, code->data, code->len, &log, NULL), ok = alone;
    if (!alone) {
        wb_buf_clear(&log);
        ok = model_assemble(ptxas, arch, NULL, ptx, len, &log, err);
    }
    if (ok && !read_figures(log.data, kernel, alone, out))
        ok =
            wb_fail(err, 1, _("%.400s doesn't say how many registers %.200s takes"), ptxas, kernel);
    return ok;
}

bool model_resources_of(const char *ptxas, const char *ptx, size_t len, const char *kernel,
                        unsigned capability, model_resources *out, wb_error *err) {
    char arch[32], key[WB_SHA256_TEXT];
    *out = (model_resources){0};
    if (access(ptxas, X_OK) != 0)
        return wb_fail(err, 1, _("can't run %.400s: %s"), ptxas, strerror(errno));
    if (!name_arch(ptx, len, capability, arch, err))
        return false;
    WB_SCOPED_BUF wb_buf alone = {0};
    if (!model_alone(ptx, len, kernel, &alone))
        return wb_fail(err, 1, _("this code has no kernel %.400s that can be read"), kernel);
    WB_SCOPED char *folder = wb_path_cache("resources");
    WB_SCOPED char *path = folder && make_key(ptxas, arch, kernel, &alone, key)
                               ? wb_format("%s/%s", folder, key)
                               : NULL;
    bool ok = path && load(path, key, out);
    if (!ok) {
        ok = ask(ptxas, arch, kernel, &alone, ptx, len, out, err);
        if (ok && path)
            keep(folder, path, key, out);
    }
    return ok;
}

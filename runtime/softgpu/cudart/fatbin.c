#include "runtime/softgpu/cudart/fatbin.h"
#include "runtime/base/scoped.h"
#include "runtime/softgpu/machine/refused.h"

#include <lz4.h>
#include <zstd.h>

#define WRAPPER_MAGIC 0x466243b1u
#define CONTAINER_MAGIC 0xBA55ED50u
#define FLAG_LZ4 0x2000u
#define FLAG_ZSTD 0x8000u

enum { CONTAINER_HEADER = 16, ENTRY_HEADER = 64 };
enum { NO_CODE = 209 /* cudaErrorNoKernelImageForDevice */ };

/* More than any module of nvcc. A damaged length must not request all memory. */
#define MAX_EXPANDED ((uint64_t)1 << 30)

static uint16_t u16(const uint8_t *p) {
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint32_t u32(const uint8_t *p) {
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint64_t u64(const uint8_t *p) {
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* PTX text begins with comments and blank lines, then `.version`. */
static bool looks_like_ptx(const char *text, size_t limit) {
    for (size_t i = 0; i < limit && text[i] != '\0'; i++) {
        if (text[i] == '/' && i + 1 < limit && text[i + 1] == '/') {
            while (i < limit && text[i] != '\n' && text[i] != '\0')
                i++;
            if (i >= limit || text[i] == '\0')
                return false;
        } else if (text[i] == '.') {
            return limit - i >= 8 && strncmp(text + i, ".version", 8) == 0;
        } else if (strchr(" \t\r\n", text[i]) == NULL) {
            return false;
        }
    }
    return false;
}

fatbin_form fatbin_identify(const void *code, size_t limit) {
    if (limit >= 4) {
        uint32_t magic = u32(code);
        if (magic == WRAPPER_MAGIC && limit >= 24)
            return FATBIN_FORM_WRAPPER;
        if (magic == CONTAINER_MAGIC)
            return FATBIN_FORM_CONTAINER;
        if (memcmp(code, "\177ELF", 4) == 0)
            return FATBIN_FORM_ELF;
    }
    return looks_like_ptx(code, limit) ? FATBIN_FORM_PTX : FATBIN_FORM_UNKNOWN;
}

bool fatbin_open(fatbin_reader *reader, const void *container, size_t limit, wb_error *err) {
    const uint8_t *p = container;
    if (limit < CONTAINER_HEADER || u32(p) != CONTAINER_MAGIC)
        return wb_fail(err, NO_CODE, _("this is not a CUDA fat binary"));
    uint16_t version = u16(p + 4), header = u16(p + 6);
    uint64_t bytes = u64(p + 8);
    if (version != 1)
        return wb_fail(err, NO_CODE, _("fat binary version %u is not known (1 is)"), version);
    if (header < CONTAINER_HEADER || header > limit || bytes > limit - header)
        return wb_fail(err, NO_CODE, _("the fat binary is cut short"));
    reader->at = p + header;
    reader->end = reader->at + bytes;
    return true;
}

int fatbin_next(fatbin_reader *reader, fatbin_entry *entry, wb_error *err) {
    const uint8_t *p = reader->at;
    size_t left = (size_t)(reader->end - p);
    if (left == 0)
        return 0;
    if (left < ENTRY_HEADER) {
        wb_fail(err, NO_CODE, _("the fat binary ends within an entry's header"));
        return -1;
    }
    uint32_t header = u32(p + 4), compressed = u32(p + 16);
    uint64_t padded = u64(p + 8);
    if (header < ENTRY_HEADER || header > left || padded > left - header) {
        wb_fail(err, NO_CODE, _("an entry of the fat binary is larger than the fat binary"));
        return -1;
    }
    *entry = (fatbin_entry){.kind = u16(p),
                            .architecture = u32(p + 28),
                            .flags = u64(p + 40),
                            .payload = p + header,
                            .stored = padded,
                            .expanded = padded};
    if (entry->flags & (FLAG_LZ4 | FLAG_ZSTD)) {
        entry->stored = compressed;
        entry->expanded = u64(p + 56);
        if (compressed > padded) {
            wb_fail(err, NO_CODE, _("an entry of the fat binary is larger than the place it has"));
            return -1;
        }
    }
    reader->at = p + header + padded;
    return 1;
}

/* Returns the entry's expanded bytes with a NUL after them. The caller frees them. Returns NULL and
 * sets err if the entry is damaged. */
static char *expand(const fatbin_entry *entry, size_t *len, wb_error *err) {
    if (entry->expanded > MAX_EXPANDED || entry->stored > MAX_EXPANDED) {
        wb_fail(err, NO_CODE, _("an entry of the fat binary claims %zu bytes"), entry->expanded);
        return NULL;
    }
    char *out = malloc(entry->expanded + 1);
    if (out == NULL) {
        wb_fail(err, NO_CODE, _("no memory for %zu bytes of device code"), entry->expanded);
        return NULL;
    }
    bool good = true;
    if (entry->flags & FLAG_ZSTD) {
        size_t n = ZSTD_decompress(out, entry->expanded, entry->payload, entry->stored);
        good = !ZSTD_isError(n) && n == entry->expanded;
    } else if (entry->flags & FLAG_LZ4) {
        int n = LZ4_decompress_safe((const char *)entry->payload, out, (int)entry->stored,
                                    (int)entry->expanded);
        good = n >= 0 && (size_t)n == entry->expanded;
    } else {
        memcpy(out, entry->payload, entry->expanded);
    }
    if (!good) {
        free(out);
        wb_fail(err, NO_CODE, _("an entry of the fat binary is damaged: it does not expand"));
        return NULL;
    }
    out[entry->expanded] = '\0';
    *len = entry->expanded;
    return out;
}

/* Returns true if PTX for `a` suits a device of `capability` better than PTX for `b`. */
static bool suits_better(unsigned a, unsigned b, unsigned capability) {
    if ((a <= capability) != (b <= capability))
        return a <= capability;
    return a <= capability ? a > b : a < b;
}

/* Lists the machine codes of a container ("sm_80, sm_90") for the message that it has no PTX. */
static void list_machine_code(const void *container, size_t limit, char *out, size_t size) {
    fatbin_reader reader;
    fatbin_entry entry;
    wb_error ignored;
    size_t used = 0;
    out[0] = '\0';
    if (!fatbin_open(&reader, container, limit, &ignored))
        return;
    while (fatbin_next(&reader, &entry, &ignored) > 0 && used < size) {
        if (entry.kind == FATBIN_ELF)
            used += (size_t)snprintf(out + used, size - used, "%ssm_%u", used > 0 ? ", " : "",
                                     entry.architecture);
    }
}

static char *ptx_of_container(const void *container, size_t limit, unsigned capability, size_t *len,
                              wb_error *err) {
    fatbin_reader reader;
    fatbin_entry entry, best = {0};
    int more;
    if (!fatbin_open(&reader, container, limit, err))
        return NULL;
    while ((more = fatbin_next(&reader, &entry, err)) > 0) {
        if (entry.kind == FATBIN_PTX &&
            (best.kind == 0 || suits_better(entry.architecture, best.architecture, capability)))
            best = entry;
    }
    if (more < 0)
        return NULL;
    if (best.kind == 0) {
        char machine[200];
        list_machine_code(container, limit, machine, sizeof machine);
        wb_fail(err, sg_refused_code(SG_REFUSED_MACHINE_CODE, NO_CODE),
                _("this binary holds machine code for %s only, and no PTX; rebuild with "
                  "-gencode arch=compute_90,code=compute_90 added to nvcc's options"),
                machine[0] != '\0' ? machine : _("no device"));
        return NULL;
    }
    char *text = expand(&best, len, err);
    if (text != NULL)
        *len = strnlen(text, *len); /* plain entries are padded with NULs */
    return text;
}

/* Returns true for NVIDIA's libcudadevrt, which calls the GPU's own system functions. softgpu has
 * its own of the functions that kernels call (../exec/nested.c). */
static bool is_device_runtime(const char *text, size_t len) {
    static const char mark[] = "__cuda_syscall_cnpv2";
    return memmem(text, len, mark, sizeof mark - 1) != NULL;
}

/* Returns the PTX of a linked program's sources, a NUL behind each, or NULL and sets err. The
 * pointers lead to the program's own data, so only their headers bound them. */
static char *ptx_of_sources(const uint8_t *wrapper, unsigned capability, size_t *len,
                            wb_error *err) {
    const void *const *sources = (const void *const *)(uintptr_t)u64(wrapper + 16);
    WB_SCOPED_BUF wb_buf all = {0};
    if (u32(wrapper + 4) != 2 || !sources || !sources[0]) {
        wb_fail(err, NO_CODE, _("this is neither PTX nor a CUDA fat binary"));
        return NULL;
    }
    for (size_t i = 0; sources[i]; i++) {
        size_t length;
        char *text = ptx_of_container(sources[i], SIZE_MAX, capability, &length, err);
        if (text && !is_device_runtime(text, length))
            wb_buf_append(&all, text, length + 1);
        free(text);
        if (!text)
            return NULL;
    }
    *len = all.len;
    return wb_buf_steal(&all);
}

static char *copy_text(const char *text, size_t limit, size_t *len, wb_error *err) {
    *len = limit == SIZE_MAX ? strlen(text) : strnlen(text, limit);
    char *copy = malloc(*len + 1);
    if (copy == NULL) {
        wb_fail(err, NO_CODE, _("no memory for %zu bytes of PTX"), *len);
        return NULL;
    }
    memcpy(copy, text, *len);
    copy[*len] = '\0';
    return copy;
}

char *fatbin_ptx(const void *code, size_t limit, unsigned capability, size_t *len, wb_error *err) {
    switch (fatbin_identify(code, limit)) {
    case FATBIN_FORM_PTX:
        return copy_text(code, limit, len, err);
    case FATBIN_FORM_CONTAINER:
        return ptx_of_container(code, limit, capability, len, err);
    case FATBIN_FORM_WRAPPER: {
        const uint8_t *wrapper = code;
        const void *container = (const void *)(uintptr_t)u64(wrapper + 8);
        return u32(wrapper + 4) == 1 ? ptx_of_container(container, SIZE_MAX, capability, len, err)
                                     : ptx_of_sources(wrapper, capability, len, err);
    }
    case FATBIN_FORM_ELF:
        wb_fail(err, sg_refused_code(SG_REFUSED_MACHINE_CODE, NO_CODE),
                _("this is a cubin, machine code for one GPU; load PTX or a fat binary with PTX "
                  "in it (nvcc -ptx, or -fatbin -gencode arch=compute_90,code=compute_90)"));
        return NULL;
    default:
        wb_fail(err, NO_CODE, _("this is neither PTX nor a CUDA fat binary"));
        return NULL;
    }
}

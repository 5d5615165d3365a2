#include "jupyter_kernel/help/members.h"

#include <ctype.h>

#include "runtime/base/base.h"
#include "runtime/base/words.h"

static size_t name_length(const char *p, const char *end) {
    size_t n = 0;
    while (p + n < end && wb_word_part(p[n]))
        n++;
    return n;
}

/* Returns the length of the comment, literal or directive at p, or 0. */
static size_t skip(const char *p, const char *end) {
    const char *to = p;
    if (*p == '#' || (*p == '/' && p + 1 < end && p[1] == '/')) {
        while (to < end && *to != '\n')
            to++;
    } else if (*p == '/' && p + 1 < end && p[1] == '*') {
        to = memmem(p + 2, (size_t)(end - p - 2), "*/", 2);
        to = to ? to + 2 : end;
    } else if (*p == '"' || *p == '\'') {
        for (to = p + 1; to < end && *to != *p && *to != '\n'; to++)
            to += *to == '\\';
        to = to < end ? to + 1 : end;
    }
    return (size_t)(to - p);
}

/* Returns the place after the bracket that closes the one at p. */
static const char *behind(const char *p, const char *end) {
    int depth = 0;
    while (p < end) {
        size_t n = skip(p, end);
        if (!n) {
            depth += (strchr("({[", *p) != NULL) - (strchr(")}]", *p) != NULL);
            if (depth == 0)
                return p + 1;
        }
        p += n ? n : 1;
    }
    return end;
}

/* ---- the body of a struct ------------------------------------------------------------------- */

/* The declaration that is being read. */
typedef struct reading {
    const char *begin, *word; /* start of the declaration and of its last word; or NULL */
    size_t word_len;
    int words, angles;
    bool named; /* the name is taken, up to the next ',' */
} reading;

static void offer(json_t *found, reading *r, const char *type, size_t type_len) {
    bool constructor = r->word && r->word_len == type_len && memcmp(r->word, type, type_len) == 0;
    if (r->word && r->words > 1 && !r->named && !constructor && r->word[-1] != '~') {
        char *name = wb_format("%.*s", (int)r->word_len, r->word);
        char *text = wb_format("%.*s", (int)(r->word + r->word_len - r->begin), r->begin);
        if (name && text && strcmp(name, "operator") != 0)
            json_object_set_new(found, name, json_string(text));
        WB_FREE(name, text);
    }
    r->named = true;
}

/* Handles a sign in a declaration, which may end the name. Returns the place after it. */
static const char *take_sign(json_t *found, reading *r, const char *p, const char *end,
                             const char *type, size_t type_len) {
    char c = *p;
    r->angles += r->angles >= 0 ? (c == '<') - (c == '>' && r->angles > 0) : 0;
    if (r->angles > 0)
        return p + 1;
    bool access = c == ':' && r->words == 1 && p + 1 < end && p[1] != ':';
    if (strchr(";,=([{:", c) && !(c == ':' && p + 1 < end && (p[1] == ':' || p[-1] == ':')))
        offer(found, r, type, type_len);
    if (c == '(' || c == '[' || c == '{') {
        bool body = c == '{';
        p = behind(p, end);
        while (body && p < end && isspace((unsigned char)*p))
            p++;
        if (body && (p == end || (*p != ';' && *p != ','))) /* a function's body */
            *r = (reading){.begin = NULL};
        return p;
    }
    if (c == ';' || access)
        *r = (reading){.begin = NULL};
    else if (c == ',')
        r->named = false;
    return p + 1;
}

/* Reads the members from "struct P { float x, y; int n() const; };". */
static void read_body(json_t *found, const char *text, const char *end, const char *type,
                      size_t type_len) {
    const char *p = memchr(text, '{', (size_t)(end - text));
    if (!p)
        return;
    end = behind(p, end) - 1;
    reading r = {.begin = NULL};
    for (p++; p < end;) {
        size_t n = skip(p, end), len = n ? 0 : name_length(p, end);
        if (len) {
            r.begin = r.begin ? r.begin : p;
            r.word = r.angles > 0 ? r.word : p;
            r.word_len = r.angles > 0 ? r.word_len : len;
            r.words += r.angles <= 0;
            p += len;
        } else if (n || isspace((unsigned char)*p)) {
            p += n ? n : 1;
        } else {
            p = take_sign(found, &r, p, end, type, type_len);
        }
    }
}

/* ---- types that no cell defines ------------------------------------------------------------- */

static const struct {
    const char *type, *members;
} known[] = {
    {"cudaDeviceProp",
     "name totalGlobalMem sharedMemPerBlock regsPerBlock warpSize memPitch maxThreadsPerBlock "
     "maxThreadsDim maxGridSize totalConstMem major minor multiProcessorCount integrated "
     "canMapHostMemory concurrentKernels ECCEnabled pciBusID pciDeviceID asyncEngineCount "
     "unifiedAddressing memoryBusWidth l2CacheSize maxThreadsPerMultiProcessor "
     "sharedMemPerMultiprocessor regsPerMultiprocessor managedMemory concurrentManagedAccess "
     "cooperativeLaunch sharedMemPerBlockOptin maxBlocksPerMultiProcessor"},
    {"cudaPointerAttributes", "type device devicePointer hostPointer"},
    {"cudaFuncAttributes", "sharedSizeBytes constSizeBytes localSizeBytes maxThreadsPerBlock "
                           "numRegs ptxVersion binaryVersion maxDynamicSharedSizeBytes"},
    {"cudaLaunchConfig_t", "gridDim blockDim dynamicSmemBytes stream attrs numAttrs"},
    {"std::vector", "size data begin end push_back emplace_back pop_back resize reserve capacity "
                    "clear empty front back at insert erase assign swap"},
    {"std::array", "size data begin end fill front back at empty"},
    {"std::string", "size length c_str data substr find append push_back empty clear begin end at "
                    "compare replace insert erase"},
    {"std::map", "size begin end find insert emplace erase count at empty clear"},
    {"std::unique_ptr", "get reset release"},
    {"std::shared_ptr", "get reset use_count"},
    {"std::pair", "first second"},
    {"dim3", "x y z"},
};

static void offer_list(json_t *found, const char *list) {
    for (const char *p = list; *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        char *name = wb_format("%.*s", (int)n, p);
        if (name)
            json_object_set_new(found, name, json_string(""));
        free(name);
        p += n;
    }
}

/* Returns how many components a vector type has ("float4": 4), or 0. */
static int parts(const char *type, size_t len) {
    static const char *const bases[] = {"char",     "uchar",     "short", "ushort",
                                        "int",      "uint",      "long",  "ulong",
                                        "longlong", "ulonglong", "float", "double"};
    for (size_t i = 0; i < WB_COUNT(bases); i++)
        if (len == strlen(bases[i]) + 1 && memcmp(type, bases[i], len - 1) == 0 &&
            type[len - 1] >= '1' && type[len - 1] <= '4')
            return type[len - 1] - '0';
    return 0;
}

static bool offer_known(json_t *found, const char *type, size_t len) {
    static const char *const vectors[] = {"", "x", "x y", "x y z", "x y z w"};
    size_t bare = len;
    const char *angle = memchr(type, '<', len);
    bare = angle ? (size_t)(angle - type) : len;
    int n = parts(type, len);
    if (n) {
        offer_list(found, vectors[n]);
        return true;
    }
    for (size_t i = 0; i < WB_COUNT(known); i++) {
        const char *name = known[i].type;
        bool std = strncmp(name, "std::", 5) == 0;
        if ((bare == strlen(name) && memcmp(type, name, bare) == 0) ||
            (std && bare == strlen(name + 5) && memcmp(type, name + 5, bare) == 0)) {
            offer_list(found, known[i].members);
            return true;
        }
    }
    return false;
}

/* ---- from an object to its type ------------------------------------------------------------- */

static json_t *entry_of(const json_t *names, const char *name, size_t len) {
    size_t i;
    json_t *entry, *last = NULL;
    json_array_foreach(names, i, entry) {
        const char *own = json_string_value(json_object_get(entry, "name"));
        if (own && strlen(own) == len && memcmp(own, name, len) == 0)
            last = entry;
    }
    return last;
}

/* Reads "struct P {" in the cell itself. */
static bool offer_cell(json_t *found, const char *code, size_t len, const char *type, size_t n) {
    static const char *const keys[] = {"struct ", "class "};
    for (const char *p = code; p + n < code + len; p++)
        for (size_t k = 0; k < WB_COUNT(keys); k++) {
            size_t key = strlen(keys[k]);
            const char *name = p + key, *rest = name + n;
            if (rest >= code + len || memcmp(p, keys[k], key) != 0 || memcmp(name, type, n) != 0 ||
                wb_word_part(*rest))
                continue;
            const char *brace = memchr(rest, '{', (size_t)(code + len - rest));
            const char *semicolon = memchr(rest, ';', (size_t)(code + len - rest));
            if (!brace || (semicolon && semicolon < brace))
                continue;
            read_body(found, rest, code + len, type, n);
            return true;
        }
    return false;
}

static void offer_type(json_t *found, const char *code, size_t len, const json_t *names,
                       const char *type, size_t n) {
    static const char *const words[] = {"const ", "static ", "struct ", "class ", "__shared__ "};
    for (size_t i = 0; i < WB_COUNT(words); i++)
        if (n > strlen(words[i]) && memcmp(type, words[i], strlen(words[i])) == 0) {
            type += strlen(words[i]);
            n -= strlen(words[i]);
        }
    const char *array = memchr(type, '[', n);
    n = array ? (size_t)(array - type) : n;
    while (n > 0 && strchr(" *&", type[n - 1]))
        n--;
    if (n == 0 || offer_known(found, type, n) || offer_cell(found, code, len, type, n))
        return;
    const char *angle = memchr(type, '<', n);
    n = angle ? (size_t)(angle - type) : n;
    const char *text = json_string_value(json_object_get(entry_of(names, type, n), "text"));
    if (text)
        read_body(found, text, text + strlen(text), type, n);
}

/* Returns where the type begins that ends before p: "std::vector<int>", "Particle". */
static const char *type_before(const char *code, const char *p) {
    while (p > code && (isspace((unsigned char)p[-1]) || p[-1] == '*' || p[-1] == '&'))
        p--;
    if (p > code && p[-1] == '>') {
        int depth = 0;
        do {
            p--;
            depth += (*p == '>') - (*p == '<');
        } while (p > code && depth > 0);
    }
    while (p > code && (wb_word_part(p[-1]) || (p[-1] == ':' && p - 1 > code)))
        p--;
    return p;
}

/* Offers the members of the last declaration before `end` whose type is known ("float4 *v"). */
static bool offer_local(json_t *found, const char *code, size_t len, size_t end,
                        const json_t *names, const char *object, size_t n) {
    for (const char *p = code + end; p-- > code;) {
        if (memcmp(p, object, n) != 0 || p + n > code + end || (p > code && wb_word_part(p[-1])) ||
            wb_word_part(p[n]) || p == code || !strchr(" *&\t", p[-1]))
            continue;
        const char *type = type_before(code, p);
        const char *type_end = p;
        while (type_end > type && strchr(" *&\t", type_end[-1]))
            type_end--;
        if (type_end == type)
            continue;
        offer_type(found, code, len, names, type, (size_t)(type_end - type));
        if (json_object_size(found) > 0)
            return true;
    }
    return false;
}

json_t *members_of(const char *code, size_t len, size_t end, const json_t *names) {
    json_t *found = json_object();
    static const char *const builtin[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
    size_t to = end, from;
    while (to > 0 && code[to - 1] == ']') { /* "a[i]." */
        int depth = 0;
        do {
            to--;
            depth += (code[to] == ']') - (code[to] == '[');
        } while (to > 0 && depth > 0);
    }
    for (from = to; from > 0 && wb_word_part(code[from - 1]);)
        from--;
    size_t n = to - from;
    for (size_t i = 0; i < WB_COUNT(builtin); i++)
        if (n == strlen(builtin[i]) && memcmp(code + from, builtin[i], n) == 0)
            offer_list(found, "x y z");
    if (n == 0 || json_object_size(found) > 0 ||
        offer_local(found, code, len, from, names, code + from, n))
        return found;
    const json_t *entry = entry_of(names, code + from, n);
    const char *type = json_string_value(json_object_get(entry, "type"));
    if (type)
        offer_type(found, code, len, names, type, strlen(type));
    return found;
}

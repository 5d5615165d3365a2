/* listing.c: see listing.h. */
#include "runtime/worker/words/listing.h"
#include "runtime/base/base.h"
#include "runtime/json/fields.h"

#include <ctype.h>

struct wb_listing {
    struct {
        char *name, *text;
    } * files;
    size_t count;
};

wb_listing *wb_listing_new(void) {
    return calloc(1, sizeof(wb_listing));
}

void wb_listing_free(wb_listing *listing) {
    for (size_t i = 0; listing && i < listing->count; i++)
        WB_FREE(listing->files[i].name, listing->files[i].text);
    if (listing)
        free(listing->files);
    free(listing);
}

void wb_listing_add(wb_listing *listing, const char *name, const char *text, size_t len) {
    char *copy = strndup(text, len);
    for (size_t i = 0; copy && i < listing->count; i++)
        if (strcmp(listing->files[i].name, name) == 0) {
            free(listing->files[i].text);
            listing->files[i].text = copy;
            return;
        }
    char *own_name = strdup(name);
    if (!copy || !own_name || !WB_PUSH(listing->files, listing->count)) {
        WB_FREE(copy, own_name);
        return;
    }
    listing->files[listing->count - 1].name = own_name;
    listing->files[listing->count - 1].text = copy;
}

/* Returns the index of the file, or `count`. */
static size_t find(const wb_listing *listing, const char *file) {
    for (size_t i = 0; i < listing->count; i++)
        if (strcmp(listing->files[i].name, file) == 0)
            return i;
    for (size_t i = 0; i < listing->count; i++) {
        const char *slash = strrchr(listing->files[i].name, '/');
        if (slash && strcmp(slash + 1, file) == 0)
            return i;
    }
    return listing->count;
}

const char *wb_listing_name(const wb_listing *listing, const char *file) {
    size_t i = file ? find(listing, file) : listing->count;
    return i < listing->count ? listing->files[i].name : NULL;
}

size_t wb_listing_begins(const wb_listing *listing, const char *text) {
    size_t longest = 0;
    for (size_t i = 0; i < listing->count; i++) {
        size_t n = strlen(listing->files[i].name);
        if (n > longest && strncmp(text, listing->files[i].name, n) == 0)
            longest = n;
    }
    return longest;
}

const char *wb_listing_text(const wb_listing *listing, const char *file) {
    size_t i = file ? find(listing, file) : listing->count;
    return i < listing->count ? listing->files[i].text : NULL;
}

/* Returns true if the text is a directive that defines the macro. */
static bool defines(const char *p, const char *name, size_t len) {
    p += 1 + strspn(p + 1, " \t");
    if (strncmp(p, "define", 6) != 0)
        return false;
    p += 6 + strspn(p + 6, " \t");
    return strncmp(p, name, len) == 0 && p[len] != '_' && !isalnum((unsigned char)p[len]);
}

const char *wb_listing_define(const wb_listing *listing, const char *name, size_t len) {
    const char *found = NULL;
    for (size_t i = listing->count; i-- > 0 && !found;)
        for (const char *p = listing->files[i].text; p && (p = strchr(p, '#')); p++)
            found = defines(p, name, len) ? p : found;
    return found;
}

char *wb_listing_line(const wb_listing *listing, const char *file, int line) {
    size_t i = file && line >= 1 ? find(listing, file) : listing->count;
    size_t len;
    const char *at = wb_text_line(i < listing->count ? listing->files[i].text : NULL, line, &len);
    return at ? strndup(at, len) : NULL;
}

/* Adds each line's text, and the files of the lines to `sources`. */
static void quote_lines(const wb_listing *listing, json_t *lines, json_t *sources) {
    WB_JSON_EACH(line, lines) {
        const char *file = wb_field_string(line, "file");
        int at = (int)wb_field_int(line, "line");
        char *text = wb_listing_line(listing, file, at);
        if (text)
            json_object_set_new(line, "text", json_string(text));
        if (text && !json_object_get(sources, file))
            json_object_set_new(sources, file,
                                json_string(listing->files[find(listing, file)].text));
        free(text);
    }
}

void wb_listing_quote(const wb_listing *listing, json_t *report) {
    json_t *sources = json_object();
    WB_JSON_EACH(launch, json_object_get(report, "launches")) {
        quote_lines(listing, json_object_get(json_object_get(launch, "model"), "lines"), sources);
        quote_lines(listing, json_object_get(launch, "lines"), sources);
    }
    if (json_object_size(sources) > 0)
        json_object_set(report, "sources", sources);
    json_decref(sources);
}

/* header_index.h: an index of a preprocessed header's declarations at namespace scope, by the words
 * that each declares and uses. It is made once and kept beside the header, for this machine. */
#pragma once

#include "runtime/base/scoped.h"

typedef enum wb_header_kind {
    WB_HEADER_DECLARATION,
    WB_HEADER_ALWAYS, /* a using directive, or a pragma that matters to code */
    WB_HEADER_OPEN,   /* namespace a { or extern "C" { */
    WB_HEADER_CLOSE
} wb_header_kind;

typedef struct wb_header_part {
    uint32_t kind, from, len; /* its bytes in the text */
    /* its place; file: offset of the file name's opening quote, 0: none */
    uint32_t line, file;
} wb_header_part;

typedef struct wb_header_size {
    uint32_t words, parts, names, uses;
} wb_header_size;

typedef struct wb_header_index {
    wb_buf text, data;
    const wb_header_size *size;
    const uint32_t *words; /* from, len in the text; sorted */
    const wb_header_part *parts;
    const uint32_t *names_from, *names; /* parts names[names_from[w]...] declare word w */
    const uint32_t *uses_from, *uses;   /* part p has the words uses[uses_from[p]...] */
} wb_header_index;

/* Reads folder/device.ii and folder/index. Makes a missing index. Returns false if it can't. Close
 * it either way. */
bool wb_header_index_open(const char *folder, wb_header_index *index);
void wb_header_index_close(wb_header_index *index);
/* Returns the word's number, or size->words if no declaration has it. */
uint32_t wb_header_index_find(const wb_header_index *index, const char *at, size_t len);

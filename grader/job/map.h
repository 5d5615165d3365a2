/* map.h: whole files as memory. Results of a lab at a GPU's sizes have up to a gigabyte, so they
 * are not copied. */
#pragma once

#include "runtime/base/base.h"

typedef struct gr_map {
    char *data; /* an empty file has no bytes here, but is not NULL */
    size_t len;
} gr_map;

/* Maps a file to read. Nobody may shorten it meanwhile. Use gr_map_close. */
bool gr_map_open(const char *path, gr_map *map, wb_error *err);
/* Maps a file of `bytes` to write. Keeps a file of that size, else makes one. Its blocks are
 * reserved, so a full disk is an error here. Use gr_map_close. */
bool gr_map_create(const char *path, size_t bytes, gr_map *map, wb_error *err);
void gr_map_close(gr_map *map);

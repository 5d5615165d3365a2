/* transfer.h: moves arrays between device and host. On a GPU large ones pass through page-locked
 * memory, which the bus serves at its full rate, and all cores work on them. */
#pragma once

#include "grader/replay/cuda.h"

/* Host memory for the content of a device array. All zero: none. */
typedef struct gr_pages {
    void *data;
    size_t bytes;
    bool locked; /* in physical memory, by the driver */
} gr_pages;

/* Allocates `bytes`, or keeps the memory if it has that size. Use gr_pages_free. */
bool gr_pages_make(gr_pages *pages, size_t bytes, wb_error *err);
void gr_pages_free(gr_pages *pages);

bool gr_upload(void *to, const void *from, size_t bytes, wb_error *err);
/* Writes device memory into an open file, at byte `at`. The path is for the message. */
bool gr_download(int file, const char *path, off_t at, const void *from, size_t bytes,
                 wb_error *err);
/* *same: device memory holds the bytes of `these`, or only bytes `all` if that is NULL. */
bool gr_download_same(const void *from, size_t bytes, const void *these, unsigned char all,
                      bool *same, wb_error *err);

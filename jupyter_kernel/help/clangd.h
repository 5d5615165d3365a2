/* clangd.h: the clangd process that knows the notebook's C++. It starts with the first question and
 * ends after five idle minutes, when it takes too much memory, does not answer or breaks the
 * protocol, and with the kernel. It never harms the kernel: a thread of its own talks to it. */
#pragma once

#include <jansson.h>

#include "runtime/base/base.h"

/* Asks about the place `at` of the file's text, by a method of the protocol such as
 * "textDocument/hover". `flags` are nvcc's of the notebook, or NULL. Returns the answer's result, a
 * new reference, or NULL: there is no clangd, or it did not answer until then (wb_now). Any thread
 * may call it. */
json_t *clangd_ask(const char *method, const wb_buf *file, size_t at, char *const *flags,
                   double until);

/* emit.h: the program's output: one JSON object a line on stdout, flushed. It needs no JSON
 * library, so the program depends only on libcudart. runtime/compare reads it. */
#pragma once

/* Writes {"event": NAME, ...} with the members of the format, as in "size:z ok:b times:F". The
 * letters say what follows: z a size_t, f a double (not finite: null), F doubles and their number,
 * b a bool, s a text (NULL: null), j a JSON text of one line. With ? behind it, a member that is 0
 * or NULL is left out. */
void emit(const char *event, const char *format, ...);

/* nvcc_words.h: what to do about errors that an nvcc of a command's wrote. */
#ifndef WARPBOOK_KERNEL_NVCC_WORDS_H
#define WARPBOOK_KERNEL_NVCC_WORDS_H

/* A line for each error in `text` (what a command wrote to stderr) that has a hint, three at most,
 * each hint once. malloc'd; NULL: none has one. */
char *nvcc_words_hints(const char *text);

#endif

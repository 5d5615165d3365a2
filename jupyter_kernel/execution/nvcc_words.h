/* nvcc_words.h: hints for the errors of an nvcc that a command runs. */
#ifndef WARPBOOK_KERNEL_NVCC_WORDS_H
#define WARPBOOK_KERNEL_NVCC_WORDS_H

/* `text` is the stderr of a command. Returns one line for each error that has a hint: at most
 * three, each hint once. The caller frees it. NULL: no error has a hint. */
char *nvcc_words_hints(const char *text);

#endif

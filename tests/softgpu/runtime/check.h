// Shared by the programs of this folder: a case is a function, chosen by its name on the command
// line; a failed expectation prints where and ends the process with status 1.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("%s:%d: expected %s\n", __FILE__, __LINE__, #condition);                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define EXPECT_CODE(expression, code)                                                              \
    do {                                                                                           \
        cudaError_t got_ = (expression);                                                           \
        if (got_ != (code)) {                                                                      \
            printf("%s:%d: %s gave %s, expected %s\n", __FILE__, __LINE__, #expression,            \
                   cudaGetErrorName(got_), #code);                                                 \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define OK(expression) EXPECT_CODE(expression, cudaSuccess)

struct Case {
    const char *name;
    void (*run)();
};

inline int run_case(const Case *cases, size_t n, int argc, char **argv) {
    for (size_t i = 0; i < n; i++) {
        if (argc < 2)
            puts(cases[i].name);
        else if (strcmp(cases[i].name, argv[1]) == 0)
            return cases[i].run(), 0;
    }
    return argc < 2 ? 0 : 2;
}

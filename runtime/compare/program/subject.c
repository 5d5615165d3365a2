/* subject.c: finds launchers, calls them by shape, and describes their errors. */
#include "runtime/compare/program/subject.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void *open_once(const char *path, char *problem, size_t size) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        snprintf(problem, size, "%s", dlerror());
    return handle;
}

static void find_symbol(subject *s, void *library, const char *symbol) {
    s->function = library ? dlsym(library, symbol) : NULL;
    if (library && !s->function)
        snprintf(s->problem, sizeof s->problem, "%s", dlerror());
}

void subject_load(subject *s, wbk_type type, const char *library_folder) {
    const char *symbol = s->kernel.symbol[type];
    if (!symbol) {
        snprintf(s->problem, sizeof s->problem, "%s has no version for %s", s->kernel.name,
                 wbk_type_name(type));
        return;
    }
    char path[4300];
    snprintf(path, sizeof path, "%s/%s", library_folder, wbk_library_of(symbol));
    find_symbol(s, open_once(path, s->problem, sizeof s->problem), symbol);
}

void subject_load_user(subject *s, const char *path, const char *symbol) {
    s->user = true;
    find_symbol(s, open_once(path, s->problem, sizeof s->problem), symbol);
}

cudaError_t subject_call(const subject *s, const arguments *args, cudaStream_t stream) {
    cudaGetLastError(); /* clears earlier errors */
    cudaError_t status = wbk_call(&s->kernel, s->has_work, s->function, args, stream);
    return s->user ? cudaGetLastError() : status;
}

void subject_error(cudaError_t status, const char *report, char *text, size_t size) {
    snprintf(text, size, "%s: %s", cudaGetErrorName(status), cudaGetErrorString(status));
    /* softgpu reports what, where and in which thread. */
    const char *fault = report ? strstr(report, "\"fault\":{") : NULL;
    const char *said = fault ? strstr(fault, "\"text\":\"") : NULL;
    if (said) {
        said += 8;
        const char *end = said;
        while (*end && *end != '"')
            end += *end == '\\' && end[1] ? 2 : 1;
        snprintf(text, size, "%.*s", (int)(end - said), said);
    }
}

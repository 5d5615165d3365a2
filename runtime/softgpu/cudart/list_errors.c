/* list_errors.c: prints errors.inc during the build, NVIDIA's names and texts of its error codes.
 * The argument is NVIDIA's libcudart.so.13. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    enum { CODES = 20000 };
    typedef const char *text_of(int code);
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    text_of *name = library ? (text_of *)dlsym(library, "cudaGetErrorName") : NULL;
    text_of *text = library ? (text_of *)dlsym(library, "cudaGetErrorString") : NULL;
    if (!name || !text) {
        fprintf(stderr, "list_errors: %s\n", argc == 2 ? dlerror() : "name the library");
        return 1;
    }
    for (int code = 0; code <= CODES; code++)
        if (strcmp(name(code), "unrecognized error code") != 0)
            printf("ERROR(%d, %s, \"%s\")\n", code, name(code), text(code));
    return 0;
}

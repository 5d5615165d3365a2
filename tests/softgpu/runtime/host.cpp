// Loads libraries with kernels one after another and at once, by name; prints what they return.
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

int main(int argc, char **argv) {
    void *previous = nullptr;
    for (int i = 1; i < argc; i++) {
        void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) {
            puts(dlerror());
            return 1;
        }
        auto run = (int (*)())dlsym(library, "plugin_run");
        int first = run();
        printf("%d %d\n", first, run());
        if (i % 2 == 0) {
            dlclose(library);
            dlclose(previous);
        }
        previous = library;
    }
}

/* throw.c: records where an uncaught exception was thrown. When the session learns of it, the stack
 * is already unwound. So the worker has its own __cxa_throw, through which every throw goes, and it
 * records the call stack. Interface: Itanium C++ ABI, "Exception Handling", 2.4.3. */
#include "runtime/worker/process/process.h"
#include "runtime/worker/process/cell_api.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 64 };

static _Thread_local struct {
    const void *object; /* the exception */
    void *calls[DEPTH];
    int n;
    size_t held; /* memory that the process held at std::bad_alloc; else 0 */
} last;

static bool is_let_out; /* the main thread's last exception left the cell */

typedef void (*thrower)(void *, void *, void (*)(void *));

static thrower real(void) {
    static thrower function;
    if (!function) {
        void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_NOLOAD);
        function = library ? (thrower)dlsym(library, "__cxa_throw") : NULL;
    }
    if (!function)
        abort(); /* unreachable: a caller implies libstdc++ */
    return function;
}

/* std::type_info has a pointer to its vtable, then the mangled name. */
static const char *type_name(void *type) {
    return ((const char *const *)type)[1];
}

__attribute__((visibility("default"), noreturn)) void __cxa_throw(void *object, void *type,
                                                                  void (*destroy)(void *)) {
    last.object = object;
    last.n = backtrace(last.calls, DEPTH);
    last.held = strcmp(type_name(type), "St9bad_alloc") == 0 ? memory_held() : 0;
    real()(object, type, destroy);
    abort(); /* it does not return */
}

__attribute__((visibility("default"))) void wb_cell_threw(const void *object) {
    is_let_out = object && object == last.object;
}

size_t throw_report(void) {
    if (!is_let_out)
        return 0;
    is_let_out = false;
    json_t *frames = signals_frames(last.calls, last.n);
    if (json_array_size(frames) > 0)
        talk_send(json_pack("{s:s, s:o}", "op", "frames", "frames", frames));
    else
        json_decref(frames);
    return last.held;
}

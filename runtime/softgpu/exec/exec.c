/* exec.c: selects the handlers for the best instruction set of this CPU, and finds them by name.
 * $WARPBOOK_SOFTGPU_ISA (base, avx2, avx512) overrides the selection, for tests. */
#include "runtime/softgpu/exec/handlers.h"

/* Weak: the first part of `make lab` and a sanitized build have only this CPU's set. The others are
 * NULL. */
#define TABLE(group, isa) extern const sg_entry sg_table_##group##_##isa[] __attribute__((weak));
#define GROUPS(X, isa) X(int, isa) X(float, isa) X(mem, isa) X(vec, isa) X(ctl, isa) X(affine, isa)
GROUPS(TABLE, base)
GROUPS(TABLE, avx2)
GROUPS(TABLE, avx512)

#define N_GROUPS 6
#define HASH_SIZE 4096 /* a power of two, several times the number of handlers */
static const sg_entry *by_name[HASH_SIZE];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint32_t hash(const char *name) {
    uint32_t h = 2166136261u;
    for (; *name; name++)
        h = (h ^ (uint8_t)*name) * 16777619u;
    return h;
}

static void insert(const sg_entry *table) {
    for (; table->name; table++) {
        uint32_t slot = hash(table->name) % HASH_SIZE;
        while (by_name[slot])
            slot = (slot + 1) % HASH_SIZE;
        by_name[slot] = table;
    }
}

static void choose(void) {
    static const sg_entry *const tables[3][N_GROUPS] = {
#define NAME(group, isa) sg_table_##group##_##isa,
        {GROUPS(NAME, base)}, {GROUPS(NAME, avx2)}, {GROUPS(NAME, avx512)}};
    static const char *const names[] = {"base", "avx2", "avx512"};
    int best = 0;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt"))
        best = 1;
    if (best == 1 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd"))
        best = 2;
    const char *wanted = getenv("WARPBOOK_SOFTGPU_ISA");
    for (int i = 0; wanted && i < best; i++)
        if (!strcmp(wanted, names[i]) && tables[i][0])
            best = i;
    while (best >= 0 && !tables[best][0])
        best--;
    if (best < 0) {
        fputs("softgpu: this build is for another CPU; run `make` in Warpbook's folder\n", stderr);
        abort();
    }
    for (int i = 0; i < N_GROUPS; i++)
        insert(tables[best][i]);
}

const sg_entry *sg_handler_find(const char *name) {
    pthread_once(&once, choose);
    uint32_t slot = hash(name) % HASH_SIZE;
    for (; by_name[slot]; slot = (slot + 1) % HASH_SIZE)
        if (!strcmp(by_name[slot]->name, name))
            return by_name[slot];
    return NULL;
}

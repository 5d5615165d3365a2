/* settings.c: the checks and counters of launches: from the environment until
 * softgpu_set_options().
 */
#include "runtime/softgpu/cudart/soft/extension.h"
#include "runtime/base/language.h"
#include "runtime/softgpu/cudart/soft/predict.h"
#include "runtime/softgpu/cudart/soft/soft.h"
#include "runtime/softgpu/machine/arena.h"

#include <pthread.h>

#include "runtime/softgpu/softgpu.h"

#pragma GCC visibility push(default)
void softgpu_set_options(unsigned options);
void softgpu_set_language(const char *name);
bool softgpu_owns(const void *address);
void softgpu_set_hooks(int (*calls)(void **, int), void (*fault)(const char *json));
#pragma GCC visibility pop

static _Atomic unsigned options;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool early;

static void read_environment(void) {
    unsigned wanted = 0;
    early = wb_setting_on("WARPBOOK_SOFTGPU_EARLY", true);
    if (wb_setting_on("WARPBOOK_SOFTGPU_COUNTERS", false))
        wanted |= SG_COUNT;
    if (wb_setting_on("WARPBOOK_SOFTGPU_LINES", false))
        wanted |= SG_COUNT | SG_LINES;
    if (wb_setting_on("WARPBOOK_SOFTGPU_RACECHECK", false))
        wanted |= SG_RACECHECK;
    if (wb_setting_on("WARPBOOK_SOFTGPU_INITCHECK", false))
        wanted |= SG_INITCHECK;
    if (soft_predict_by_default())
        wanted |= SG_TRACE | (wb_setting_on("WARPBOOK_SOFTGPU_SHARES", false) ? SG_SHARES : 0u);
    options = wanted;
}

unsigned soft_options(void) {
    pthread_once(&once, read_environment);
    return options;
}

bool soft_early(void) {
    pthread_once(&once, read_environment);
    return early;
}

uint64_t soft_seed(void) {
    return wb_setting_number("WARPBOOK_SOFTGPU_SEED", 0, 0);
}

void softgpu_set_language(const char *name) {
    wb_language language;
    if (wb_language_read(name, &language))
        wb_language_set(language);
}

void softgpu_set_hooks(int (*calls)(void **, int), void (*fault)(const char *json)) {
    rt_calls = calls;
    soft_report_fault = fault;
}

bool softgpu_owns(const void *address) {
    enum { HEAD = 16 }; /* free() and delete read this far before the memory */
    return sg_arena_holds(address) || sg_arena_holds((const char *)address + HEAD);
}

const char *softgpu_tr(const char *text) {
    return wb_tr(text);
}

void softgpu_set_options(unsigned wanted) {
    pthread_once(&once, read_environment);
    options = wanted;
    /* the engine decides at an allocation whether to watch it */
    sg_set_initcheck(wanted & SG_INITCHECK);
}

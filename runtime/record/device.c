/* device.c: the device of the plan, from $WARPBOOK_RECORD_DEVICE. */
#include "runtime/record/plan.h"
#include "runtime/json/json.h"

static void set_int(const json_t *object, const char *key, int *value) {
    const json_t *number = json_object_get(object, key);
    if (json_is_integer(number))
        *value = (int)json_integer_value(number);
}

static void set_size(const json_t *object, const char *key, size_t *value) {
    const json_t *number = json_object_get(object, key);
    if (json_is_integer(number) && json_integer_value(number) >= 0)
        *value = (size_t)json_integer_value(number);
}

void rt_backend_device(rt_device *device) {
    const char *text = getenv("WARPBOOK_RECORD_DEVICE");
    struct cudaDeviceProp *p = &device->prop;
    snprintf(p->name, sizeof p->name, "Warpbook recorder");
    p->totalGlobalMem = (size_t)8 << 30;
    p->managedMemory = p->concurrentManagedAccess = 0;
    WB_SCOPED_JSON json_t *given = text != NULL ? json_loads(text, 0, NULL) : NULL;
    if (!json_is_object(given))
        return;
    const char *name = wb_field_string(given, "name");
    if (name != NULL)
        snprintf(p->name, sizeof p->name, "%s", name);
    set_int(given, "clockRate", &device->clock_khz);
    set_int(given, "memoryClockRate", &device->memory_clock_khz);
    set_size(given, "totalGlobalMem", &p->totalGlobalMem);
    set_size(given, "sharedMemPerBlock", &p->sharedMemPerBlock);
    set_size(given, "sharedMemPerBlockOptin", &p->sharedMemPerBlockOptin);
    set_size(given, "sharedMemPerMultiprocessor", &p->sharedMemPerMultiprocessor);
    set_size(given, "reservedSharedMemPerBlock", &p->reservedSharedMemPerBlock);
    set_size(given, "totalConstMem", &p->totalConstMem);
#define INT(field) set_int(given, #field, &p->field)
    INT(major);
    INT(minor);
    INT(multiProcessorCount);
    INT(regsPerBlock);
    INT(regsPerMultiprocessor);
    INT(maxThreadsPerBlock);
    INT(maxThreadsPerMultiProcessor);
    INT(maxBlocksPerMultiProcessor);
    INT(l2CacheSize);
    INT(persistingL2CacheMaxSize);
    INT(memoryBusWidth);
    INT(asyncEngineCount);
    INT(integrated);
    INT(cooperativeLaunch);
    INT(clusterLaunch);
#undef INT
}

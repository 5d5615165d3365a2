#include "runtime/softgpu/cudart/rt.h"

/* Open addressing with linear probing. A removed key leaves a tombstone until the next growth. */
static char tombstone_mark;
#define TOMBSTONE ((const void *)&tombstone_mark)

static size_t hash(const void *key) {
    return (size_t)(((uint64_t)(uintptr_t)key * UINT64_C(0x9E3779B97F4A7C15)) >> 20);
}

static struct rt_map_slot *slot_of(const rt_map *map, const void *key) {
    for (size_t i = hash(key);; i++) {
        struct rt_map_slot *slot = &map->slots[i & (map->capacity - 1)];
        if (slot->key == key || slot->key == NULL)
            return slot;
    }
}

void *rt_map_get(const rt_map *map, const void *key) {
    RT_LOCKED();
    return map->capacity == 0 || key == NULL ? NULL : slot_of(map, key)->value;
}

static bool grow(rt_map *map) {
    rt_map larger = {.capacity = map->live < 16 ? 64 : map->live * 4};
    while (larger.capacity & (larger.capacity - 1))
        larger.capacity &= larger.capacity - 1;
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (larger.slots == NULL)
        return false;
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].key != NULL && map->slots[i].key != TOMBSTONE)
            *slot_of(&larger, map->slots[i].key) = map->slots[i];
    }
    larger.used = larger.live = map->live;
    free(map->slots);
    *map = larger;
    return true;
}

bool rt_map_put(rt_map *map, const void *key, void *value) {
    RT_LOCKED();
    if (map->used * 2 >= map->capacity && !grow(map))
        return false;
    struct rt_map_slot *slot = slot_of(map, key);
    if (slot->key == NULL) {
        slot->key = key;
        map->used++;
        map->live++;
    }
    slot->value = value;
    return true;
}

bool rt_map_remove(rt_map *map, const void *key) {
    RT_LOCKED();
    if (rt_map_get(map, key) == NULL)
        return false;
    *slot_of(map, key) = (struct rt_map_slot){.key = TOMBSTONE};
    map->live--;
    return true;
}

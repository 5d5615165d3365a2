/* table.c: the objects by their handles, which are numbered. An object's slot is its handle modulo
 * the table's size, so a destroyed object's handle finds nothing. */
#include "runtime/softgpu/texture/texture.h"

#include "runtime/base/scoped.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards changes */
static sg_texture slots[SG_TEXTURES];
static uint64_t last; /* handle */

uint64_t sg_texture_add(const sg_texture *t) {
    sg_texture *slot = NULL;
    WB_LOCKED(&lock);
    for (uint32_t n = 0; n < SG_TEXTURES && (!slot || slot->handle); n++)
        slot = &slots[++last % SG_TEXTURES];
    uint64_t handle = slot->handle ? 0 : last;
    if (handle) {
        *slot = *t;
        slot->handle = handle;
    }
    return handle;
}

const sg_texture *sg_texture_find(uint64_t handle, bool surface) {
    const sg_texture *t = &slots[handle % SG_TEXTURES];
    return handle && t->handle == handle && t->surface == surface ? t : NULL;
}

void sg_texture_remove(uint64_t handle) {
    sg_texture *t = &slots[handle % SG_TEXTURES];
    WB_LOCKED(&lock);
    if (t->handle == handle)
        t->handle = 0;
}

void sg_texture_clear(void) {
    for (uint32_t slot = 0; slot < SG_TEXTURES; slot++)
        sg_texture_remove(slots[slot].handle);
}

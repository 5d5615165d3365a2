/* place.c: see place.h. */
#include "runtime/softgpu/watch/record/place.h"

#include <inttypes.h>

#include "runtime/base/base.h"
#include "runtime/softgpu/machine/numbers.h"

/* ---- places --------------------------------------------------------------------------------- */

/* Finds a variable that is not a lane's own: in shared, constant or global memory, or a parameter.
 * Shared memory has its offset in `local`. */
static bool find_memory(const sg_run *run, const char *name, sg_place *p, size_t *room) {
    const sg_kernel *kernel = run->launch->kernel;
    const ptx_function *f = kernel->function;
    for (uint32_t k = 0; k < kernel->n_shared; k++)
        if (strcmp(kernel->shared_vars[k]->name, name) == 0) {
            p->local = (int32_t)kernel->shared_offsets[k];
            *room = kernel->shared_vars[k]->size ? kernel->shared_vars[k]->size
                                                 : run->shared_bytes - kernel->shared_offsets[k];
            return true;
        }
    for (uint32_t k = 0; k < f->n_params; k++)
        if (strcmp(f->params[k].name, name) == 0) {
            p->memory = run->params + f->param_offsets[k];
            *room = f->params[k].size;
            return true;
        }
    return (p->memory = sg_module_symbol(kernel->module, name, room)) != NULL;
}

void sg_place_find(const sg_run *run, const sg_func *func, const sg_watched *w,
                   const sg_value_place *from, sg_place *p, uint64_t *elements) {
    const ptx_function *f = func->source;
    size_t room = 0;
    *p = (sg_place){.from = from->from, .to = from->to, .reg = -1, .local = -1};
    if (from->is_register) {
        for (uint32_t k = 0; k < f->n_regs; k++)
            if (strcmp(f->regs[k]->name, from->name) == 0) {
                p->reg = func->reg_places[k];
                p->type = f->regs[k]->type;
                p->local = p->reg < 0 ? -1 : (int32_t)from->offset;
            }
        return;
    }
    for (uint32_t k = 0; k < f->n_locals; k++)
        if (f->locals[k]->space == PTX_SPACE_LOCAL && strcmp(f->locals[k]->name, from->name) == 0 &&
            (uint64_t)from->offset + w->bytes <= f->locals[k]->size)
            p->local = func->local_places[k] + (int32_t)from->offset;
    for (uint32_t k = 0; func->param_places && k < f->n_params; k++)
        if (strcmp(f->params[k].name, from->name) == 0)
            p->local = (int32_t)func->param_places[k];
    if (p->local >= 0 || !find_memory(run, from->name, p, &room))
        return;
    sg_mem_range range = {0};
    if (from->is_pointer && p->memory && room == sizeof(const char *)) {
        p->memory = *(const char *const *)p->memory;
        room = sg_mem_find(p->memory, &range) ? range.bytes : 0;
    }
    uint64_t first = (uint64_t)from->offset + w->bytes, n = w->is_array ? w->rows * w->cols : 1;
    uint64_t fit = first > room ? 0 : 1 + (w->stride ? (room - first) / w->stride : 0);
    *elements = n && n < fit ? n : fit;
    if (!fit)
        *p = (sg_place){.reg = -1, .local = -1};
    else if (p->memory)
        p->memory += from->offset;
    else
        p->local += (int32_t)from->offset;
}

/* ---- numbers as text ------------------------------------------------------------------------- */

double sg_value_real(enum sg_value_kind kind, uint32_t bytes, uint64_t bits) {
    return kind == SG_VALUE_HALF     ? (double)sg_h2f((uint32_t)bits)
           : kind == SG_VALUE_BFLOAT ? (double)sg_b2f((uint32_t)bits)
           : bytes == 8              ? sg_bits_f64(bits)
                                     : (double)sg_bits_f32((uint32_t)bits);
}

/* Writes "in+37" if the address is in the array of a parameter, or in a variable that has a name.
 * Otherwise writes the address. */
static void write_pointer(const sg_run *run, const sg_watched *w, uint64_t at, wb_buf *out) {
    const sg_kernel *kernel = run->launch->kernel;
    const ptx_function *f = kernel->function;
    const sg_wish *wish = run->launch->wish;
    uint64_t step = w->pointee ? w->pointee : 1, base = 0;
    const char *name = NULL;
    sg_mem_range range;
    if ((at & SG_WINDOW_MASK) == SG_SHARED_WINDOW) {
        for (uint32_t k = 0; k < kernel->n_shared; k++)
            if (kernel->shared_offsets[k] <= (at & ~SG_WINDOW_MASK) &&
                (!name || kernel->shared_offsets[k] > base)) {
                base = kernel->shared_offsets[k];
                name = kernel->shared_vars[k]->name;
            }
        base |= SG_SHARED_WINDOW;
    } else if (sg_mem_find((const void *)(uintptr_t)at, &range)) {
        base = (uint64_t)(uintptr_t)range.base;
        for (uint32_t k = 0; k < f->n_params && k < wish->n_parameters && !name; k++)
            if (f->params[k].size == 8 && memcmp(run->params + f->param_offsets[k], &base, 8) == 0)
                name = wish->parameters[k];
        name = !name && *range.name ? range.name : name;
    }
    if (!name)
        wb_buf_printf(out, at ? "0x%" PRIx64 : "0", at);
    else
        wb_buf_printf(out, (at - base) % step ? "%s+%" PRIu64 " B" : "%s+%" PRIu64, name,
                      (at - base) % step ? at - base : (at - base) / step);
}

void sg_value_write(const sg_run *run, const sg_watched *w, uint64_t bits, wb_buf *out) {
    unsigned unused = 64 - 8 * w->bytes;
    switch (w->kind) {
    case SG_VALUE_SIGNED:
        wb_buf_printf(out, "%" PRId64, (int64_t)(bits << unused) >> unused);
        break;
    case SG_VALUE_UNSIGNED:
        wb_buf_printf(out, "%" PRIu64, bits);
        break;
    case SG_VALUE_POINTER:
        write_pointer(run, w, bits, out);
        break;
    default:
        wb_buf_printf(out, "%g", sg_value_real(w->kind, w->bytes, bits));
    }
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Reads bytes of a lane's local memory, which is in words of 32 lanes. */
static bool read_local(const sg_warp *w, uint64_t at, int lane, uint32_t bytes, char *to) {
    for (uint32_t k = 0; k < bytes; k++, at++) {
        if (at >= w->local_bytes)
            return false;
        to[k] = w->local[at / 4 * 128 + (uint32_t)lane * 4 + at % 4];
    }
    return true;
}

bool sg_place_read(const sg_place *p, const sg_warp *w, uint64_t base, uint32_t local, int lane,
                   uint32_t bytes, uint64_t *bits) {
    const char *r = w->regs + base;
    uint32_t wide = ptx_type_size(p->type) > 4 ? 8 : 4;
    *bits = 0;
    if (!p->memory && p->local < 0)
        return false;
    if (p->memory)
        memcpy(bits, p->memory, bytes);
    else if (p->reg < 0)
        return read_local(w, local + (uint32_t)p->local, lane, bytes, (char *)bits);
    else if (p->type == PTX_PRED)
        *bits = *(const uint32_t *)(r + p->reg) >> lane & 1;
    else if ((uint32_t)p->local + bytes <= wide)
        memcpy(bits, r + p->reg + wide * (uint32_t)lane + p->local, bytes);
    else
        return false;
    return true;
}

const char *sg_place_array(const sg_place *p, const sg_block *b) {
    return p->local >= 0 ? b->shared + p->local : p->memory;
}

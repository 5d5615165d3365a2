/* builtin.c: vprintf, __assertfail, malloc, free and others that device code calls. */
#include "runtime/base/base.h"
#include "runtime/softgpu/exec/access.h"
#include "runtime/softgpu/exec/nested.h"
#include "runtime/softgpu/exec/print.h"
#include "runtime/softgpu/machine/heap.h"
#include "runtime/softgpu/watch/trace/trace.h"

static uint64_t argument_bytes(sg_warp *w, const sg_op *ip, const char *r, uint32_t k, int lane,
                               uint32_t offset, uint32_t bytes) {
    const sg_builtin_call *c = ip->aux;
    const struct sg_call_arg *a = &c->args[k];
    uint64_t value = 0;
    if (a->is_reg)
        memcpy(&value, r + a->place + a->bytes * (uint32_t)lane + offset, bytes);
    else
        sg_lane_load(w, ip, PTX_SPACE_LOCAL, lane, w->local_base + (uint32_t)a->place + offset,
                     bytes, &value);
    return value;
}

uint64_t sg_argument(sg_warp *w, const sg_op *ip, const char *r, uint32_t k, int lane) {
    uint32_t bytes = ((const sg_builtin_call *)ip->aux)->args[k].bytes;
    return argument_bytes(w, ip, r, k, lane, 0, bytes < 8 ? bytes : 8);
}

uint32_t sg_argument_word(sg_warp *w, const sg_op *ip, const char *r, uint32_t k, int lane,
                          uint32_t n) {
    return (uint32_t)argument_bytes(w, ip, r, k, lane, 4 * n, 4);
}

void sg_result(sg_warp *w, const sg_op *ip, char *r, int lane, uint64_t value) {
    const sg_builtin_call *c = ip->aux;
    if (!c->n_rets)
        return;
    const struct sg_call_arg *a = &c->rets[0];
    uint32_t bytes = a->bytes < 8 ? a->bytes : 8;
    if (a->is_reg)
        memcpy(r + a->place + a->bytes * (uint32_t)lane, &value, bytes);
    else
        sg_lane_store(w, ip, PTX_SPACE_LOCAL, lane, w->local_base + (uint32_t)a->place, bytes,
                      &value);
}

/* Counts prints, on which a GPU's time depends. */
static void count_print(sg_warp *w, const sg_op *ip) {
    sg_worker *worker = w->block->worker;
    w->count[ip->line].prints++;
    w->count[ip->line].printed += (uint64_t)__builtin_popcount(w->mask);
    if (++w->prints > worker->longest_prints)
        worker->longest_prints = w->prints;
    if (w->block->run->trace)
        sg_trace_print(w, ip);
}

static void run_vprintf(sg_warp *w, const sg_op *ip, char *r) {
    count_print(w, ip);
    EACH_LANE {
        int n = sg_print_format(w, ip, (int)i, sg_argument(w, ip, r, 0, (int)i),
                                sg_argument(w, ip, r, 1, (int)i));
        sg_result(w, ip, r, (int)i, (uint64_t)(int64_t)n);
    }
}

/* Copies a string from device memory, truncated to `size`. */
static void text_at(sg_warp *w, const sg_op *ip, int lane, uint64_t address, char *text,
                    size_t size) {
    size_t n = 0;
    while (address && n + 1 < size) {
        sg_lane_load(w, ip, PTX_SPACE_GENERIC, lane, address + n, 1, text + n);
        if (!text[n])
            break;
        n++;
    }
    text[n] = 0;
}

static void run_assertfail(sg_warp *w, const sg_op *ip, char *r) {
    char what[200], file[160], function[120];
    int lane = __builtin_ctz(w->mask);
    text_at(w, ip, lane, sg_argument(w, ip, r, 0, lane), what, sizeof what);
    text_at(w, ip, lane, sg_argument(w, ip, r, 1, lane), file, sizeof file);
    uint32_t line = (uint32_t)sg_argument(w, ip, r, 2, lane);
    text_at(w, ip, lane, sg_argument(w, ip, r, 3, lane), function, sizeof function);
    for (uint32_t m = w->mask; m; m &= m - 1) { /* NVIDIA's wording */
        int i = __builtin_ctz(m);
        const uint32_t *block = w->block->pos;
        fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%d,%d,%d] Assertion `%s` failed.\n",
                file, line, function, block[0], block[1], block[2],
                (int)sg_special_value(w, PTX_TID_X, i), (int)sg_special_value(w, PTX_TID_Y, i),
                (int)sg_special_value(w, PTX_TID_Z, i), what);
    }
    sg_fault_raise(w, ip, lane, SG_FAULT_ASSERT, _("assertion `%s` failed"), what);
}

static uint64_t heap_alloc(sg_warp *w, const sg_op *ip, uint64_t bytes) {
    void *p = sg_mem_heap_alloc(bytes, w->block->run->launch->heap);
    sg_heap_note(w, ip, p);
    return (uint64_t)(uintptr_t)p;
}

static void run_malloc(sg_warp *w, const sg_op *ip, char *r) {
    EACH_LANE {
        sg_result(w, ip, r, (int)i, heap_alloc(w, ip, sg_argument(w, ip, r, 0, (int)i)));
    }
}

static void run_free(sg_warp *w, const sg_op *ip, char *r) {
    EACH_LANE {
        uint64_t address = sg_argument(w, ip, r, 0, (int)i);
        if (address && !sg_mem_free((void *)(uintptr_t)address))
            sg_fault_raise(w, ip, (int)i, SG_FAULT_ILLEGAL_FREE,
                           _("free(0x%llx) in a kernel: this is not the start of live memory"),
                           (unsigned long long)address);
    }
    memset(w->spans, 0, SG_SITES * sizeof *w->spans);
}

static void run_cuda_malloc(sg_warp *w, const sg_op *ip, char *r) {
    EACH_LANE {
        uint64_t at = heap_alloc(w, ip, sg_argument(w, ip, r, 1, (int)i));
        sg_lane_store(w, ip, PTX_SPACE_GENERIC, (int)i, sg_argument(w, ip, r, 0, (int)i), 8, &at);
        sg_result(w, ip, r, (int)i, at ? 0 : SG_ERR_MEMORY);
    }
}

static void run_cuda_free(sg_warp *w, const sg_op *ip, char *r) {
    run_free(w, ip, r);
    EACH_LANE {
        sg_result(w, ip, r, (int)i, 0);
    }
}

static void run_pure(sg_warp *w, const sg_op *ip, char *r) {
    (void)r;
    sg_fault_raise(w, ip, __builtin_ctz(w->mask), SG_FAULT_VIRTUAL_CALL,
                   _("a virtual function without an implementation was called"));
}

const sg_builtin *sg_builtin_find(const char *name) {
    static const sg_builtin table[] = {{"vprintf", 2, run_vprintf},
                                       {"__assertfail", 5, run_assertfail},
                                       {"malloc", 1, run_malloc},
                                       {"free", 1, run_free},
                                       {"__cxa_pure_virtual", 0, run_pure},
                                       {"__cxa_deleted_virtual", 0, run_pure},
                                       {"__cudaCDP2GetParameterBufferV2", 4, sg_nested_buffer},
                                       {"__cudaCDP2LaunchDeviceV2", 2, sg_nested_launch},
                                       {"__cudaCDP2LaunchDeviceV2_ptsz", 2, sg_nested_launch},
                                       {"__cudaCDP2StreamCreateWithFlags", 2, sg_nested_stream},
                                       {"__cudaCDP2StreamDestroy", 1, sg_nested_success},
                                       {"__cudaCDP2Malloc", 2, run_cuda_malloc},
                                       {"__cudaCDP2Free", 1, run_cuda_free},
                                       {"__cudaCDP2MemcpyAsync", 5, sg_nested_copy},
                                       {"__cudaCDP2MemcpyAsync_ptsz", 5, sg_nested_copy},
                                       {"__cudaCDP2MemsetAsync", 4, sg_nested_fill},
                                       {"__cudaCDP2MemsetAsync_ptsz", 4, sg_nested_fill},
                                       {"__cudaCDP2GetLastError", 0, sg_nested_success},
                                       {"__cudaCDP2PeekAtLastError", 0, sg_nested_success},
                                       {"__cudaCDP2GetErrorString", 1, sg_nested_text},
                                       {"__cudaCDP2GetErrorName", 1, sg_nested_text}};
    for (size_t k = 0; k < WB_COUNT(table); k++)
        if (!strcmp(table[k].name, name))
            return &table[k];
    return NULL;
}

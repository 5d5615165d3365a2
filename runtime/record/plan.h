/* plan.h: shared by the files of the recording libcudart. */
#pragma once

#include <jansson.h>

#include "runtime/softgpu/cudart/rt.h"

/* ---- buffers (buffers.c) ------------------------------------------------------------------ */

enum { PLAN_MAX_BUFFERS = 4096 };

typedef struct plan_buffer {
    uint64_t base;
    size_t bytes;
    char name[64];
    bool is_argument, freed;
} plan_buffer;

/* Makes a buffer and returns its number, or -1: too many, or more than the device's memory. */
int plan_buffer_new(const char *name, size_t bytes, bool is_argument);
/* Returns the buffer at or near an address (a pointer just outside belongs to it), or -1. */
int plan_buffer_near(uint64_t address, int64_t *offset);
/* Finds the buffer that holds [address, address + bytes), or fails the call. */
cudaError_t plan_buffer_holding(const char *call, const char *role, const void *address,
                                size_t bytes, int *buffer, int64_t *offset);
plan_buffer *plan_buffer_at(int number);
int plan_buffer_count(void);
size_t plan_buffer_bytes(void); /* of all that are not freed */
bool plan_is_device_address(const void *address);
bool plan_is_pinned(const void *address); /* within memory of cudaMallocHost (memory.c) */

/* ---- the plan (plan.c) -------------------------------------------------------------------- */

/* Adds a step and takes the reference. Outside solve() stops the process with a message. */
void plan_step(const char *call, json_t *step);
/* Writes the plan with this error and ends the process: later calls could not be recorded. */
_Noreturn void plan_stop(const char *call, cudaError_t code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
json_t *plan_hex(const void *data, size_t bytes); /* a JSON string */

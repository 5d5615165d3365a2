/* recorded.h: what a launch keeps of one warp, one block or one array, to be drawn (SG_RECORD).
 * What is kept is bounded; where something was left out, it says how much. */
#ifndef SOFTGPU_RECORDED_H
#define SOFTGPU_RECORDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sg_record_what {
    SG_RECORD_NOTHING,
    SG_RECORD_ACCESS, /* one warp's requests to global and shared memory */
    SG_RECORD_MAP,    /* who touched which element of an array */
    SG_RECORD_BLOCK,  /* with SG_TRACE: what its warps did, clock by clock */
    SG_RECORD_LANES,  /* which of its lanes were on, line by line as it went */
    SG_RECORD_GRID    /* of all warps, the lanes that touched global memory */
};

/* What is wanted. */
typedef struct sg_wish {
    enum sg_record_what what;
    uint32_t block[3], warp; /* of the grid, of the block; nothing is kept where they are not */
    uint64_t time;           /* of a request: how often the warp had come there, 1: first */
    /* The array: a __device__ variable of that name, or what the program's variable points to, of
     * so many bytes, or holds a pointer to; in rows and columns of elements of so many bytes (0: as
     * many as make it whole); touched by reads, by writes (SG_MAP_...). */
    const char *name;
    const void *variable;
    size_t variable_bytes;
    uint64_t rows, cols;
    uint32_t element;
    unsigned of;
} sg_wish;

enum { SG_MAP_READS = 1, SG_MAP_WRITES = 2, SG_MAP_FIELDS = 128 /* in a row at most */ };

enum sg_map_found {
    SG_MAP_FOUND,
    SG_MAP_NO_VARIABLE, /* of that name */
    SG_MAP_NO_ARRAY,    /* it points to nothing of the device's */
    SG_MAP_SEVERAL,     /* ... to more than one array */
    SG_MAP_TOO_LARGE    /* the array is not so large, or is no whole number of such elements */
};

typedef struct sg_field { /* of the array: row_step x col_step elements */
    uint64_t first;       /* who came first: block * threads + the thread in it */
    uint64_t touches;     /* 0: nobody came */
    uint32_t time; /* the least number of accesses to the array that a warp had made before */
    bool threads, warps, blocks; /* others came, too */
} sg_field;

typedef struct sg_map_kept {
    enum sg_map_found found;
    bool timed; /* sg_field.time is known: else the grid has too many warps */
    uint64_t base, range_bytes;
    uint32_t element, threads; /* threads: of a block */
    uint64_t rows, cols, row_step, col_step, field_rows, field_cols;
    uint64_t touches, beyond; /* of elements, by lanes; of elements behind the last row */
    uint32_t last_time;
    sg_field *fields; /* field_rows x field_cols */
} sg_map_kept;

/* Lanes of a warp that asked memory at once. */
typedef struct sg_request {
    uint64_t time;   /* how often the warp had come there, 1: first; 0: it never did */
    uint32_t mask;   /* the lanes */
    uint32_t moved;  /* as counted: sectors of 32 bytes; of shared memory passes over the banks */
    uint32_t wasted; /* bytes that were moved and nobody asked for; of shared memory passes beyond
                        those that its lanes need in any case */
    uint64_t at[32]; /* addresses, of lanes of the mask; in shared memory, from its beginning */
} sg_request;

enum sg_request_kind { SG_REQUEST_LOAD, SG_REQUEST_STORE, SG_REQUEST_ATOMIC };

/* A line's requests of one kind to one array, in the order in which the warp came to them first. */
typedef struct sg_requests {
    const char *file; /* as in sg_line_counters */
    uint32_t line;    /* 0: not known */
    enum sg_request_kind kind;
    bool shared;
    uint32_t bytes;             /* that a lane asks for */
    uint64_t times;             /* how many there were in all */
    uint64_t lanes;             /* of all these */
    uint64_t moved, wasted;     /* likewise, as in sg_request */
    sg_request wished, worst;   /* the one at sg_wish.time; the first with the most wasted */
    uint64_t base, range_bytes; /* the array: an allocation, a variable; 0 and 0: not known */
    char name[64];              /* of it, where it has one */
} sg_requests;

/* Instructions of one line in a row, with the same lanes. `instructions` 0: some of those before
 * it, with a predicate that leaves these lanes on. */
typedef struct sg_step_kept {
    const char *file;
    uint32_t line, mask, instructions;
} sg_step_kept;

/* From clock to clock a warp of the block did something, or waited. Ordered by warp and
 * clock. */
typedef struct sg_span_kept {
    uint32_t warp, from, to;
    int what; /* enum sg_wait; SG_WAIT_TURN: its instructions begin. -1: a load of it is on its way
               */
    const char *file;
    uint32_t line; /* 0: not known */
} sg_span_kept;

typedef struct sg_recorded {
    bool ran; /* the launch had the block and the warp that are wished for */
    sg_requests *requests;
    uint32_t n_requests;
    sg_step_kept *steps;
    uint32_t n_steps;
    sg_map_kept *map;
    sg_span_kept *spans;
    uint32_t n_spans;
    uint32_t *came; /* by warp of the grid, blocks one after the other; NULL: not wished for, or too
                       many warps */
    uint64_t n_came;
    uint64_t left_out; /* instructions, or steps, beyond the room for them */
} sg_recorded;

void sg_recorded_free(sg_recorded *r); /* NULL is fine */

#endif

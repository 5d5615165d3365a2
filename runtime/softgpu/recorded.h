/* recorded.h: what a launch records of one warp, one block or one array, for drawing (SG_RECORD).
 * Each record has a size limit and says how much it left out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sg_record_what {
    SG_RECORD_NOTHING,
    SG_RECORD_ACCESS, /* one warp's requests to global and shared memory */
    SG_RECORD_MAP,    /* which thread touched which element of an array */
    SG_RECORD_BLOCK,  /* with SG_TRACE: what the block's warps did, clock by clock */
    SG_RECORD_LANES,  /* the active lanes of the warp, line by line in execution order */
    SG_RECORD_GRID,   /* for every warp, the lanes that touched global memory */
    SG_RECORD_VALUES, /* what variables of one warp hold, line by line */
    SG_RECORD_DEBUG   /* nothing: a debugger watches all warps (sg_wish.watcher) */
};

enum sg_value_kind {
    SG_VALUE_SIGNED,
    SG_VALUE_UNSIGNED,
    SG_VALUE_FLOAT, /* of 4 or 8 bytes */
    SG_VALUE_HALF,
    SG_VALUE_BFLOAT,
    SG_VALUE_POINTER,
    SG_VALUE_OTHER /* no number, as the target of a pointer */
};

/* The place of a variable while an instruction from..to-1 of its function is next. */
typedef struct sg_value_place {
    uint32_t from, to;
    bool is_register;
    bool is_pointer; /* the variable in memory has the address of the place */
    char *name;      /* the register, or the variable in memory */
    int64_t offset;
} sg_value_place;

/* A number of each lane; or an array of numbers that the block shares. */
typedef struct sg_watched {
    char *name; /* "mine", "p.x", "acc[2]" */
    enum sg_value_kind kind;
    uint32_t bytes, pointee;   /* pointee: bytes that a pointer's target has; 0: unknown */
    enum sg_value_kind target; /* of a pointer */
    const char *type;          /* its name, or that of a pointer's target; or NULL */
    bool is_array;
    uint64_t rows, cols, stride; /* rows 0: as many as there is room for */
    sg_value_place *places;      /* of several that hold, the last */
    uint32_t n_places;
} sg_watched;

/* A debugger. It is called at each piece of a line (sg_values_piece()), and before a fault ends
 * the launch, on the launch's own thread. */
struct sg_op;
struct sg_warp;
typedef struct sg_watcher {
    void *context;
    /* It may end the warp's turn by sg_warp.stop; the piece is then announced again. */
    void (*piece)(void *context, struct sg_warp *w, const struct sg_op *ip);
    void (*fault)(void *context, struct sg_warp *w, const struct sg_op *ip, int lane,
                  const char *text); /* text: names the line without its file */
    uint64_t seed;                   /* of the order of blocks; 0: as they are numbered */
} sg_watcher;

/* A choice of launches, blocks and events to record. */
typedef struct sg_wish {
    enum sg_record_what what;
    uint32_t block[3], warp; /* in the grid; in the block; others record nothing */
    uint64_t time;           /* record the request at the warp's n-th visit, from 1 */
    /* The array: the __device__ variable `name`, or what the program's variable points to.
     * `variable` is that variable or contains the pointer. rows, cols and element (bytes; 0:
     * computed from the size) give its shape. `of` selects reads, writes or both (SG_MAP_...). */
    const char *name;
    const void *variable;
    size_t variable_bytes;
    uint64_t rows, cols;
    uint32_t element;
    unsigned of;
    /* The variables of function `of_function`, and which moments: number `first` and the next. */
    const sg_watched *watched;
    uint32_t n_watched;
    const char *of_function;
    const char *const *parameters; /* names of the kernel's parameters, for pointers */
    uint32_t n_parameters;
    uint64_t first, last;
    bool before;     /* the values before each line instead of after it */
    bool every;      /* also lines that change none of them */
    bool block_wide; /* those of all warps of a block that has at most SG_WIDE_WARPS */
    /* A trace: only moments at these lines (first, last) of the function's file at which one of
     * `lanes` runs. Arrays are read there too, not at barriers. NULL: no trace. */
    const uint32_t (*lines)[2];
    uint32_t n_lines, lanes;
    const sg_watcher *watcher; /* SG_RECORD_DEBUG */
} sg_wish;

enum { SG_WIDE_WARPS = 8 };
enum { SG_MAP_READS = 1, SG_MAP_WRITES = 2, SG_MAP_FIELDS = 128 /* in a row */ };

enum sg_map_found {
    SG_MAP_FOUND,
    SG_MAP_NO_VARIABLE, /* no variable of that name */
    SG_MAP_NO_ARRAY,    /* the variable points to no device memory */
    SG_MAP_SEVERAL,     /* the variable points to several arrays */
    SG_MAP_TOO_LARGE    /* the array is too small, or its size does not fit the elements */
};

typedef struct sg_field { /* row_step x col_step elements of the array */
    uint64_t first;       /* the first thread to touch it: block * threads + the thread in it */
    uint64_t touches;     /* 0: untouched */
    uint32_t time;        /* the fewest earlier accesses to the array by a warp that touched it */
    bool threads, warps, blocks; /* other threads, warps or blocks touched it too */
} sg_field;

typedef struct sg_map_kept {
    enum sg_map_found found;
    bool timed; /* sg_field.time is known; false if the grid has too many warps */
    uint64_t base, range_bytes;
    uint32_t element, threads; /* threads: in a block */
    uint64_t rows, cols, row_step, col_step, field_rows, field_cols;
    uint64_t touches, beyond; /* of elements, by lanes; accesses behind the last row */
    uint32_t last_time;
    sg_field *fields; /* field_rows x field_cols */
} sg_map_kept;

/* One access of a warp to memory. */
typedef struct sg_request {
    uint64_t time;   /* the warp's visit, from 1; 0: no such visit */
    uint32_t mask;   /* the lanes */
    uint32_t moved;  /* sectors of 32 bytes; for shared memory, passes over the banks */
    uint32_t wasted; /* bytes moved but not requested; for shared memory, passes beyond the fewest
                        that these lanes can need */
    uint64_t at[32]; /* addresses of these lanes; for shared memory, offsets from its start */
} sg_request;

enum sg_request_kind { SG_REQUEST_LOAD, SG_REQUEST_STORE, SG_REQUEST_ATOMIC };

/* A series: the requests of one line and kind to one array. Series are in the order in which the
 * warp first reached them. */
typedef struct sg_requests {
    const char *file; /* as in sg_line_counters */
    uint32_t line;    /* 0: unknown */
    enum sg_request_kind kind;
    bool shared;
    uint32_t bytes;             /* requested by each lane */
    uint64_t times;             /* number of requests */
    uint64_t lanes;             /* total over all requests */
    uint64_t moved, wasted;     /* total, as in sg_request */
    sg_request wished, worst;   /* the request at sg_wish.time; the first with the most waste */
    uint64_t base, range_bytes; /* the allocation or variable; 0 and 0: unknown */
    char name[64];              /* the array's name, or "" */
} sg_requests;

/* Consecutive instructions of one line with the same lanes. If `instructions` is 0, the step is a
 * predicate that leaves only these lanes on for some of the instructions before it. */
typedef struct sg_step_kept {
    const char *file;
    uint32_t line, mask, instructions;
    bool jump;
} sg_step_kept;

/* One activity or wait of a warp between two clocks. Ordered by warp and clock. */
typedef struct sg_span_kept {
    uint32_t warp, from, to;
    int what; /* enum sg_wait, SG_WAIT_TURN: it issues instructions; -1: a load is pending */
    const char *file;
    uint32_t line; /* 0: unknown */
} sg_span_kept;

enum sg_moment { SG_MOMENT_LINE, SG_MOMENT_BARRIER, SG_MOMENT_END };

/* The values behind a line, or of arrays at a barrier. */
typedef struct sg_moment_kept {
    enum sg_moment what;
    const char *file;
    uint32_t line, round; /* round: the time that a lane came to the line, from 1 */
    uint32_t warp, mask;  /* of the block; the lanes of the line */
    char *values;         /* a line for each watched variable: numbers with a tab behind each, and
                             a * before those that changed; an empty one is not known */
} sg_moment_kept;

typedef struct sg_recorded {
    bool ran; /* the wished block and warp exist in this launch */
    sg_requests *requests;
    uint32_t n_requests;
    sg_step_kept *steps;
    uint32_t n_steps;
    sg_map_kept *map;
    sg_span_kept *spans;
    uint32_t n_spans;
    uint32_t *came; /* by warp, in the order of blocks; NULL: not wished for, or too many warps */
    uint64_t n_came;
    sg_moment_kept *moments; /* those wished for */
    uint32_t n_moments;
    uint64_t all_moments, same; /* also those that were not; lines that changed nothing */
    uint64_t left_out;          /* instructions or steps for which there was no room */
} sg_recorded;

void sg_recorded_free(sg_recorded *r); /* r may be NULL */

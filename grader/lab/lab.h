/* lab.h: a lab as its lab.json describes it (labs/README.md has the schema): the arguments of
 * solve(), how inputs are drawn and results compared (args.c, values.c), the tests with their sizes
 * and points, and the performance criteria. Data only: a source file beside lab.json computes the
 * correct results. */
#pragma once

#include "grader/lab/expr.h"
#include "grader/lab/types.h"
#include "kernels/registry.h"
#include "runtime/base/base.h"

#define GR_MAX_POINTS 1000.0

typedef struct gr_arg {
    char name[32];
    gr_role role;
    gr_type type;   /* for a struct: its first field's */
    char *count;    /* arrays: the formula of the element count */
    char *row;      /* arrays: the formula of a row's elements, or NULL */
    char cxx[32];   /* the element's type in C++: "float", "body" */
    uint32_t bytes; /* of an element */
    bool is_struct;
    int n_fields;
    gr_field fields[GR_MAX_FIELDS];
} gr_arg;

/* A number of lab.json, or a formula over the sizes. */
typedef struct gr_amount {
    double number;
    char *formula; /* NULL: the number counts */
} gr_amount;

typedef struct gr_rule {
    bool given;
    gr_draw draw;
    gr_order order;
    gr_amount a, b;  /* as in gr_fill */
    gr_amount terms; /* gr_fill's c, for "uniform" */
    double c;
} gr_rule;

/* A kind of values: how to draw each field of each argument. */
typedef struct gr_set {
    char name[24];
    gr_rule rules[GR_MAX_ARGS][GR_MAX_FIELDS];
} gr_set;

typedef struct gr_range {
    int64_t from, to, step; /* both ends included; the seed chooses one of from, from + step, ... */
} gr_range;

/* One call of solve(): sizes (the seed chooses in their ranges), scalars and values. */
typedef struct gr_case {
    gr_range sizes[GR_MAX_ARGS]; /* by argument; for GR_SIZE */
    double scalars[GR_MAX_ARGS]; /* by argument; for GR_SCALAR */
    gr_values values;
} gr_case;

typedef struct gr_test {
    char *name, *about;
    double points; /* divided evenly among the cases */
    bool hidden;   /* no student sees its sizes, whether it passes or fails */
    bool races;    /* softgpu also looks for races and uninitialised reads */
    bool repeat;   /* the same input twice must give the same bits */
    gr_case *cases;
    size_t n_cases;
} gr_test;

/* A measure of performance. */
typedef enum gr_measure {
    GR_LOAD_EFFICIENCY,  /* bytes that threads asked for / bytes of sectors moved, loads; best: 1 */
    GR_STORE_EFFICIENCY, /* the same for stores */
    GR_TRAFFIC,          /* bytes moved to and from global memory / minimum_bytes; best: 1 */
    GR_WAVEFRONTS,       /* passes over shared memory, for 32 units of work */
    GR_INSTRUCTIONS,     /* thread instructions, for a unit of work */
    GR_CONTENTION,       /* atomic operations in sequence, for a unit of work */
    GR_PARALLELISM,      /* mean number of active warps on a GPU */
    GR_SPEED,            /* reference time / submission time; modelled on softgpu */
    GR_MEASURES
} gr_measure;
extern const char *const gr_measure_names[GR_MEASURES];
static inline bool gr_more_is_better(gr_measure measure) {
    return measure == GR_SPEED || measure == GR_PARALLELISM || measure == GR_LOAD_EFFICIENCY ||
           measure == GR_STORE_EFFICIENCY;
}

/* All points at `full` or better, none at `none` or worse, in between on a logarithmic scale. */
typedef struct gr_criterion {
    char *name, *advice;
    gr_measure measure;
    double points, full, none;
} gr_criterion;

typedef struct gr_performance {
    gr_case *cases; /* speed uses all of them, counts the first */
    size_t n_cases;
    gr_criterion *criteria;
    size_t n_criteria;
    gr_criterion *conditions; /* without points: the worst one's share scales all points */
    size_t n_conditions;
    gr_criterion *reasons; /* without points: reported when speed is missing and they fall short */
    size_t n_reasons;
} gr_performance;

/* The rival that speed is compared with. */
typedef enum gr_rival_kind {
    GR_RIVAL_COPY,   /* the device's own copy */
    GR_RIVAL_CALL,   /* a row of the registry; libraries have measured times for each size */
    GR_RIVAL_SOURCE, /* a file beside lab.json with its own solve() */
    GR_RIVALS
} gr_rival_kind;

enum { GR_RIVAL_SIZES = 3 };

/* The rival as lab.json describes it. */
typedef struct gr_rival_spec {
    gr_rival_kind kind;
    char name[64]; /* the row's or the file's */
    wbk_type type;
    int n_sizes;
    char *sizes[GR_RIVAL_SIZES]; /* formulas: m, n, k as far as the row has them */
    char scalars[2][32];         /* names of the arguments for alpha and beta; "": 1 and 0 */
} gr_rival_spec;

/* Limits of all runs of a submission together. */
typedef struct gr_budget {
    double cpu_s; /* processor time of the process that runs its kernels */
    double wall_s;
} gr_budget;

typedef struct gr_lab {
    char *path; /* of lab.json, for messages */
    char *name, *title, *summary;
    char source[64]; /* "reference.cu", beside lab.json: computes the correct results */
    char check[64];  /* "check.cu", whose check() judges results; "": none */
    gr_set *sets;
    int n_sets;
    gr_arg args[GR_MAX_ARGS];
    int n_args;
    unsigned forbidden;         /* bits of gr_forbidden_names */
    char *work, *minimum_bytes; /* formulas */
    gr_budget limits;
    gr_rival_spec rival;
    gr_test *tests;
    size_t n_tests;
    gr_performance soft, gpu;
} gr_lab;

/* Libraries that a lab may forbid. */
enum { GR_FORBID_CUBLAS, GR_FORBID_CUB, GR_FORBID_THRUST, GR_FORBIDS };
extern const char *const gr_forbidden_names[GR_FORBIDS];

/* Reads a lab from text. `path` is only for messages. NULL with *err "FILE:LINE: WHERE: expected
 * WHAT" if it is not valid. The caller frees it with gr_lab_free. */
gr_lab *gr_lab_parse(const char *path, const char *text, size_t len, wb_error *err);
gr_lab *gr_lab_read(const char *path, wb_error *err);
void gr_lab_free(gr_lab *lab);

/* Returns the absolute path of a file beside lab.json, malloc'd. NULL: the folder does not
 * exist. */
char *gr_lab_beside(const gr_lab *lab, const char *name);
/* Computes a set's fill of every field of an argument for these sizes. Returns false with *err if a
 * formula fails. `where` is the key ("values.uniform.in"). */
bool gr_lab_fills(const gr_lab *lab, int set, int arg, const gr_vars *sizes, int64_t count,
                  gr_fill fills[GR_MAX_FIELDS], char where[120], wb_error *err);

/* Returns "void solve(const float *in, float *out, int rows, int cols)". The caller frees it. */
char *gr_lab_signature(const gr_lab *lab);
void gr_lab_add_parameters(const gr_lab *lab, wb_buf *b); /* appends those in its brackets */
/* cxx.c: appends a parameter's type ("const float *"). `constant`: const for every role. */
void gr_lab_add_type(const gr_arg *arg, bool constant, wb_buf *b);
/* Appends an argument of a call, "*(const float **)warpbook_a[3]", and counts *at up. */
void gr_lab_add_argument(const gr_arg *arg, bool constant, int *at, wb_buf *b);
bool gr_lab_uses_half(const gr_lab *lab); /* then sources need <cuda_fp16.h> */
/* Appends static_asserts that the source's structs match the lab's. They need GR_SAME_TYPE. */
#define GR_SAME_TYPE                                                                               \
    "template <class A, class B> struct warpbook_same { enum { value = false }; };\n"              \
    "template <class A> struct warpbook_same<A, A> { enum { value = true }; };\n"
void gr_lab_add_struct_checks(const gr_lab *lab, wb_buf *b);

/* Returns true for a letter, then letters, digits, - and _, 40 at most. */
bool gr_lab_is_name(const char *name);
double gr_lab_max_score(const gr_lab *lab, bool gpu);
/* Returns true if speed earns points. */
bool gr_judges_speed(const gr_performance *performance);

/* Reads a lab, given by name ("transpose") or by the path of its folder or lab.json. NULL with
 * *err, which suggests a similar name. */
gr_lab *gr_lab_find(const char *name, wb_error *err);

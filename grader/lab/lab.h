/* lab.h: a lab as its lab.json describes it (the schema is in labs/README.md): the arguments of
 * solve(), how inputs are drawn and results compared (args.c, values.c), the tests with their sizes
 * and points, the criteria of performance. Data only; what a correct result is says a source file
 * beside lab.json. */
#ifndef GRADER_LAB_H
#define GRADER_LAB_H

#include "grader/lab/expr.h"
#include "grader/lab/types.h"
#include "grader/lab/rival.h"
#include "runtime/base/base.h"

#define GR_MAX_POINTS 1000.0

typedef struct gr_arg {
    char name[32];
    gr_role role;
    gr_type type;   /* of a struct: its first field's */
    char *count;    /* arrays: the formula of their elements */
    char *row;      /* ... of those of a row, where they have some; or NULL */
    char cxx[32];   /* the element's type in C++: "float", "body" */
    uint32_t bytes; /* an element */
    bool is_struct;
    int n_fields;
    gr_field fields[GR_MAX_FIELDS];
} gr_arg;

/* A number of lab.json that may be a formula over the sizes. */
typedef struct gr_amount {
    double number;
    char *formula; /* NULL: it is the number */
} gr_amount;

typedef struct gr_rule {
    bool given;
    gr_draw draw;
    gr_order order;
    gr_amount a, b;  /* gr_fill's */
    gr_amount terms; /* gr_fill's c, of "uniform" */
    double c;
} gr_rule;

/* A kind of values: how each field of each argument is drawn. */
typedef struct gr_set {
    char name[24];
    gr_rule rules[GR_MAX_ARGS][GR_MAX_FIELDS];
} gr_set;

typedef struct gr_range {
    int64_t from, to, step; /* both included; the seed chooses one of from, from + step, ... */
} gr_range;

/* One call of solve(): sizes (the seed chooses within a range), scalars and input data. */
typedef struct gr_case {
    gr_range sizes[GR_MAX_ARGS]; /* by argument; for GR_SIZE */
    double scalars[GR_MAX_ARGS]; /* by argument; for GR_SCALAR */
    gr_values values;
} gr_case;

typedef struct gr_test {
    char *name, *about;
    double points; /* shared evenly by the cases */
    bool hidden;   /* its sizes are told to nobody who is graded, whether it fails or not */
    bool races;    /* softgpu also looks for races and uninitialised reads */
    bool repeat;   /* the same input twice must give the same bits */
    gr_case *cases;
    size_t n_cases;
} gr_test;

/* What performance is measured by. */
typedef enum gr_measure {
    GR_LOAD_EFFICIENCY,  /* bytes the threads asked for / bytes of the sectors moved, loads; 1 is
                            best */
    GR_STORE_EFFICIENCY, /* the same of stores */
    GR_TRAFFIC,          /* bytes moved to and from global memory / minimum_bytes; 1 is best */
    GR_WAVEFRONTS,       /* passes over shared memory for each 32 units of work */
    GR_INSTRUCTIONS,     /* thread instructions for each unit of work */
    GR_CONTENTION,       /* atomic operations that run one after the other, for each unit of work */
    GR_PARALLELISM,      /* warps of a GPU at work at once, on the average */
    GR_SPEED,            /* the reference's time / the submission's; on softgpu a GPU's, modelled */
    GR_MEASURES
} gr_measure;
extern const char *const gr_measure_names[GR_MEASURES];
static inline bool gr_more_is_better(gr_measure measure) {
    return measure == GR_SPEED || measure == GR_PARALLELISM || measure == GR_LOAD_EFFICIENCY ||
           measure == GR_STORE_EFFICIENCY;
}

/* Full points at `full` or better, none at `none` or worse, between them by the logarithm. */
typedef struct gr_criterion {
    char *name, *advice;
    gr_measure measure;
    double points, full, none;
} gr_criterion;

typedef struct gr_performance {
    gr_case *cases; /* speed: of all of them; counts: of the first */
    size_t n_cases;
    gr_criterion *criteria;
    size_t n_criteria;
    gr_criterion *conditions; /* without points: the part of the worst is what all points count */
    size_t n_conditions;
    gr_criterion *reasons; /* without points: told where speed is missing and they fall short */
    size_t n_reasons;
} gr_performance;

typedef struct gr_lab {
    char *path; /* of lab.json, for messages */
    char *name, *title, *summary;
    char source[64]; /* "reference.cu", beside lab.json: what is right */
    char check[64];  /* "check.cu", whose check() judges results; "": none */
    gr_set *sets;
    int n_sets;
    gr_arg args[GR_MAX_ARGS];
    int n_args;
    unsigned forbidden;         /* bits of gr_forbidden_names */
    char *work, *minimum_bytes; /* formulas */
    gr_rival_spec rival;
    gr_test *tests;
    size_t n_tests;
    gr_performance soft, gpu;
} gr_lab;

/* Libraries a lab may forbid. */
enum { GR_FORBID_CUBLAS, GR_FORBID_CUB, GR_FORBID_THRUST, GR_FORBIDS };
extern const char *const gr_forbidden_names[GR_FORBIDS];

/* NULL with *err "FILE:LINE: WHERE: expected WHAT" when the text is no valid lab. `path` is used
 * in messages only. The caller frees with gr_lab_free. */
gr_lab *gr_lab_parse(const char *path, const char *text, size_t len, wb_error *err);
gr_lab *gr_lab_read(const char *path, wb_error *err);
void gr_lab_free(gr_lab *lab);

/* The path of a file beside lab.json, absolute; malloc'd, NULL when the folder is gone. */
char *gr_lab_beside(const gr_lab *lab, const char *name);
/* A set's fill of every field, with the formulas worked out for these sizes; false with where and
 * why when one can't be. `where` is the key ("values.uniform.in"). */
bool gr_lab_fills(const gr_lab *lab, int set, int arg, const gr_vars *sizes, int64_t count,
                  gr_fill fills[GR_MAX_FIELDS], char where[120], wb_error *err);

/* "void solve(const float *in, float *out, int rows, int cols)", malloc'd. */
char *gr_lab_signature(const gr_lab *lab);
/* cxx.c: the type of a parameter, "const float *"; constant: whatever its role. */
void gr_lab_add_type(const gr_arg *arg, bool constant, wb_buf *b);
bool gr_lab_uses_half(const gr_lab *lab); /* which <cuda_fp16.h> declares */
/* static_asserts that the source's structs are the lab's; they need GR_SAME_TYPE before them. */
#define GR_SAME_TYPE                                                                               \
    "template <class A, class B> struct warpbook_same { enum { value = false }; };\n"              \
    "template <class A> struct warpbook_same<A, A> { enum { value = true }; };\n"
void gr_lab_add_struct_checks(const gr_lab *lab, wb_buf *b);

double gr_lab_max_score(const gr_lab *lab, bool gpu);
/* Whether speed is among what earns points. */
bool gr_judges_speed(const gr_performance *performance);

/* The path of the lab.json of a lab given by name ("transpose") or by the path of its folder or
 * file; NULL with *err naming the nearest lab there is. */
char *gr_lab_find(const char *name, wb_error *err);

#endif

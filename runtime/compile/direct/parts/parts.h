/* parts.h: a CUDA translation unit taken apart into its declarations at namespace scope, by its
 * tokens. A header behind the preprocessor is taken apart likewise. What a declaration is follows
 * from its first words and its brackets; where that may be wrong, the unit is refused, and nvcc
 * compiles it. */
#ifndef WARPBOOK_COMPILE_DIRECT_PARTS_PARTS_H
#define WARPBOOK_COMPILE_DIRECT_PARTS_PARTS_H

#include "runtime/compile/direct/parts/tokens.h"

/* Why a unit is not for this route. */
typedef enum wb_unfit {
    WB_FITS,
    WB_UNFIT_SYNTAX,    /* brackets or literals that do not close, or memory ran out */
    WB_UNFIT_HEADER,    /* a header that neither C++ nor CUDA brings, or that needs nvcc */
    WB_UNFIT_MACRO,     /* a macro that holds device code or a launch */
    WB_UNFIT_CONDITION, /* #if beside device code, but for #ifdef __CUDA_ARCH__ */
    WB_UNFIT_LAMBDA,    /* an extended lambda, or another mark inside a host function */
    WB_UNFIT_VARIABLE,  /* a managed, external or static member variable of the device */
    WB_UNFIT_TEMPLATE,  /* a kernel template whose arguments a launch leaves to the compiler */
    WB_UNFIT_LAUNCH,    /* a launch from the device, or of what is not a name */
    WB_UNFIT_KERNEL,    /* a kernel with parameters that its stub can't name, or a member */
    WB_UNFIT_NAME,      /* host code that uses a name of the device's */
    WB_UNFIT_OPTION,    /* an option that this route does not know */
    WB_UNFIT_MACHINE,   /* a part is missing, or failed */
    WB_UNFIT_WORDS      /* a compiler said something: nvcc's words count */
} wb_unfit;

typedef enum wb_part_kind {
    WB_PART_DIRECTIVE,
    WB_PART_OPEN,     /* namespace a { or extern "C" { */
    WB_PART_CLOSE,    /* its } */
    WB_PART_KERNEL,   /* __global__ */
    WB_PART_DEVICE,   /* a function of the device alone */
    WB_PART_BOTH,     /* a function of host and device */
    WB_PART_VARIABLE, /* a variable of the device */
    WB_PART_SHADOW,   /* the host's name for a variable of the device that another unit defines */
    WB_PART_TYPE,     /* a class, enum, alias, template alias, using directive, static_assert */
    WB_PART_CONSTANT, /* const and constexpr variables and functions */
    WB_PART_UNCLEAR,  /* of a header: what it declares is not sure */
    WB_PART_HOST      /* anything else */
} wb_part_kind;

/* By #ifdef and #ifndef __CUDA_ARCH__. */
typedef enum wb_side { WB_SIDE_BOTH, WB_SIDE_HOST, WB_SIDE_DEVICE } wb_side;

typedef struct wb_part {
    wb_part_kind kind;
    wb_side side;      /* of a directive: the side that it begins, turns or ends */
    size_t first, end; /* its tokens */
    size_t body;       /* the { of a function's body; 0: none */
    size_t open;       /* the ( of a function's parameters; 0: none */
    size_t name;       /* the declared function's or variable's name; 0: none */
    size_t header;     /* behind template<...>; first: there is none */
    bool is_template, is_static, is_constant; /* is_constant: __constant__ */
    bool ours;                                /* stands under #line ... "warpbook" */
    int line;                                 /* where it begins, by #line */
    const char *file; /* with its quotes, up to the closing one; NULL: none said */
} wb_part;

typedef struct wb_parts {
    wb_tokens tokens;
    wb_part *v;
    size_t n;
} wb_parts;

wb_unfit wb_parts_read(const char *text, wb_parts *parts);
void wb_parts_free(wb_parts *parts);
/* The side that the directive begins: the device's with #ifdef __CUDA_ARCH__. */
wb_side wb_parts_side(const wb_token *directive);
/* A word whose parentheses are not those of a function: alignas, __attribute__, decltype ... */
bool wb_parts_takes_parentheses(const wb_token *word);
/* The token behind the template arguments that begin with the < at `open`; 0: they have no end. */
size_t wb_parts_arguments(const wb_tokens *tokens, size_t open, size_t end);

#endif

/* parts.h: takes a CUDA translation unit, or a preprocessed header, apart into its declarations at
 * namespace scope. Works on tokens: the first words and the brackets tell what a declaration is. If
 * that may be wrong, the unit is unfit, and nvcc compiles it. */
#pragma once

#include "runtime/compile/direct/parts/tokens.h"

/* The reason why a unit does not fit this route. */
typedef enum wb_unfit {
    WB_FITS,
    WB_UNFIT_SYNTAX,    /* unbalanced brackets or literals, or memory ran out */
    WB_UNFIT_HEADER,    /* a header that neither C++ nor CUDA has, or that needs nvcc */
    WB_UNFIT_MACRO,     /* a macro that holds device code or a launch */
    WB_UNFIT_CONDITION, /* #if beside device code, except #ifdef __CUDA_ARCH__ */
    WB_UNFIT_LAMBDA,    /* an extended lambda, or another mark inside a host function */
    WB_UNFIT_VARIABLE,  /* a managed, external or static member variable of the device */
    WB_UNFIT_TEMPLATE,  /* a launch of a kernel template with deduced arguments */
    WB_UNFIT_LAUNCH,    /* a launch in device code, or of an expression */
    WB_UNFIT_KERNEL,    /* a kernel with parameters that its stub can't name, or a member */
    WB_UNFIT_NAME,      /* host code that uses a device name */
    WB_UNFIT_OPTION,    /* an unknown option */
    WB_UNFIT_MACHINE,   /* a part is missing, or failed */
    WB_UNFIT_WORDS      /* a compiler printed something, so nvcc's messages count */
} wb_unfit;

typedef enum wb_part_kind {
    WB_PART_DIRECTIVE,
    WB_PART_OPEN,     /* namespace a { or extern "C" { */
    WB_PART_CLOSE,    /* its } */
    WB_PART_KERNEL,   /* __global__ */
    WB_PART_DEVICE,   /* a function for the device only */
    WB_PART_BOTH,     /* a function for host and device */
    WB_PART_VARIABLE, /* a device variable */
    WB_PART_SHADOW,   /* the host's name for another unit's device variable */
    WB_PART_TYPE,     /* a class, enum, alias, template alias, using directive, static_assert */
    WB_PART_CONSTANT, /* const and constexpr variables and functions */
    WB_PART_UNCLEAR,  /* in a header: it is not sure what it declares */
    WB_PART_HOST      /* anything else */
} wb_part_kind;

/* The side of #ifdef and #ifndef __CUDA_ARCH__. */
typedef enum wb_side { WB_SIDE_BOTH, WB_SIDE_HOST, WB_SIDE_DEVICE } wb_side;

typedef struct wb_part {
    wb_part_kind kind;
    wb_side side;      /* of a directive: the side that it begins, switches or ends */
    size_t first, end; /* its tokens */
    size_t body;       /* the { of a function's body; 0: none */
    size_t open;       /* the ( of a function's parameters; 0: none */
    size_t name;       /* the declared function's or variable's name; 0: none */
    size_t header;     /* after template<...>; equals first if there is none */
    bool is_template, is_static, is_constant; /* is_constant: __constant__ */
    bool ours;                                /* it is under #line ... "warpbook" */
    int line;                                 /* its line, by #line */
    const char *file; /* begins with a quote, ends before the closing one; NULL: unknown */
} wb_part;

typedef struct wb_parts {
    wb_tokens tokens;
    wb_part *v;
    size_t n;
} wb_parts;

wb_unfit wb_parts_read(const char *text, wb_parts *parts);
void wb_parts_free(wb_parts *parts);
/* Returns the side that the directive begins: the device's for #ifdef __CUDA_ARCH__. */
wb_side wb_parts_side(const wb_token *directive);
/* Returns true for a word with parentheses of its own: alignas, __attribute__, decltype ... */
bool wb_parts_takes_parentheses(const wb_token *word);
/* Appends a #line with the part's place, if that is known. */
void wb_parts_put_place(const wb_part *part, wb_buf *out);
/* Returns the token after the template arguments whose < is at `open`, or 0. */
size_t wb_parts_arguments(const wb_tokens *tokens, size_t open, size_t end);

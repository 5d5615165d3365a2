/* cxx.c: a lab's arguments in C++. */
#include "grader/lab/lab.h"

void gr_lab_add_type(const gr_arg *arg, bool constant, wb_buf *b) {
    bool pointer = gr_is_array(arg->role);
    wb_buf_printf(b, "%s%s%s", pointer && (constant || arg->role == GR_INPUT) ? "const " : "",
                  arg->cxx, pointer ? " *" : "");
}

void gr_lab_add_argument(const gr_arg *arg, bool constant, int *at, wb_buf *b) {
    wb_buf_puts(b, *at ? ", *(" : "*(");
    gr_lab_add_type(arg, constant, b);
    wb_buf_printf(b, " *)warpbook_a[%d]", (*at)++);
}

void gr_lab_add_parameters(const gr_lab *lab, wb_buf *b) {
    for (int i = 0; i < lab->n_args; i++) {
        const gr_arg *arg = &lab->args[i];
        wb_buf_puts(b, i ? ", " : "");
        gr_lab_add_type(arg, false, b);
        wb_buf_printf(b, "%s%s", gr_is_array(arg->role) ? "" : " ", arg->name);
    }
}

char *gr_lab_signature(const gr_lab *lab) {
    wb_buf b = {0};
    wb_buf_puts(&b, "void solve(");
    gr_lab_add_parameters(lab, &b);
    wb_buf_putc(&b, ')');
    return wb_buf_steal(&b);
}

bool gr_lab_uses_half(const gr_lab *lab) {
    for (int i = 0; i < lab->n_args; i++)
        for (int f = 0; f < lab->args[i].n_fields; f++)
            if (lab->args[i].fields[f].type == GR_HALF)
                return true;
    return false;
}

void gr_lab_add_struct_checks(const gr_lab *lab, wb_buf *b) {
    for (int i = 0; i < lab->n_args; i++) {
        const gr_arg *arg = &lab->args[i];
        if (!arg->is_struct)
            continue;
        wb_buf_printf(b, "static_assert(sizeof(%s) == %u, \"the lab's struct %s has %u bytes\");\n",
                      arg->cxx, arg->bytes, arg->cxx, arg->bytes);
        for (int f = 0; f < arg->n_fields; f++) {
            const gr_field *field = &arg->fields[f];
            wb_buf_printf(
                b,
                "static_assert(__builtin_offsetof(%s, %s) == %u && "
                "warpbook_same<decltype(%s::%s), %s>::value, \"the lab's struct %s has %s "
                "%s at byte %u\");\n",
                arg->cxx, field->name, field->offset, arg->cxx, field->name,
                gr_type_cxx[field->type], arg->cxx, gr_type_cxx[field->type], field->name,
                field->offset);
        }
    }
}

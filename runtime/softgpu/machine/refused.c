#include "runtime/softgpu/machine/refused.h"
#include "runtime/base/base.h"

static const struct {
    const char *name, *what, *remedy, *library;
} table[] = {
    {0},
#define REFUSED(kind, name, what, remedy, library) {name, what, remedy, library},
#include "runtime/softgpu/machine/refused.inc"
};

const char *sg_refused_name(sg_refused kind) {
    return table[kind].name;
}

bool sg_refused_many(sg_refused kind) {
    return !table[kind].what;
}

sg_refused sg_refused_library(const char *file) {
    for (size_t kind = 0; kind < WB_COUNT(table); kind++)
        if (table[kind].library && !strncmp(file, table[kind].library, strlen(table[kind].library)))
            return (sg_refused)kind;
    return SG_REFUSED_LIBRARY;
}

void sg_refused_text(sg_refused kind, const char *who, const char *name, char *text, size_t size) {
    snprintf(text, size, _("%s does not support %s; %s"), who,
             table[kind].what ? wb_tr(table[kind].what) : name,
             table[kind].remedy ? wb_tr(table[kind].remedy)
                                : _("its functions fail without a GPU and leave their results as "
                                    "they were; run it on a GPU"));
}

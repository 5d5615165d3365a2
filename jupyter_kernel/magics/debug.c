/* debug.c: %%debug: which thread JupyterLab's debugger follows in this cell. */
#include "jupyter_kernel/debug/debugger.h"
#include "jupyter_kernel/magics/draw.h"

struct asked {
    draw_spot block, thread;
    bool any;
    wb_seed seed;
};
#define WB_RECORD struct asked
#define PLACE .read = draw_read_spot, .wants = N_("3 or 3,1 or 3,1,0")
const wb_option debug_options[] = {
    WB_OPTION("--block", READ, block, "X,Y,Z", "the block (default: 0,0,0)", PLACE),
    WB_OPTION("--thread", READ, thread, "X,Y,Z", "the thread of the block (default: 0,0,0)", PLACE),
    WB_OPTION("--any", FLAG, any, NULL, "stop for the first thread that comes to a breakpoint"),
    WB_OPTION("--seed", SEED, seed, "S",
              "run the blocks and warps in another order (default: 0, one after the other)"),
    {0}};

/* Returns true if the debugger is on. */
static bool focus(const magic_call *c, const struct asked *asked) {
    return debugger_focus(cells_of(c->x->kernel),
                          json_pack("{s:o, s:o, s:b, s:I}", "block", draw_spot_json(&asked->block),
                                    "thread", draw_spot_json(&asked->thread), "any", asked->any,
                                    "seed", (json_int_t)asked->seed.value));
}

/* The next cell has the default focus again. */
bool magic_debug(magic_call *c) {
    struct asked asked = {0};
    if (!magics_read_alone(c, &asked))
        return false;
    if (!focus(c, &asked))
        execution_printf(c->x, _("Nothing stops, because the debugger is off. The bug in the "
                                 "notebook's toolbar switches it on.\n"));
    bool ok = magics_run_body(c, (wb_cell){0}, NULL);
    focus(c, &(struct asked){0});
    return ok;
}

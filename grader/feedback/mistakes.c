/* mistakes.c: groups similar findings of all students, ignoring numbers, and counts them. */
#include "grader/feedback/mistakes.h"

static bool note(gr_mistakes *m, const char *test, const json_t *finding, size_t student) {
    gr_mistake *one = NULL;
    for (size_t i = 0; !one && i < m->n; i++)
        if (strcmp(m->list[i].test, test) == 0 &&
            wb_finding_alike(m->list[i].finding, finding, false))
            one = &m->list[i];
    if (!one) {
        if (!WB_ADD(m->list, m->n, (gr_mistake){.test = test, .finding = finding}))
            return false;
        one = &m->list[m->n - 1];
    }
    return WB_ADD(one->students, one->n, student);
}

static int by_number(const void *a, const void *b) {
    const gr_mistake *x = a, *y = b;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return strcmp(wb_field_text(x->finding, "text"), wb_field_text(y->finding, "text"));
}

/* Counts each reason for missing speed, which says what to change, or else the first finding. */
static bool note_item(gr_mistakes *m, const gr_item *item, size_t student) {
    bool ok = true, any = false;
    const json_t *finding;
    size_t i;
    json_array_foreach(item->findings, i,
                       finding) if (ok && wb_finding_of(finding) == WB_FOUND_COUNT) {
        ok = note(m, item->name, finding, student);
        any = true;
    }
    finding = json_array_get(item->findings, 0);
    return ok && (any || !finding || note(m, item->name, finding, student));
}

bool gr_mistakes_find(const gr_view *view, gr_mistakes *m) {
    bool ok = true;
    *m = (gr_mistakes){.n = 0};
    for (size_t s = 0; ok && s < view->class->n_students; s++) {
        const gr_report *r = gr_view_report(view, s);
        if (!r)
            continue;
        const json_t *whole = json_array_get(r->findings, 0);
        if (whole) /* a submission that failed as a whole has one finding */
            ok = note(m, "", whole, s);
        for (size_t i = 0; ok && !whole && i < r->n_items; i++)
            ok = note_item(m, &r->items[i], s);
    }
    if (m->n)
        qsort(m->list, m->n, sizeof m->list[0], by_number);
    return ok;
}

void gr_mistakes_free(gr_mistakes *m) {
    for (size_t i = 0; i < m->n; i++)
        free(m->list[i].students);
    free(m->list);
    *m = (gr_mistakes){.n = 0};
}

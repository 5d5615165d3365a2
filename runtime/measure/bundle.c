/* bundle.c: a chart in all of its drawings, for a front end to choose from. */
#include "runtime/measure/chart.h"

#include <stdlib.h>

json_t *wb_chart_bundle(const wb_chart *chart, const char *text) {
    json_t *bundle = json_object();
    json_object_set_new(bundle, "application/vnd.vegalite.v5+json", wb_chart_vega(chart));
    char *svg = wb_chart_svg(chart), *plain = text ? NULL : wb_chart_text(chart, 0);
    if (svg)
        json_object_set_new(bundle, "image/svg+xml", json_string(svg));
    if (text || plain)
        json_object_set_new(bundle, "text/plain", json_string(text ? text : plain));
    free(svg);
    free(plain);
    return bundle;
}

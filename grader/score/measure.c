/* measure.c: computes a lab's measures for a run. */
#include "grader/score/measure.h"
#include "runtime/softgpu/engine.h"

#include <math.h>

double gr_counter(const json_t *counters, const char *key) {
    return json_number_value(json_object_get(counters, key));
}

/* Returns the useful bytes of the moved sectors. Lanes that read the same word ask for more bytes
 * than are moved, so the result is at most all moved bytes. */
static double useful(const json_t *counters, const char *bytes, const char *sectors) {
    return fmin(gr_counter(counters, bytes), 32 * gr_counter(counters, sectors));
}

double gr_counted_clocks(const json_t *counters) {
    return sg_model_clocks(gr_counter(counters, "warp_instructions"),
                           gr_counter(counters, "longest_block"));
}

/* Atomic operations at one address run one after the other. Those that meet within a warp count an
 * eighth: on an H200 their speed-up is 2 to 7. */
static double serial_of(const json_t *counters) {
    return fmax(gr_counter(counters, "busiest_address"),
                gr_counter(counters, "global_atomic_passes") / 8);
}

gr_counts gr_counts_of(const json_t *report) {
    gr_counts c = {.copied = gr_counter(report, "copied")};
    const json_t *launches = json_object_get(report, "launches");
    for (size_t i = 0; i < json_array_size(launches); i++) {
        const json_t *launch = json_array_get(launches, i);
        const json_t *all = json_object_get(launch, "counters");
        const json_t *lines = json_object_get(launch, "lines");
        c.launches++;
        c.load_sectors += gr_counter(all, "global_load_sectors");
        c.store_sectors += gr_counter(all, "global_store_sectors");
        c.atomic_sectors += gr_counter(all, "global_atomic_sectors");
        c.wavefronts += gr_counter(all, "shared_load_wavefronts") +
                        gr_counter(all, "shared_store_wavefronts") +
                        gr_counter(all, "shared_atomic_wavefronts");
        c.instructions += gr_counter(all, "lane_instructions");
        c.atomics += gr_counter(all, "global_atomic_operations");
        c.busiest = fmax(c.busiest, gr_counter(all, "busiest_address"));
        c.serial += serial_of(all);
        c.warp_instructions += gr_counter(all, "warp_instructions");
        c.clocks += gr_counted_clocks(all);
        if (json_array_size(lines) == 0) {
            c.load_useful += useful(all, "global_load_bytes", "global_load_sectors");
            c.store_useful += useful(all, "global_store_bytes", "global_store_sectors");
        }
        for (size_t k = 0; k < json_array_size(lines); k++) {
            const json_t *line = json_object_get(json_array_get(lines, k), "counters");
            c.load_useful += useful(line, "global_load_bytes", "global_load_sectors");
            c.store_useful += useful(line, "global_store_bytes", "global_store_sectors");
        }
    }
    return c;
}

double gr_measure_value(gr_measure measure, const gr_counts *c, double work, double minimum_bytes) {
    switch (measure) {
    case GR_LOAD_EFFICIENCY:
        return c->load_sectors > 0 ? c->load_useful / (32 * c->load_sectors) : 1;
    case GR_STORE_EFFICIENCY:
        return c->store_sectors > 0 ? c->store_useful / (32 * c->store_sectors) : 1;
    case GR_TRAFFIC:
        /* an atomic operation reads and writes its sector */
        return (32 * (c->load_sectors + c->store_sectors + 2 * c->atomic_sectors) + c->copied) /
               fmax(minimum_bytes, 1);
    case GR_WAVEFRONTS:
        return 32 * c->wavefronts / fmax(work, 1);
    case GR_INSTRUCTIONS:
        return c->instructions / fmax(work, 1);
    case GR_CONTENTION:
        return c->serial / fmax(work, 1);
    case GR_PARALLELISM:
        return c->clocks > 0 ? c->warp_instructions / c->clocks : 0;
    case GR_SPEED:
    case GR_MEASURES:
        break;
    }
    return NAN;
}

double gr_fraction(const gr_criterion *criterion, double value) {
    bool more = criterion->full > criterion->none;
    if (!(value > 0))
        return more || isnan(value) ? 0 : 1;
    if (more ? value >= criterion->full : value <= criterion->full)
        return 1;
    if (more ? value <= criterion->none : value >= criterion->none)
        return 0;
    return log(value / criterion->none) / log(criterion->full / criterion->none);
}

bool gr_find_worst_line(const json_t *report, bool stores, gr_worst_line *worst) {
    const char *requests_key = stores ? "global_store_requests" : "global_load_requests";
    const char *sectors_key = stores ? "global_store_sectors" : "global_load_sectors";
    const char *bytes_key = stores ? "global_store_bytes" : "global_load_bytes";
    double most = 0;
    const json_t *launches = json_object_get(report, "launches");
    for (size_t i = 0; i < json_array_size(launches); i++) {
        const json_t *lines = json_object_get(json_array_get(launches, i), "lines");
        for (size_t k = 0; k < json_array_size(lines); k++) {
            const json_t *line = json_array_get(lines, k);
            const json_t *counters = json_object_get(line, "counters");
            double requests = gr_counter(counters, requests_key);
            double sectors = gr_counter(counters, sectors_key);
            double needless = 32 * sectors - useful(counters, bytes_key, sectors_key);
            if (requests <= 0 || needless <= most)
                continue;
            most = needless;
            *worst =
                (gr_worst_line){.file = json_string_value(json_object_get(line, "file")),
                                .line = (int)json_integer_value(json_object_get(line, "line")),
                                .sectors = sectors / requests,
                                .bytes = useful(counters, bytes_key, sectors_key) / sectors,
                                .ideal = fmax(1, gr_counter(counters, bytes_key) / 32 / requests)};
        }
    }
    return most > 0;
}

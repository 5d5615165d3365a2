/* fit.c: the model's times under other fitted constants, for tests/gpu/fit.py.
 *
 *     model_fit GPU.json TRAITS
 *
 * TRAITS holds a line for each launch, as $WARPBOOK_SOFTGPU_TRAITS has softgpu write them. First
 * comes a line of the constants as they stand: the members of model_fit in their order, and the
 * seconds of an empty launch. Then each line of standard input is such constants, and answered by a
 * line of all launches' seconds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/model/time.h"

enum {
    TRAITS = sizeof(model_traits) / sizeof(double),
    CONSTANTS = sizeof(model_fit) / sizeof(double)
};

typedef struct launch {
    model_traits traits;
    model_occupancy occupancy;
} launch;

static bool read_figures(FILE *from, double *figures, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (fscanf(from, "%lf", &figures[k]) != 1)
            return false;
    return true;
}

/* malloc'd, *n of them. */
static launch *read_launches(FILE *from, size_t *n) {
    launch *all = NULL;
    double seconds, figures[TRAITS];
    for (*n = 0; fscanf(from, "%lf", &seconds) == 1; ++*n) {
        launch *more = realloc(all, (*n + 1) * sizeof *all);
        if (!more)
            break;
        all = more;
        all[*n] = (launch){.occupancy = {.blocks = 0}};
        if (fscanf(from, "%" SCNu64, &all[*n].occupancy.blocks) != 1 ||
            !read_figures(from, figures, TRAITS))
            break;
        memcpy(&all[*n].traits, figures, sizeof figures);
    }
    if (feof(from))
        return all;
    free(all);
    return NULL;
}

static int answer(model_gpu *gpu, const launch *launches, size_t n) {
    double figures[CONSTANTS + 1];
    model_fit fit = model_fitted;
    memcpy(figures, &fit, sizeof fit);
    for (size_t k = 0; k < CONSTANTS; k++)
        printf("%.9g ", figures[k]);
    printf("%.9g\n", gpu->launch_s);
    fflush(stdout);
    while (read_figures(stdin, figures, CONSTANTS + 1)) {
        memcpy(&fit, figures, sizeof fit);
        gpu->launch_s = figures[CONSTANTS];
        for (size_t k = 0; k < n; k++)
            printf("%.9g ",
                   model_time_with(&fit, gpu, &launches[k].traits, &launches[k].occupancy).seconds);
        putchar('\n');
        fflush(stdout);
    }
    return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    wb_error err = {0};
    model_gpu gpu;
    size_t n = 0;
    if (argc != 3) {
        fprintf(stderr, "usage: model_fit GPU.json TRAITS\n");
        return EXIT_FAILURE;
    }
    if (!model_gpu_load(argv[1], &gpu, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_FAILURE;
    }
    FILE *from = fopen(argv[2], "r");
    launch *launches = from ? read_launches(from, &n) : NULL;
    if (from)
        fclose(from);
    if (!launches) {
        fprintf(stderr, "%s: not lines of %d figures\n", argv[2], TRAITS + 2);
        return EXIT_FAILURE;
    }
    int status = answer(&gpu, launches, n);
    free(launches);
    return status;
}

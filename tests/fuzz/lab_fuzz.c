/* libFuzzer: any bytes as lab.json; a lab that is accepted gives jobs. */
#include "grader/lab/lab.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_error err = {0};
    gr_lab *lab = gr_lab_parse("lab.json", (const char *)data, size, &err);
    if (lab) {
        char *signature = gr_lab_signature(lab);
        free(signature);
        if (gr_lab_max_score(lab, false) <= 0)
            abort();
    } else if (!err.text[0]) {
        abort();
    }
    gr_lab_free(lab);
    return 0;
}

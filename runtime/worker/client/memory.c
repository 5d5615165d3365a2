/* memory.c: see memory.h. */
#include "runtime/worker/client/memory.h"

#include <ctype.h>
#include <unistd.h>

bool wb_memory_limit(size_t *limit, wb_error *err) {
    const char *setting = wb_setting("WARPBOOK_WORKER_MEMORY");
    *limit = wb_memory_machine() / 4 * 3;
    if (!setting)
        return true;
    *limit = 0;
    if (strcmp(setting, "none") == 0)
        return true;
    char *end;
    unsigned long long number = strtoull(setting, &end, 10);
    static const char units[] = "KMG";
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (!isdigit((unsigned char)*setting) || number == 0 || number >> (63 - shift) ||
        end[unit != NULL] != '\0')
        return wb_fail(err, 1,
                       _("WARPBOOK_WORKER_MEMORY is \"%s\"; it should be a number with K, M or G "
                         "behind it, as in 4G, or none"),
                       setting);
    *limit = (size_t)number << shift;
    return true;
}

const char *wb_memory_text(size_t bytes, char text[16]) {
    if (bytes >= 1000000000)
        snprintf(text, 16, "%.1f GB", (double)bytes / 1e9);
    else
        snprintf(text, 16, "%.0f MB", (double)bytes / 1e6);
    return text;
}

size_t wb_memory_resident(int pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/statm", pid);
    FILE *file = fopen(path, "r");
    unsigned long total = 0, resident = 0;
    if (file && fscanf(file, "%lu %lu", &total, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

/* map.c: see map.h. */
#include "grader/job/map.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char nothing[1];

/* Closes the file. Returns errno, or 0. */
static int map_file(int file, size_t bytes, int access, gr_map *map) {
    void *data = nothing;
    if (bytes)
        data = mmap(NULL, bytes, access, MAP_SHARED, file, 0);
    int failed = data == MAP_FAILED ? errno : 0;
    if (!failed)
        *map = (gr_map){data, bytes};
    close(file);
    return failed;
}

bool gr_map_open(const char *path, gr_map *map, wb_error *err) {
    struct stat st;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    int failed = file < 0 || fstat(file, &st) != 0 ? errno : 0;
    if (!failed)
        failed = map_file(file, (size_t)st.st_size, PROT_READ, map);
    return !failed || wb_fail(err, failed, _("can't open %s: %s"), path, strerror(failed));
}

bool gr_map_create(const char *path, size_t bytes, gr_map *map, wb_error *err) {
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    int failed = file < 0 || ftruncate(file, (off_t)bytes) != 0 ? errno : 0;
    if (!failed && bytes)
        failed = posix_fallocate(file, 0, (off_t)bytes);
    if (!failed)
        failed = map_file(file, bytes, PROT_READ | PROT_WRITE, map);
    else if (file >= 0)
        close(file);
    return !failed || wb_fail(err, failed, _("can't write %s: %s"), path, strerror(failed));
}

void gr_map_close(gr_map *map) {
    if (map->len)
        munmap(map->data, map->len);
    *map = (gr_map){NULL, 0};
}

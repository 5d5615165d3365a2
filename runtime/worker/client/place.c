/* place.c: see place.h. */
#include "runtime/worker/client/place.h"

#include <errno.h>
#include <unistd.h>

#include "runtime/base/scoped.h"
#include "runtime/json/json.h"
#include "runtime/worker/session.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *folder;        /* NULL: unchanged */
static json_t *environment; /* NULL: unchanged */

bool wb_session_enter(const char *path, wb_error *err) {
    if (chdir(path) != 0)
        return wb_fail(err, errno, "%s: %s", path, strerror(errno));
    char *now = getcwd(NULL, 0);
    WB_LOCKED(&lock);
    free(folder);
    folder = now;
    return now || wb_fail(err, errno, "%s: %s", path, strerror(errno));
}

bool wb_session_set_variable(const char *name, const char *value, wb_error *err) {
    if (!*name || strchr(name, '=') || setenv(name, value, 1) != 0)
        return wb_fail(err, EINVAL, _("'%s' is no name of an environment variable"), name);
    WB_LOCKED(&lock);
    if (!environment)
        environment = json_object();
    json_object_set_new(environment, name, wb_json_text(value, strlen(value)));
    return true;
}

void wb_place_add(json_t *request) {
    WB_LOCKED(&lock);
    if (folder)
        json_object_set_new(request, "folder", wb_json_text(folder, strlen(folder)));
    if (environment)
        json_object_set_new(request, "environment", json_deep_copy(environment));
}

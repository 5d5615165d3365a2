/* history.c: inputs and outputs in SQLite.
 * https://jupyter-client.readthedocs.io/en/stable/messaging.html#history */
#include "jupyter_kernel/server/history.h"

#include <sqlite3.h>

struct history {
    sqlite3 *db;
    sqlite3_stmt *add, *add_output;
    sqlite3_int64 session;
};

/* No fsync for each cell: a power failure may lose the last cells but not the file. */
static const char schema[] =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
    "CREATE TABLE IF NOT EXISTS sessions(session INTEGER PRIMARY KEY AUTOINCREMENT,"
    " start TEXT DEFAULT CURRENT_TIMESTAMP);"
    "CREATE TABLE IF NOT EXISTS cells(session INTEGER, line INTEGER, input TEXT, output TEXT,"
    " PRIMARY KEY(session, line));"
    "INSERT INTO sessions DEFAULT VALUES;";

static char *history_path(void) {
    const char *given = wb_setting("WARPBOOK_HISTORY");
    if (given)
        return strdup(given);
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    char *folder = data && *data   ? wb_format("%s/warpbook", data)
                   : home && *home ? wb_format("%s/.local/share/warpbook", home)
                                   : NULL;
    char *path = folder && wb_dir_make(folder, NULL) ? wb_format("%s/history.sqlite", folder)
                                                     : strdup(":memory:");
    free(folder);
    return path;
}

static bool open_at(history *h, const char *path) {
    bool ok = sqlite3_open(path, &h->db) == SQLITE_OK;
    if (ok)
        sqlite3_busy_timeout(h->db, 200);
    ok = ok && sqlite3_exec(h->db, schema, NULL, NULL, NULL) == SQLITE_OK &&
         sqlite3_prepare_v2(h->db, "INSERT OR REPLACE INTO cells VALUES(?,?,?,NULL)", -1, &h->add,
                            NULL) == SQLITE_OK &&
         sqlite3_prepare_v2(h->db, "UPDATE cells SET output=? WHERE session=? AND line=?", -1,
                            &h->add_output, NULL) == SQLITE_OK;
    if (ok) {
        h->session = sqlite3_last_insert_rowid(h->db);
        return true;
    }
    sqlite3_finalize(h->add);
    sqlite3_finalize(h->add_output);
    sqlite3_close(h->db);
    *h = (history){0};
    return false;
}

history *history_open(void) {
    history *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    char *path = history_path();
    if ((path && open_at(h, path)) || open_at(h, ":memory:")) {
        free(path);
        return h;
    }
    WB_FREE(path, h);
    return NULL;
}

void history_close(history *h) {
    if (!h)
        return;
    sqlite3_finalize(h->add);
    sqlite3_finalize(h->add_output);
    sqlite3_close(h->db);
    free(h);
}

void history_add(history *h, int number, const char *code, size_t len) {
    sqlite3_bind_int64(h->add, 1, h->session);
    sqlite3_bind_int(h->add, 2, number);
    sqlite3_bind_text64(h->add, 3, code, len, SQLITE_TRANSIENT, SQLITE_UTF8);
    sqlite3_step(h->add);
    sqlite3_reset(h->add);
}

void history_add_output(history *h, int number, const char *text) {
    sqlite3_bind_text(h->add_output, 1, text, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(h->add_output, 2, h->session);
    sqlite3_bind_int(h->add_output, 3, number);
    sqlite3_step(h->add_output);
    sqlite3_reset(h->add_output);
}

/* ---- queries ------------------------------------------------------------------------------ */

/* Returns the rows of a prepared statement with the columns session, line, input, output. */
static json_t *rows(sqlite3_stmt *s, bool with_output, bool newest_first) {
    json_t *list = json_array();
    while (sqlite3_step(s) == SQLITE_ROW) {
        const char *input = (const char *)sqlite3_column_text(s, 2);
        const char *output = (const char *)sqlite3_column_text(s, 3);
        json_t *text = json_stringn(input ? input : "", (size_t)sqlite3_column_bytes(s, 2));
        if (with_output)
            text = json_pack("[o, s?]", text, output);
        json_t *row = json_pack("[I, i, o]", (json_int_t)sqlite3_column_int64(s, 0),
                                sqlite3_column_int(s, 1), text);
        if (newest_first)
            json_array_insert_new(list, 0, row);
        else
            json_array_append_new(list, row);
    }
    return list;
}

static sqlite3_int64 number(const json_t *request, const char *name, sqlite3_int64 standard) {
    const json_t *value = json_object_get(request, name);
    return json_is_number(value) ? (sqlite3_int64)json_number_value(value) : standard;
}

/* Session 0 is this one, negative ones count back from it. `stop` is exclusive; default: the
 * end. */
static json_t *query_range(history *h, const json_t *request, bool output) {
    sqlite3_int64 session = number(request, "session", 0);
    if (session <= 0)
        session += h->session;
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(h->db,
                           "SELECT session, line, input, output FROM cells"
                           " WHERE session=? AND line>=? AND line<? ORDER BY line",
                           -1, &s, NULL) != SQLITE_OK)
        return json_array();
    sqlite3_bind_int64(s, 1, session);
    sqlite3_bind_int64(s, 2, number(request, "start", 0));
    sqlite3_bind_int64(s, 3, number(request, "stop", INT64_MAX));
    json_t *list = rows(s, output, false);
    sqlite3_finalize(s);
    return list;
}

/* Returns the last n inputs that match the glob pattern ("*" for tail), oldest first. */
static json_t *query_last(history *h, const char *pattern, bool unique, sqlite3_int64 n,
                          bool output) {
    sqlite3_stmt *s;
    const char *sql = unique ? "SELECT max(session), line, input, output FROM cells"
                               " WHERE input GLOB ? GROUP BY input"
                               " ORDER BY max(session) DESC, line DESC LIMIT ?"
                             : "SELECT session, line, input, output FROM cells WHERE input GLOB ?"
                               " ORDER BY session DESC, line DESC LIMIT ?";
    if (sqlite3_prepare_v2(h->db, sql, -1, &s, NULL) != SQLITE_OK)
        return json_array();
    sqlite3_bind_text(s, 1, pattern, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(s, 2, n);
    json_t *list = rows(s, output, true);
    sqlite3_finalize(s);
    return list;
}

json_t *history_query(history *h, const json_t *request, wb_error *err) {
    const char *type = json_string_value(json_object_get(request, "hist_access_type"));
    bool output = json_is_true(json_object_get(request, "output"));
    bool unique = json_is_true(json_object_get(request, "unique"));
    if (!type)
        type = "";
    if (strcmp(type, "range") == 0)
        return query_range(h, request, output);
    if (strcmp(type, "tail") == 0)
        return query_last(h, "*", false, number(request, "n", 10), output);
    if (strcmp(type, "search") == 0) {
        const char *pattern = json_string_value(json_object_get(request, "pattern"));
        return query_last(h, pattern ? pattern : "*", unique, number(request, "n", -1), output);
    }
    wb_fail(err, 1, _("hist_access_type \"%s\" should be range, tail or search"), type);
    return NULL;
}

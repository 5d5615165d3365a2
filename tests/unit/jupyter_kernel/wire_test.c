/* wire_test.c: messages are split, checked, signed and joined; and every allocation may fail.
 * Linked with --wrap for malloc, calloc and realloc, so that the failures reach the code under test
 * alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "jupyter_kernel/protocol/wire.h"

/* ---- allocations that fail on demand ------------------------------------------------------- */

static long allocations, fail_at = -1;

static bool fails(void) {
    return allocations++ == fail_at;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size) {
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size) {
    return fails() ? NULL : __real_realloc(old, size);
}

/* ---- helpers ------------------------------------------------------------------------------ */

static wire_span span(const char *text) {
    return (wire_span){text, strlen(text)};
}

static const char header[] = "{\"msg_id\":\"1\",\"msg_type\":\"execute_request\"}";

/* A signed message with two identities. */
static size_t good_frames(wire_key *key, wire_out *out) {
    wire_span identities[] = {span("one"), span("two")};
    wire_span json[4] = {span(header), span("{}"), span("{}"), span("{\"code\":\"x\"}")};
    assert_true(wire_join(key, identities, 2, json, out));
    return out->n;
}

static wire_key *open_key(void) {
    wire_key *key = wire_key_new("hmac-sha256", "key", NULL);
    assert_non_null(key);
    return key;
}

/* says: what the error begins with; NULL if there is none. */
static void expect(wire_key *key, const wire_span *frames, size_t n, const char *says) {
    wire_message m;
    wb_error err = {0};
    assert_int_equal(wire_parse(key, frames, n, &m, &err), !says);
    if (says)
        assert_memory_equal(err.text, says, strlen(says));
    wire_message_free(&m);
}

/* Behind a sound header: told, so that it can be answered, and empty. says: "" for nothing. */
static void expect_wrong(wire_key *key, const wire_span *frames, const char *says) {
    wire_message m;
    assert_true(wire_parse(key, frames, 6, &m, NULL));
    assert_true(*says ? strncmp(m.wrong.text, says, strlen(says)) == 0 : !m.wrong.text[0]);
    assert_true(json_is_object(m.parent) && json_is_object(m.metadata) &&
                json_is_object(m.content));
    wire_message_free(&m);
}

/* ---- tests -------------------------------------------------------------------------------- */

/* RFC 4231, test case 2: key "Jefe", data "what do ya want for nothing?". */
static void test_signature_is_hmac_sha256(void **state) {
    (void)state;
    wire_key *key = wire_key_new("hmac-sha256", "Jefe", NULL);
    wire_span json[4] = {span("what do"), span(" ya want"), span(" for "), span("nothing?")};
    char signature[WIRE_SIGNATURE_SIZE];
    assert_true(wire_sign(key, json, signature));
    assert_string_equal(signature,
                        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    wire_key_free(key);
}

static void test_round_trip(void **state) {
    (void)state;
    wire_key *key = open_key();
    wire_out out;
    wire_message m;
    size_t n = good_frames(key, &out);
    assert_true(wire_parse(key, out.frames, n, &m, NULL));
    assert_int_equal(m.n_identities, 2);
    assert_memory_equal(m.identities[1].data, "two", 3);
    assert_string_equal(m.type, "execute_request");
    assert_string_equal(m.id, "1");
    assert_int_equal(m.header_text.len, sizeof header - 1);
    assert_string_equal(json_string_value(json_object_get(m.content, "code")), "x");
    wire_message_free(&m);
    wire_key_free(key);
}

static void test_refusals(void **state) {
    (void)state;
    wire_key *key = open_key();
    wire_out out;
    size_t n = good_frames(key, &out);
    for (size_t cut = 0; cut < n; cut++)
        expect(key, out.frames, cut, cut < 3 ? "no <IDS|MSG> delimiter" : "the message is cut off");
    wire_span signature = out.frames[3];
    out.frames[3] = span("");
    expect(key, out.frames, n, "the message is not signed");
    out.frames[3] = (wire_span){signature.data, signature.len - 1};
    expect(key, out.frames, n, "the signature is wrong");
    out.frames[3] = signature;
    out.signature[0] ^= 1;
    expect(key, out.frames, n, "the signature is wrong");
    out.signature[0] ^= 1;
    for (int i = 4; i < 8; i++) {
        wire_span text = out.frames[i];
        out.frames[i] = span("{\"a\":1}");
        expect(key, out.frames, n, "the signature is wrong");
        out.frames[i] = text;
    }
    expect(key, out.frames, n, NULL);
    wire_key_free(key);
}

static void test_json_limits(void **state) {
    (void)state;
    wire_key *key = wire_key_new("hmac-sha256", "", NULL);
    char deep[2 * WIRE_MAX_DEPTH + 20] = "{\"a\":";
    size_t n = strlen(deep);
    for (int i = 0; i < WIRE_MAX_DEPTH; i++)
        deep[n++] = '[';
    memset(deep + n, ']', WIRE_MAX_DEPTH);
    n += WIRE_MAX_DEPTH;
    deep[n++] = '}';
    wire_span frames[6] = {span("<IDS|MSG>"), span(""),   span(header),
                           span("{}"),        span("{}"), {deep, n}};
    expect_wrong(key, frames, "content: a JSON text of");
    frames[5] = span("[]");
    expect_wrong(key, frames, "content: not a JSON object");
    frames[5] = span("{\"a\":\"[[[[\\\"[[[\"}"); /* brackets in strings don't nest */
    expect_wrong(key, frames, "");
    frames[3] = span("x"); /* the first that can't be read is told */
    frames[4] = span("");
    expect_wrong(key, frames, "parent_header: not a JSON object");
    frames[3] = span("{}");
    expect_wrong(key, frames, "metadata: not a JSON object");
    frames[4] = span("{}");
    frames[2] = (wire_span){deep, n};
    expect(key, frames, 6, "header: a JSON text of");
    frames[2] = span("[]");
    expect(key, frames, 6, "header: not a JSON object");
    frames[5] = span("{}");
    frames[2] = span("{\"msg_id\":7,\"msg_type\":\"x\"}");
    expect(key, frames, 6, "the header lacks a msg_type");
    wire_key_free(key);
}

/* Numbers of Python's json that jansson has no room for; the rest stays as it is. */
static void test_numbers_beyond_json(void **state) {
    (void)state;
    static const char *const texts[][2] = {
        {"{\"a\":9223372036854775807}", "{\"a\":9223372036854775807}"},
        {"{\"a\":9223372036854775808,\"b\":7}", "{\"a\":9223372036854775808.0,\"b\":7}"},
        {"{\"a\":[-99999999999999999999,1,-2]}", "{\"a\":[-99999999999999999999.0,1,-2]}"},
        {"{\"a\":1e999,\"b\":\"1e999\"}", "{\"a\":null,\"b\":\"1e999\"}"},
        {"{\"a\":NaN,\"NaN\":[Infinity,-Infinity]}", "{\"a\":null,\"NaN\":[null,null]}"},
        {"{\"\\\"NaN\":NaN,\"b\\\\\":-1E+309}", "{\"\\\"NaN\":null,\"b\\\\\":null}"},
        {"{\"a\":1e-999,\"b\":NaN}", "{\"a\":0.0,\"b\":null}"},
    };
    static const char *const wrong[] = {"{\"a\":nan}",   "{\"a\":NaNs}", "{\"a\":+Infinity}",
                                        "{\"a\":--1}",   "{\"a\":NaN",   "{\"a\":\"NaN}",
                                        "{\"a\":NaN}\\", "{NaN:1}",      "NaN"};
    for (size_t i = 0; i < WB_COUNT(texts); i++) {
        json_t *read = wire_json(span(texts[i][0]), NULL);
        json_t *wanted = json_loads(texts[i][1], 0, NULL);
        assert_non_null(wanted);
        assert_true(json_equal(read, wanted));
        json_decref(read);
        json_decref(wanted);
    }
    for (size_t i = 0; i < WB_COUNT(wrong); i++)
        assert_null(wire_json(span(wrong[i]), NULL));
}

static void test_too_many_identities(void **state) {
    (void)state;
    wire_key *key = open_key();
    wire_span identities[WIRE_MAX_IDENTITIES + 1], json[4];
    for (int i = 0; i <= WIRE_MAX_IDENTITIES; i++)
        identities[i] = span("i");
    for (int i = 0; i < 4; i++)
        json[i] = span("{}");
    wire_out out;
    assert_false(wire_join(key, identities, WIRE_MAX_IDENTITIES + 1, json, &out));
    expect(key, identities, WIRE_MAX_IDENTITIES + 1, "no <IDS|MSG> delimiter");
    wire_key_free(key);
}

static void test_schemes(void **state) {
    (void)state;
    wb_error err = {0};
    assert_null(wire_key_new("hmac-md5000", "k", &err));
    assert_non_null(strstr(err.text, "hmac-md5000"));
    wire_key *key = wire_key_new("hmac-sha512", "k", &err);
    wire_out out;
    size_t n = good_frames(key, &out);
    assert_int_equal(strlen(out.signature), 128);
    expect(key, out.frames, n, NULL);
    wire_key_free(key);
}

static void test_guard(void **state) {
    (void)state;
    enum { CAPACITY = 100 };
    wire_guard *guard = wire_guard_new(CAPACITY);
    char signature[65];
    for (unsigned i = 0; i < 10 * CAPACITY; i++) {
        snprintf(signature, sizeof signature, "%016x%048x", i * 2654435761u, i);
        assert_true(wire_guard_admit(guard, signature));
        assert_false(wire_guard_admit(guard, signature));
        if (i >= CAPACITY) { /* at least the last CAPACITY are remembered */
            snprintf(signature, sizeof signature, "%016x%048x", (i - CAPACITY + 1) * 2654435761u,
                     0);
            assert_false(wire_guard_admit(guard, signature));
        }
    }
    wire_guard_free(guard);
}

static bool work(wire_key *key) {
    wire_out out;
    wire_message m = {0};
    wire_guard *guard = wire_guard_new(8);
    wire_key *other = wire_key_new("hmac-sha256", "key", NULL);
    wire_span identities[] = {span("one")};
    wire_span json[4] = {span(header), span("{}"), span("{}"), span("{\"code\":[1,\"x\"]}")};
    bool ok = guard && other && wire_join(key, identities, 1, json, &out);
    ok = ok && wire_parse(key, out.frames, out.n, &m, NULL) && !m.wrong.text[0];
    if (ok) {
        const json_t *code = json_object_get(m.content, "code");
        assert_int_equal(json_integer_value(json_array_get(code, 0)), 1);
        assert_string_equal(json_string_value(json_array_get(code, 1)), "x");
    }
    wire_message_free(&m);
    wire_guard_free(guard);
    wire_key_free(other);
    return ok;
}

/* Each allocation fails once: nothing crashes, nothing leaks (under ASan), and what could not be
 * had is told. */
static void test_every_allocation_may_fail(void **state) {
    (void)state;
    json_set_alloc_funcs(__wrap_malloc, free);
    wire_key *key = open_key();
    allocations = 0;
    fail_at = -1;
    assert_true(work(key));
    long total = allocations;
    assert_true(total > 10);
    long noticed = 0;
    for (long i = 0; i < total; i++) {
        allocations = 0;
        fail_at = i;
        noticed += !work(key);
        fail_at = -1;
    }
    /* Jansson does without one or two, and calls others a wrong token, whose text is then read once
     * more (work() has looked at what it read). */
    assert_true(noticed > total / 2);
    wire_key_free(key);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signature_is_hmac_sha256),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_json_limits),
        cmocka_unit_test(test_numbers_beyond_json),
        cmocka_unit_test(test_too_many_identities),
        cmocka_unit_test(test_schemes),
        cmocka_unit_test(test_guard),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

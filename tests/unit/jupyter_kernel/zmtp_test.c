/* zmtp_test.c: ZMTP's bytes, at every length they may be cut off at. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "jupyter_kernel/protocol/zmtp.h"

/* A copy with nothing behind it, so that the sanitizers see one byte too many. */
static zmtp_status read_cut(const wb_buf *b, size_t len, zmtp_frame *f) {
    char *copy = malloc(len + 1);
    memcpy(copy, b->data, len);
    copy = realloc(copy, len ? len : 1);
    zmtp_status status = f ? zmtp_read_frame((wire_span){copy, len}, 1 << 20, f)
                           : zmtp_read_greeting((wire_span){copy, len});
    free(copy);
    return status;
}

static void greeting(void **state) {
    (void)state;
    wb_buf b = {0};
    zmtp_put_greeting(&b);
    assert_int_equal(b.len, ZMTP_GREETING_SIZE);
    for (size_t i = 0; i < b.len; i++)
        assert_int_equal(read_cut(&b, i, NULL), ZMTP_PARTIAL);
    assert_int_equal(read_cut(&b, b.len, NULL), ZMTP_OK);
    static const struct {
        size_t at;
        char byte;
    } wrong[] = {{0, 0}, {9, 1}, {10, 2}, {12, 'P'}, {16, 'X'}, {31, 1}};
    for (size_t i = 0; i < WB_COUNT(wrong); i++) {
        char before = b.data[wrong[i].at];
        b.data[wrong[i].at] = wrong[i].byte;
        assert_int_equal(read_cut(&b, b.len, NULL), ZMTP_REFUSED);
        b.data[wrong[i].at] = before;
    }
    b.data[11] = 9; /* a later minor version speaks this one too */
    assert_int_equal(read_cut(&b, b.len, NULL), ZMTP_OK);
    wb_buf_free(&b);
}

static void frames(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 255, 256, 70000};
    for (size_t i = 0; i < WB_COUNT(sizes); i++) {
        char *body = malloc(sizes[i] + 1);
        memset(body, 'b', sizes[i] + 1);
        wb_buf b = {0};
        zmtp_put_frame(&b, ZMTP_MORE, (wire_span){body, sizes[i]});
        zmtp_frame f;
        for (size_t cut = 0; cut < b.len; cut += cut < 12 ? 1 : 997)
            assert_int_equal(read_cut(&b, cut, &f), ZMTP_PARTIAL);
        assert_int_equal(read_cut(&b, b.len, &f), ZMTP_OK);
        assert_int_equal(f.size, b.len);
        assert_int_equal(f.body.len, sizes[i]);
        assert_int_equal(f.flags & ~(unsigned)ZMTP_LONG, ZMTP_MORE);
        assert_int_equal(f.flags & ZMTP_LONG, sizes[i] > 255 ? ZMTP_LONG : 0);
        if (sizes[i] > 1)
            assert_int_equal(zmtp_read_frame((wire_span){b.data, b.len}, sizes[i] - 1, &f),
                             ZMTP_REFUSED);
        wb_buf_free(&b);
        free(body);
    }
    zmtp_frame f;
    assert_int_equal(zmtp_read_frame((wire_span){"\x08\0", 2}, 9, &f), ZMTP_REFUSED);
    assert_int_equal(
        zmtp_read_frame((wire_span){"\x02\xff\xff\xff\xff\xff\xff\xff\xff", 9}, SIZE_MAX / 2, &f),
        ZMTP_REFUSED);
}

static void commands(void **state) {
    (void)state;
    wb_buf b = {0};
    zmtp_put_ready(&b, "ROUTER");
    zmtp_frame f;
    static const char *const partners[] = {"ROUTER", "DEALER", NULL};
    wire_span data, identity;
    assert_int_equal(zmtp_read_frame((wire_span){b.data, b.len}, 100, &f), ZMTP_OK);
    assert_int_equal(f.flags, ZMTP_COMMAND);
    assert_true(zmtp_is_command(f.body, "READY", &data));
    assert_false(zmtp_is_command(f.body, "READ", &data));
    assert_false(zmtp_is_command((wire_span){"\5REA", 4}, "READY", &data));
    assert_true(zmtp_is_command(f.body, "READY", &data));
    assert_int_equal(zmtp_read_ready(data, partners, &identity), ZMTP_OK);
    assert_int_equal(identity.len, 0);
    for (size_t i = 0; i < data.len; i++)
        assert_int_equal(zmtp_read_ready((wire_span){data.data, i}, partners, &identity),
                         ZMTP_REFUSED);
    static const char named[] = "\10IDENTITY\0\0\0\3abc\13socket-type\0\0\0\6dealer";
    assert_int_equal(zmtp_read_ready((wire_span){named, sizeof named - 1}, partners, &identity),
                     ZMTP_OK);
    assert_int_equal(identity.len, 3);
    assert_memory_equal(identity.data, "abc", 3);
    wb_buf_clear(&b);
    zmtp_put_pong(&b, (wire_span){"\0\x10remember", 10});
    assert_int_equal(zmtp_read_frame((wire_span){b.data, b.len}, 100, &f), ZMTP_OK);
    assert_true(zmtp_is_command(f.body, "PONG", &data));
    assert_int_equal(data.len, 8);
    assert_memory_equal(data.data, "remember", 8);
    wb_buf_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greeting),
        cmocka_unit_test(frames),
        cmocka_unit_test(commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

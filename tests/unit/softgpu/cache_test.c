/* The sectored cache: what is missed, what is written back, which line gives way. */
#include "runtime/softgpu/watch/trace/cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ALL 0xffffffffu
enum { LINES = 1024 };

static sg_cache *of_lines(uint32_t group) {
    sg_cache *c = sg_cache_new(LINES * SG_LINE_BYTES, group);
    assert_non_null(c);
    return c;
}

static void a_sector_is_missed_once(void **state) {
    (void)state;
    static const uint32_t groups[] = {1, 2, 4}, fetched[] = {1, 2, 4};
    for (int g = 0; g < 3; g++) {
        sg_cache *c = of_lines(groups[g]);
        assert_int_equal(sg_cache_read(c, 7, 1).missed, fetched[g]);
        assert_int_equal(sg_cache_read(c, 7, 1).missed, 0);
        assert_int_equal(sg_cache_read(c, 7, 15).missed, 4 - fetched[g]);
        assert_int_equal(sg_cache_read(c, 7, 15).missed, 0);
        sg_cache_empty(c);
        assert_int_equal(sg_cache_read(c, 7, 15).missed, 4);
        sg_cache_free(c);
    }
}

/* Lines at any power of two: all of what fits in half of the cache stays, and of four times of it
 * next to nothing, when it is read again and again in one order. */
static void what_fits_stays(void **state) {
    (void)state;
    for (uint64_t stride = 1; stride <= 1u << 20; stride *= 4) {
        sg_cache *c = of_lines(1);
        uint32_t again = 0, over = 0;
        for (int turn = 0; turn < 2; turn++)
            for (uint64_t k = 0; k < LINES / 2; k++)
                again += sg_cache_read(c, k * stride, 15).missed * (uint32_t)turn;
        assert_in_range(again, 0, LINES / 2 * 4 / 8);
        for (int turn = 0; turn < 2; turn++)
            for (uint64_t k = 0; k < 4 * LINES; k++)
                over += sg_cache_read(c, k * stride, 15).missed * (uint32_t)turn;
        assert_in_range(over, 4 * LINES * 4 * 9 / 10, 4 * LINES * 4);
        sg_cache_free(c);
    }
}

/* Reads `n` lines that nobody else reads. */
static sg_cached flood(sg_cache *c, uint32_t n) {
    sg_cached sum = {0};
    for (uint32_t k = 0; k < n; k++) {
        sg_cached one = sg_cache_read(c, 1u << 30 | k, 1);
        sum.filled += one.filled;
        sum.written += one.written;
    }
    return sum;
}

static void what_was_written_goes_down_once(void **state) {
    (void)state;
    static const struct {
        uint32_t group, bytes[4], read;
        uint32_t written, filled;
    } cases[] = {
        {1, {ALL, ALL, ALL, ALL}, 0, 4, 0},
        {2, {ALL, ALL, ALL, ALL}, 0, 4, 0},
        {1, {0xf, 0, 0, 0}, 0, 1, 1}, /* a part: the rest is read before */
        {2, {0xf, 0, 0, 0}, 0, 2, 2}, /* of both sectors of the group */
        {1, {0xf, 0, 0, 0}, 1, 1, 0}, /* it had been read */
        {2, {0xf, 0, 0, 0}, 1, 2, 0},
        {2, {ALL, 0, 0, 0}, 0, 2, 2}, /* the other half of the group */
        {2, {0, 0, ALL, ALL}, 0, 2, 0},
        {1, {0, 0, 0, 0}, 15, 0, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        sg_cache *c = of_lines(cases[k].group);
        if (cases[k].read)
            sg_cache_read(c, 5, cases[k].read);
        sg_cached first = sg_cache_write(c, 5, cases[k].bytes);
        assert_int_equal(first.missed + first.written + first.filled, 0);
        sg_cached down = flood(c, 8 * LINES);
        assert_int_equal(down.written, cases[k].written);
        assert_int_equal(down.filled, cases[k].filled);
        assert_int_equal(sg_cache_dirty(c), 0);
        sg_cache_free(c);
    }
}

static void parts_of_a_sector_make_a_whole(void **state) {
    (void)state;
    sg_cache *c = of_lines(1);
    sg_cache_write(c, 9, (const uint32_t[4]){0x0000ffff, 0, 0, 0});
    assert_int_equal(sg_cache_dirty(c), 1);
    sg_cache_write(c, 9, (const uint32_t[4]){0xffff0000, 0, 0, 0});
    assert_int_equal(sg_cache_read(c, 9, 1).missed, 0);
    assert_int_equal(flood(c, 8 * LINES).filled, 0);
    sg_cache_free(c);
}

/* Lines fetched since the mark are still pending. The next mark ends that. */
static void what_is_under_way(void **state) {
    (void)state;
    sg_cache *c = of_lines(2);
    sg_cache_mark(c);
    assert_false(sg_cache_read(c, 7, 1).coming); /* it is missed, with the other of its pair */
    assert_true(sg_cache_read(c, 7, 1).coming);
    assert_true(sg_cache_read(c, 7, 2).coming);
    sg_cache_mark(c);
    assert_false(sg_cache_read(c, 7, 1).coming);
    assert_false(sg_cache_read(c, 7, 4).coming);
    sg_cache_write(c, 8, (const uint32_t[4]){ALL, 0, 0, 0});
    assert_false(sg_cache_read(c, 8, 1).coming);
    sg_cache_free(c);
}

/* Any size is one: nothing is lost of a few bytes. */
static void small_caches(void **state) {
    (void)state;
    for (size_t bytes = 0; bytes < 5000; bytes += 700) {
        sg_cache *c = sg_cache_new(bytes, 1);
        assert_non_null(c);
        assert_int_equal(sg_cache_read(c, 1, 1).missed, 1);
        assert_int_equal(sg_cache_read(c, 1, 1).missed, 0);
        sg_cache_free(c);
    }
    sg_cache_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sector_is_missed_once),
        cmocka_unit_test(what_fits_stays),
        cmocka_unit_test(what_was_written_goes_down_once),
        cmocka_unit_test(parts_of_a_sector_make_a_whole),
        cmocka_unit_test(what_is_under_way),
        cmocka_unit_test(small_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

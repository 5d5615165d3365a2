/* catalog_test.c: .mo files are read as msgfmt writes them, and what is none of them is refused. */
#include "runtime/base/base.h"
#include "runtime/base/language.h"
#include "runtime/base/catalog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct pair {
    const char *text, *translation;
} pair;

/* As msgfmt has it: the head, both tables, all texts with their NULs. Returns the bytes. */
static size_t write_mo(const pair *pairs, uint32_t n, unsigned char *out) {
    uint32_t head[7] = {0x950412de, 0, n, 28, 28 + 8 * n, 0, 28 + 16 * n}, at = 28 + 16 * n;
    memcpy(out, head, sizeof head);
    for (uint32_t i = 0; i < 2 * n; i++) {
        const char *text = i < n ? pairs[i].text : pairs[i - n].translation;
        uint32_t entry[2] = {(uint32_t)strlen(text), at};
        memcpy(out + 28 + (size_t)8 * i, entry, sizeof entry);
        memcpy(out + at, text, entry[0] + 1);
        at += entry[0] + 1;
    }
    return at;
}

static const pair few[] = {
    {"", "Language: zh_CN\n"}, {"line %d", "第 %d 行"}, {"loads", "读"}, {"stores", "写"}};

static void finds_every_text_and_no_other(void **state) {
    (void)state;
    unsigned char data[400];
    wb_catalog c;
    for (uint32_t n = 0; n <= WB_COUNT(few); n++) {
        assert_true(wb_catalog_open(&c, data, write_mo(few, n, data)));
        for (uint32_t i = 0; i < WB_COUNT(few); i++) {
            const char *found = wb_catalog_find(&c, few[i].text);
            if (i < n)
                assert_string_equal(found, few[i].translation);
            else
                assert_null(found);
        }
    }
    assert_null(wb_catalog_find(&c, "load"));
    assert_null(wb_catalog_find(&c, "zzz"));
}

/* Whatever the bytes say, nothing beyond them is read: each copy is as long as it is. */
static void refuses_what_is_cut_or_changed(void **state) {
    (void)state;
    unsigned char data[400];
    size_t size = write_mo(few, WB_COUNT(few), data);
    wb_catalog c;
    for (size_t n = 0; n < size; n++) {
        unsigned char *cut = malloc(n ? n : 1);
        memcpy(cut, data, n);
        assert_false(wb_catalog_open(&c, cut, n));
        assert_null(wb_catalog_find(&c, "loads"));
        free(cut);
    }
    for (size_t i = 0; i < 28 + 64; i++) {
        data[i] ^= 0xff;
        if (wb_catalog_open(&c, data, size))
            wb_catalog_find(&c, "loads");
        data[i] ^= 0xff;
    }
}

static void refuses_texts_out_of_order(void **state) {
    (void)state;
    const pair turned[] = {{"stores", "写"}, {"loads", "读"}}, twice[] = {{"a", "1"}, {"a", "2"}};
    unsigned char data[400];
    wb_catalog c;
    assert_false(wb_catalog_open(&c, data, write_mo(turned, 2, data)));
    assert_false(wb_catalog_open(&c, data, write_mo(twice, 2, data)));
}

static void reads_a_language_s_name(void **state) {
    (void)state;
    static const char *const chinese[] = {"zh", "zh_CN.UTF-8", "zh-CN", "ZH_tw", "Chinese", "中文"};
    static const char *const none[] = {"", "C", "zhu", "de_DE.UTF-8", "z"};
    wb_language language;
    for (size_t i = 0; i < WB_COUNT(chinese); i++) {
        assert_true(wb_language_read(chinese[i], &language));
        assert_int_equal(language, WB_CHINESE);
    }
    assert_true(wb_language_read("en_GB.UTF-8", &language));
    assert_int_equal(language, WB_ENGLISH);
    for (size_t i = 0; i < WB_COUNT(none); i++)
        assert_false(wb_language_read(none[i], &language));
}

static void speaks_the_language_it_is_told(void **state) {
    (void)state;
    if (!wb_language_has(WB_CHINESE))
        skip();
    wb_language_set(WB_CHINESE);
    assert_string_equal(wb_language_entry(), "WARPBOOK_LANGUAGE=zh");
    assert_string_not_equal(_("out of memory"), "out of memory");
    assert_string_equal(_("no sentence of ours"), "no sentence of ours");
    assert_string_equal(_(""), "");
    wb_language_set(WB_ENGLISH);
    assert_string_equal(_("out of memory"), "out of memory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_every_text_and_no_other),
        cmocka_unit_test(refuses_what_is_cut_or_changed),
        cmocka_unit_test(refuses_texts_out_of_order),
        cmocka_unit_test(reads_a_language_s_name),
        cmocka_unit_test(speaks_the_language_it_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

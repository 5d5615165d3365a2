/* colours.c: the colours of pictures, tables and pages, on light and dark ground. Text has a
 * contrast of at least 4.5 to 1. Every kind of colour vision can distinguish the marks of charts
 * and c0 to c7 (Okabe and Ito, 2008). r0 to r11 are the scale viridis. */
#include "runtime/canvas/canvas.h"

typedef struct colour {
    const char *name;
    uint32_t light, dark;
} colour;

static const colour colours[] = {
    {"ink", 0x24292f, 0xe6edf3},       {"quiet", 0x57606a, 0x9aa4af},
    {"card", 0xffffff, 0x161b22},      {"edge", 0xd0d7de, 0x30363d},
    {"thin", 0xd8dee4, 0x2b323b},      {"ground", 0xf6f8fa, 0x1d232b},
    {"faint", 0x8c959f, 0x6e7681},     {"used", 0x1f6fb2, 0x2f7fc4},
    {"wasted", 0xb35900, 0xc77a3a},    {"hatch", 0xd55e00, 0xd9792b},
    {"hatched", 0xfff1e5, 0x2d2116},   {"kernel", 0x2e86c8, 0x2e86c8},
    {"reference", 0xd55e00, 0xd55e00}, {"yours", 0x009e73, 0x009e73},
    {"line", 0xa84300, 0xff9a4d},      {"link", 0x0550ae, 0x79c0ff},
    {"good", 0x1a7f37, 0x3fb950},      {"fair", 0x8a5c00, 0xd29922},
    {"bad", 0xcf222e, 0xff7b72},
};

static const colour *colour_named(const char *name, size_t len) {
    for (size_t i = 0; i < WB_COUNT(colours); i++)
        if (strncmp(colours[i].name, name, len) == 0 && !colours[i].name[len])
            return &colours[i];
    return NULL;
}

/* Returns the colour named after the '@' at css[0], or NULL. */
static const colour *colour_at(const char *css) {
    return *css == '@' ? colour_named(css + 1, strspn(css + 1, "abcdefghijklmnopqrstuvwxyz"))
                       : NULL;
}

static void put_css(wb_buf *out, const char *css, size_t len, bool dark) {
    for (const char *p = css; p < css + len; p++) {
        const colour *c = colour_at(p);
        if (c) {
            wb_buf_printf(out, "#%06x", dark ? c->dark : c->light);
            p += strlen(c->name);
        } else {
            wb_buf_putc(out, *p);
        }
    }
}

static bool differs(const char *css, size_t len) {
    for (size_t i = 0; i < len; i++) {
        const colour *c = colour_at(css + i);
        if (c && c->dark != c->light)
            return true;
    }
    return false;
}

void draw_style(wb_buf *out, const char *rules) {
    const char *selector = "", *end;
    size_t selector_len = 0;
    wb_buf_puts(out, "<style>\n");
    put_css(out, rules, strlen(rules), false);
    wb_buf_puts(out, "@media screen and (prefers-color-scheme:dark){");
    for (const char *p = rules; *(end = p + strcspn(p, "{;}")); p = end + 1) {
        size_t len = (size_t)(end - p);
        if (*end == '{') {
            selector = p;
            selector_len = len;
        } else if (differs(p, len)) {
            wb_buf_printf(out, "%.*s{", (int)selector_len, selector);
            put_css(out, p, len, true);
            wb_buf_putc(out, '}');
        }
    }
    wb_buf_puts(out, "}\n</style>\n");
}

void draw_tint(wb_buf *out, const char *name, double opacity) {
    const colour *c = colour_named(name, strlen(name));
    uint32_t rgb = c ? c->light : 0;
    wb_buf_printf(out, "rgba(%u,%u,%u,%.2f)", rgb >> 16, rgb >> 8 & 255, rgb & 255, opacity);
}

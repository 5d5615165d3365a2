// Explains a wrong product if every element is what a common mistake gives.
#include <warpbook_lab.h>

namespace {

using warpbook::either;

// Describes how an array is read: element (r, c) is at r * row + c * column.
struct layout {
    long long row, column;
};

struct product {
    int m, n, k;
    const float *a, *b, *c; // c before the call
    double alpha, times_c;
    int from, to;     // the terms of each sum
    int again, until; // terms that are added a second time
    layout at_a, at_b;
    bool c_by_columns;

    double terms(long long row, long long column, int first, int end) const {
        double sum = 0;
        for (int p = first; p < end; p++)
            sum += (double)a[row * at_a.row + p * at_a.column] * b[p * at_b.row + column * at_b.column];
        return sum;
    }

    double element(long long i) const {
        long long row = c_by_columns ? i % m : i / n, column = c_by_columns ? i / m : i % n;
        return alpha * (terms(row, column, from, to) + terms(row, column, again, until)) + times_c * c[i];
    }
};

struct wrong {
    product right;
    const float *got, *expected;
    std::vector<double> allowed;
    char text[400];

    long long count() const { return (long long)right.m * right.n; }

    bool off(long long i) const { return !(std::fabs((double)got[i] - expected[i]) <= allowed[i]); }

    // Returns true if every element is what the mistake gives. Real numbers must be within the rounding error, there
    // must be at least 8, and one must be clearly different from the right value. The first element rules out most
    // mistakes.
    bool is(const product &p) const {
        double near = 0;
        bool told = false;
        for (long long i = 0; i < count(); i++)
            near = std::max(near, 4 * allowed[(size_t)i]);
        if (near > 0 && count() < 8)
            return false;
        for (long long i = 0; i < count(); i++) {
            double other = p.element(i);
            if (near > 0 ? !(std::fabs(got[i] - other) <= near) : got[i] != (float)other)
                return false;
            told |= std::fabs(other - expected[i]) > 4 * near;
        }
        return told;
    }

    const char *order() {
        static const char *const names[] = {"",     "A is",        "B is",        "A and B are",
                                            "C is", "A and C are", "B and C are", "A, B and C are"};
        static const char *const in_chinese[] = {"", "A", "B", "A 和 B", "C", "A 和 C", "B 和 C", "A、B 和 C"};
        for (int which = 1; which < 8; which++) {
            product p = right;
            if (which & 1)
                p.at_a = {1, p.m};
            if (which & 2)
                p.at_b = {1, p.k};
            p.c_by_columns = which & 4;
            if (!is(p))
                continue;
            std::snprintf(text, sizeof text,
                          either("Every element is what comes out when %s taken as column-major. Here all are row-major: the element "
                                 "in row i and column j of A is a[i * k + j], of B b[i * n + j], of C c[i * n + j].",
                                 "每个元素都是把 %s 当作列主序时的结果。这里都是行主序：第 i 行第 j 列的元素，A 的是 a[i * k + j]，B 的是 "
                                 "b[i * n + j]，C 的是 c[i * n + j]。"),
                          either(names[which], in_chinese[which]));
            return text;
        }
        return nullptr;
    }

    const char *lengths() {
        static const char *const names[] = {"m", "n", "k"};
        const int values[] = {right.m, right.n, right.k};
        for (int x = 0; x < 9; x++) {
            product p = right;
            p.at_a.row = values[x % 3];
            p.at_b.row = values[x / 3];
            bool inside = (p.m - 1) * p.at_a.row + p.k <= (long long)p.m * p.k && (p.k - 1) * p.at_b.row + p.n <= (long long)p.k * p.n;
            if (!inside || !is(p))
                continue;
            std::snprintf(text, sizeof text,
                          either("Every element is what comes out when the rows of A are taken to be %s elements long and those of B %s. "
                                 "Those of A have k, those of B n.",
                                 "每个元素都是把 A 的一行当作 %s 个元素、B 的一行当作 %s 个元素时的结果。A 的一行有 k 个，B 的一行有 n 个。"),
                          names[x % 3], names[x / 3]);
            return text;
        }
        return nullptr;
    }

    const char *scalars(double beta) {
        const struct {
            double alpha, times_c;
            const char *says, *in_chinese;
        } mixed[] = {{right.alpha, 0, "alpha A B alone: beta C is missing", "alpha A B：缺了 beta C"},
                     {1, beta, "A B + beta C: alpha is missing", "A B + beta C：缺了 alpha"},
                     {right.alpha, 1, "alpha A B + C: beta is missing", "alpha A B + C：缺了 beta"},
                     {right.alpha, right.alpha * beta, "alpha (A B + beta C): alpha belongs to A B alone", "alpha (A B + beta C)：alpha 只乘 A B"},
                     {beta, right.alpha, "beta A B + alpha C: alpha and beta are mixed up", "beta A B + alpha C：alpha 和 beta 弄反了"},
                     {1, 0, "A B: alpha and beta C are missing", "A B：缺了 alpha 和 beta C"},
                     {0, beta, "beta C: A B is missing", "beta C：缺了 A B"}};
        for (const auto &mix : mixed) {
            product p = right;
            p.alpha = mix.alpha;
            p.times_c = mix.times_c;
            if (!is(p))
                continue;
            std::snprintf(text, sizeof text, either("Every element is that of %s.", "每个元素都是 %s。"), either(mix.says, mix.in_chinese));
            return text;
        }
        return nullptr;
    }

    // Finds sums without terms at either end.
    const char *ends() {
        product p = right;
        p.from = 1;
        if (p.k > 1 && is(p))
            return either("Every element lacks the first term of its sum: does the loop over k begin at 1?",
                          "每个元素的和都缺第一项：k 的循环是不是从 1 开始了？");
        p.from = 0;
        p.to = p.k - 1;
        if (p.k > 1 && is(p))
            return either("Every element lacks the last term of its sum: does the loop over k stop one too early?",
                          "每个元素的和都缺最后一项：k 的循环是不是早停了一次？");
        for (int tile = 4; tile <= 128; tile *= 2) {
            p.to = p.k / tile * tile;
            if (p.to == p.k)
                continue;
            if (p.to > 0 && is(p)) {
                std::snprintf(text, sizeof text,
                              either("Every element has the first %d of the %d terms of its sum: the last %d, which fill no tile of %d, are "
                                     "left out.",
                                     "每个元素的和只有前 %d 项，一共应有 %d 项：最后 %d 项填不满一个 %d 的分块，被漏掉了。"),
                              p.to, p.k, p.k - p.to, tile);
                return text;
            }
            p.to = tile;
            if (tile < p.k && is(p)) {
                std::snprintf(text, sizeof text,
                              either("Every element has the first %d of the %d terms of its sum alone: the first tile's.",
                                     "每个元素的和只有前 %d 项，一共应有 %d 项：只加了第一个分块的。"),
                              p.to, p.k);
                return text;
            }
        }
        return nullptr;
    }

    // Tiles beyond k that still hold the tile before.
    const char *stale() {
        for (int tile = 4; tile <= 128; tile *= 2) {
            product p = right;
            p.again = p.k - tile;
            p.until = (p.k + tile - 1) / tile * tile - tile;
            if (p.again < 0 || p.until == p.again || !is(p))
                continue;
            std::snprintf(text, sizeof text,
                          either("Of every sum the terms from p = %d to %d are added twice: where the last tile of %d reaches beyond "
                                 "k = %d, it still holds the tile before. Store 0 there.",
                                 "每个和里 p = %d 到 %d 的项都加了两次：最后一个 %d 的分块超出 k = %d 的地方，还留着上一个分块的值。请在那里存 "
                                 "0。"),
                          p.again, p.until - 1, tile, p.k);
            return text;
        }
        return nullptr;
    }

    const char *untouched() {
        long long same = 0, all = 0;
        for (long long i = 0; i < count(); i++) {
            all += off(i);
            same += off(i) && got[i] == right.c[i];
        }
        if (same < 16 || (same < all && same * 20 < count())) // a few may be so by chance
            return nullptr;
        std::snprintf(text, sizeof text,
                      either("%lld of them still hold what c held before: they were not written. Do the blocks cover all m x n elements, "
                             "whatever m and n are?",
                             "其中 %lld 个还是 c 原来的值：它们没有被写。不论 m 和 n 是多少，线程块都覆盖全部 m x n 个元素吗？"),
                      same);
        return text;
    }

    // Off by less than half a hundredth of the largest product, all of them.
    const char *rounded(double beta) {
        double most = 0, far = 0;
        for (long long i = 0; i < count(); i++) {
            most = std::max(most, std::fabs(expected[i] - beta * right.c[i]));
            far = std::isfinite(got[i]) ? std::max(far, std::fabs((double)got[i] - expected[i])) : INFINITY;
        }
        return count() > 1 && far < most / 200
                   ? either("All are close to what they should be: is something rounded on the way, to half or TF32?",
                            "所有元素都接近应有的值：中途有什么被舍入成 half 或 TF32 了吗？")
                   : nullptr;
    }
};

} // namespace

const char *check(int m, int n, int k, float alpha, const float *a, const float *b, float beta, const float *c, const float *expected,
                  const float *before) {
    static wrong w;
    const long long count = (long long)m * n;
    if ((double)count * k > 1e7) // as often as mistakes would be tried
        return nullptr;
    std::vector<float> again(before, before + count);
    w.allowed.resize((size_t)count);
    reference(m, n, k, alpha, a, b, beta, again.data(), w.allowed.data());
    for (double &most : w.allowed)
        most *= 5 * 0x1p-24; // lab.json's condition
    w.right = {m, n, k, a, b, before, alpha, beta, 0, k, 0, 0, {k, 1}, {n, 1}, false};
    w.got = c;
    w.expected = expected;
    long long i = 0;
    while (i < count && !w.off(i))
        i++;
    if (i == count)
        return nullptr;
    const char *text = w.order();
    if (!text)
        text = w.lengths();
    if (!text)
        text = w.scalars(beta);
    if (!text)
        text = w.ends();
    if (!text)
        text = w.stale();
    if (!text)
        text = w.untouched();
    return text ? text : w.rounded(beta);
}

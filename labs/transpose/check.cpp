// Explains a wrong result if every element is what a common mistake gives.
#include <warpbook_lab.h>

namespace {

using warpbook::either;

enum mistake { COPIED, SAME_INDEX, SHORT_ROWS, TILES_STAY, ELEMENTS_STAY };

struct turned {
    const float *in, *out;
    long long rows, cols, tile;

    // Returns the index in `in` of the element that out[i] has with the mistake, or -1.
    long long source(mistake how, long long i) const {
        long long r = i / rows, c = i % rows;
        switch (how) {
        case COPIED:
            return i;
        case SAME_INDEX: // the other elements were never written
            return r < rows && c < cols ? r * cols + c : -1;
        case SHORT_ROWS:
            return c * rows + r < rows * cols ? c * rows + r : -1;
        case TILES_STAY: // a square matrix: each tile turned in place
            return (r / tile * tile + c % tile) * cols + c / tile * tile + r % tile;
        default: // tiles swapped but not turned
            return (c / tile * tile + r % tile) * cols + r / tile * tile + c % tile;
        }
    }

    bool is(mistake how) const {
        long long written = 0;
        for (long long i = 0; i < rows * cols; i++) {
            long long from = source(how, i);
            if (from < 0 && how == SAME_INDEX)
                continue;
            if (from < 0 || std::memcmp(&out[i], &in[from], sizeof *out))
                return false;
            written++;
        }
        return written > 1 && written * 8 > rows * cols; // a few elements may match by chance
    }
};

} // namespace

const char *check(const float *in, const float *out, int rows, int cols, const float *expected) {
    static char text[300];
    if (std::memcmp(out, expected, sizeof *out * (size_t)rows * (size_t)cols) == 0)
        return nullptr;
    turned t = {in, out, rows, cols, 8};
    if (t.is(COPIED))
        return either("out holds what in holds: it was copied, not transposed. The element in row "
                      "r and column c of in belongs to "
                      "out[c * rows + r].",
                      "out 里就是 in 里的：只是复制了，没有转置。in 的第 r 行第 c 列的元素应当放在 "
                      "out[c * rows + r]。");
    if (t.is(SAME_INDEX))
        return either("Row and column have not changed places: out[r * rows + c] holds in[r * cols "
                      "+ c], which belongs to "
                      "out[c * rows + r].",
                      "行和列没有交换：out[r * rows + c] 里是 in[r * cols + c]，而它应当放在 out[c "
                      "* rows + r]。");
    if (t.is(SHORT_ROWS))
        return either("Every element is what in[r * rows + c] gives: rows of in are cols elements long, in[r "
                      "* cols + c].",
                      "每个元素都是 in[r * rows + c] 的值：in 的一行有 cols 个元素，应为 in[r * cols + c]。");
    for (; rows == cols && t.tile <= 64; t.tile *= 2) {
        bool stay = rows % t.tile == 0 && t.is(TILES_STAY);
        if (!stay && (rows % t.tile || !t.is(ELEMENTS_STAY)))
            continue;
        std::snprintf(text, sizeof text,
                      stay ? either("Each tile of %d x %d is turned, and lies where it lay: for out, "
                                    "blockIdx.x and blockIdx.y change "
                                    "places too.",
                                    "每个 %d x %d 的分块都转置了，却还在原来的位置：对 out 来说，blockIdx.x "
                                    "和 blockIdx.y 也要交换。")
                           : either("The tiles of %d x %d have changed places, and none is turned: store "
                                    "tile[threadIdx.x][threadIdx.y], where tile[threadIdx.y][threadIdx.x] "
                                    "was loaded.",
                                    "%d x %d 的分块换了位置，却没有一个转置：读进 "
                                    "tile[threadIdx.y][threadIdx.x]，就要写出 "
                                    "tile[threadIdx.x][threadIdx.y]。"),
                      (int)t.tile, (int)t.tile);
        return text;
    }
    return nullptr;
}

#include "timed.cuh"
#include "11_spmv.cuh"

// The notebook's matrix: 24 to 40 entries a row, every 64th has 400; columns drawn as there.
static void of(int rows) {
    std::vector<int> starts(rows + 1), lopsided(rows + 1), columns;
    for (int r = 0; r < rows; r++) starts[r + 1] = starts[r] + (r % 64 == 9 ? 400 : 24 + r * 7 % 17);
    int entries = starts[rows];
    for (int r = 0; r < rows; r++) lopsided[r + 1] = lopsided[r] + (r == 99 ? entries - 9 * (rows - 1) : 9);
    std::vector<float> values(entries), x(rows);
    unsigned state = 1;
    for (int i = 0; i < entries; i++) {
        state = state * 1664525u + 1013904223u;
        columns.push_back((int)((unsigned long long)state * rows >> 32));
        values[i] = (int)(state >> 8 & 7) - 3;
    }
    for (int c = 0; c < rows; c++) x[c] = c % 11;
    int *s = device(starts), *l = device(lopsided), *c = device(columns);
    float *v = device(values), *from = device(x), *y = device<float>(rows);
    auto one = [&](const char *name, const std::vector<int> &begins, bool adds, auto launch) {
        std::vector<float> right(rows);
        for (int r = 0; r < rows; r++)
            for (int i = begins[r]; i < begins[r + 1]; i++) right[r] += values[i] * x[columns[i]];
        char full[64];
        snprintf(full, sizeof full, "%s %d", name, rows);
        cudaMemset(y, adds ? 0 : 0xff, rows * sizeof(float));
        launch();
        held(full, y, right);
        timed(full, launch);
    };
    one("multiply_thread", starts, false, [&] { multiply_thread<<<rows / 128, 128>>>(s, c, v, from, y, rows); });
    one("multiply_lanes<4>", starts, false, [&] { multiply_lanes<4><<<rows * 4 / 128, 128>>>(s, c, v, from, y, rows); });
    one("multiply_lanes<8>", starts, false, [&] { multiply_lanes<8><<<rows * 8 / 128, 128>>>(s, c, v, from, y, rows); });
    one("multiply_lanes<16>", starts, false, [&] { multiply_lanes<16><<<rows * 16 / 128, 128>>>(s, c, v, from, y, rows); });
    one("multiply_lanes<32>", starts, false, [&] { multiply_lanes<32><<<rows * 32 / 128, 128>>>(s, c, v, from, y, rows); });
    one("multiply_shares", starts, true, [&] { multiply_shares<<<(entries + 1023) / 1024, 128>>>(s, c, v, from, y, rows, entries); });
    one("the folded solution", starts, false, [&] { solve(s, c, v, from, y, rows, rows, entries); });
    if (rows > 4096) return; // a sum of millions of terms is not exact
    one("lopsided: lanes<32>", lopsided, false, [&] { multiply_lanes<32><<<rows * 32 / 128, 128>>>(l, c, v, from, y, rows); });
    one("lopsided: shares", lopsided, true, [&] { multiply_shares<<<(entries + 1023) / 1024, 128>>>(l, c, v, from, y, rows, entries); });
}

int main() {
    of(4096);
    of(1 << 19);
}

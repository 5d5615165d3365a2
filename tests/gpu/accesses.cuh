// accesses.cuh: atomic operations in the place of loads and stores. What a word costs that is stored, added to, exchanged or or-ed,
// its old value wanted or not, where warps touch whole lines, one word of a sector each, a transpose's columns, or words anywhere.
#pragma once

enum access { STORE, ADD, EXCHANGE, ADD_RETURN, EXCHANGE_RETURN, OR_RETURN, LOAD, ACCESSES };
enum pattern { ORDER, SECTORS, PAIRS, COLUMNS, ANYWHERE, PATTERNS };
static const char *access_names[] = {"a store", "atomicAdd", "atomicExch", "atomicAdd with result", "atomicExch with result", "atomicOr of 0 with result", "a load"};
static const char *pattern_names[] = {"in order", "one word of a sector", "two words of a sector", "a transpose's columns", "anywhere"};

// Each word is touched once, by the threads of 32 x 8 blocks of a matrix of rows x cols, as a naive transpose would.
template <int ACCESS, int PATTERN> __global__ void touch(unsigned *data, int rows, int cols, unsigned zero, unsigned *out) {
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (r >= rows || c >= cols)
        return;
    unsigned i = r * cols + c, n = rows * cols, got = 0;
    if (PATTERN == SECTORS)
        i *= 8;
    if (PATTERN == PAIRS)
        i = i / 2 * 8 + i % 2;
    if (PATTERN == COLUMNS)
        i = c * rows + r;
    if (PATTERN == ANYWHERE)
        i = (unsigned)((i * 2654435761ull) % n); // n is no multiple of that prime: each once
    unsigned *at = data + i;
    if (ACCESS == STORE) *at = r;
    if (ACCESS == ADD) atomicAdd(at, r);
    if (ACCESS == EXCHANGE) atomicExch(at, r);
    if (ACCESS == ADD_RETURN) got = atomicAdd(at, r);
    if (ACCESS == EXCHANGE_RETURN) got = atomicExch(at, r);
    if (ACCESS == OR_RETURN) got = atomicOr(at, zero);
    if (ACCESS == LOAD) got = *(volatile unsigned *)at;
    if (got == 0x12345678)
        *out = got;
}

// The loads and stores of a naive transpose, in both directions, with and without atomic operations.
template <bool LOADS, bool STORES> __global__ void transposes(unsigned *in, unsigned *out, int rows, int cols) {
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (r >= rows || c >= cols)
        return;
    unsigned value = LOADS ? atomicOr(&in[r * cols + c], 0) : in[r * cols + c];
    if (STORES)
        atomicExch(&out[c * rows + r], value);
    else
        out[c * rows + r] = value;
}

template <int ACCESS, int PATTERN> static void touches(class timed::clock &clock, unsigned *data, unsigned *out) {
    for (auto [rows, cols] : {std::pair{2048, 2048}, {1664, 1600}, {1024, 1024}})
        for (bool cold : {true, false}) {
            dim3 grid((cols + 31) / 32, (rows + 7) / 8), block(32, 8);
            double s = median(clock, [&, rows = rows, cols = cols] { touch<ACCESS, PATTERN><<<grid, block>>>(data, rows, cols, 0, out); }, cold, 7);
            say(std::string(access_names[ACCESS]) + ", " + pattern_names[PATTERN] + ", " + std::to_string(rows) + " x " + std::to_string(cols) + (cold ? ", cold" : ", warm"), s, "seconds");
        }
    if constexpr (PATTERN + 1 < PATTERNS)
        touches<ACCESS, PATTERN + 1>(clock, data, out);
    else if constexpr (ACCESS + 1 < ACCESSES)
        touches<ACCESS + 1, 0>(clock, data, out);
}

template <bool LOADS, bool STORES> static void transposed(class timed::clock &clock, unsigned *in, unsigned *out) {
    for (auto [rows, cols] : {std::pair{2048, 2048}, {1664, 1600}, {2560, 2496}, {1536, 2048}})
        say(std::string("transpose, ") + (LOADS ? "atomicOr" : "a load") + " and " + (STORES ? "atomicExch" : "a store") + ", " + std::to_string(rows) + " x " + std::to_string(cols),
            median(clock, [&, rows = rows, cols = cols] { transposes<LOADS, STORES><<<dim3((cols + 31) / 32, (rows + 7) / 8), dim3(32, 8)>>>(in, out, rows, cols); }, true, 21), "seconds");
}

static void accesses(class timed::clock &clock, unsigned *out) {
    unsigned *data = room<unsigned>((size_t)8 << 22), *in = room<unsigned>(8 << 20);
    transposed<false, false>(clock, in, data);
    transposed<true, false>(clock, in, data);
    transposed<false, true>(clock, in, data);
    transposed<true, true>(clock, in, data);
    touches<0, 0>(clock, data, out);
}

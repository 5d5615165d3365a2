"""Random CUDA programs: functions that the host and the device both compute, compared bit for bit.

    python3 differential.py SEED > program.cu

Each function is one deep expression over integers and IEEE floating point; or a small program of
assignments, branches, loops and switches on unsigned integers, whose lanes diverge; or such a program on
the numbers of thread and block, which reads tables in global and shared memory at what it computes.
Nothing in them is undefined in C++: signed sums go through unsigned, shifts are masked, divisors are not zero, and
floats become integers only inside the integer's range. Contraction to fma is off on both sides.
"""
import random
import sys

INPUTS = 512
EXPRESSIONS = 30
PROGRAMS = 20
LOOKUPS = 10
TABLE = 512

PRELUDE = """
#include "check.h"
#define HD __host__ __device__ inline
typedef unsigned u32; typedef int s32; typedef unsigned long long u64; typedef long long s64;
typedef float f32; typedef double f64; typedef unsigned short u16; typedef short s16;
HD s32 sdiv(s32 a, s32 b) { return b == 0 || (a == INT32_MIN && b == -1) ? 7 : a / b; }
HD s32 srem(s32 a, s32 b) { return b == 0 || (a == INT32_MIN && b == -1) ? 5 : a % b; }
HD s64 sdiv(s64 a, s64 b) { return b == 0 || (a == INT64_MIN && b == -1) ? 7 : a / b; }
HD s64 srem(s64 a, s64 b) { return b == 0 || (a == INT64_MIN && b == -1) ? 5 : a % b; }
HD u32 udiv(u32 a, u32 b) { return b ? a / b : 3; }
HD u32 urem(u32 a, u32 b) { return b ? a % b : 3; }
HD u64 udiv(u64 a, u64 b) { return b ? a / b : 3; }
HD u64 urem(u64 a, u64 b) { return b ? a % b : 3; }
HD s32 to_s32(f64 v) { return v > -2e9 && v < 2e9 ? (s32)v : 11; }
HD u32 to_u32(f64 v) { return v > -0.5 && v < 4e9 ? (u32)v : 12; }
HD s64 to_s64(f64 v) { return v > -9e18 && v < 9e18 ? (s64)v : 13; }
HD u64 to_u64(f64 v) { return v > -0.5 && v < 1.8e19 ? (u64)v : 14; }
template <class T> struct Result { T value; };
"""

BINARY = {
    "u32": ["({0} + {1})", "({0} - {1})", "({0} * {1})", "({0} & {1})", "({0} | {1})", "({0} ^ {1})",
            "({0} << ({1} & 31))", "({0} >> ({1} & 31))", "udiv({0}, {1})", "urem({0}, {1})",
            "({0} < {1} ? {0} : {1})", "(u32)(((u64){0} * {1}) >> 32)",
            "(({0} << ({1} & 31)) | ({0} >> (-{1} & 31)))", "(u32)(u16)({0} + {1})"],
    "s32": ["(s32)((u32){0} + (u32){1})", "(s32)((u32){0} - (u32){1})", "(s32)((u32){0} * (u32){1})",
            "({0} >> ({1} & 31))", "sdiv({0}, {1})", "srem({0}, {1})", "({0} > {1} ? {0} : {1})",
            "(s32)(((s64){0} * {1}) >> 32)", "(s32)(s16)({0} ^ {1})", "({0} < {1} ? ~{0} : {1})",
            "(s32)(signed char)((u32){0} - (u32){1})"],
    "u64": ["({0} + {1})", "({0} - {1})", "({0} * {1})", "({0} & {1})", "({0} ^ {1})",
            "({0} << ({1} & 63))", "({0} >> ({1} & 63))", "udiv({0}, {1})", "urem({0}, {1})",
            "({0} < {1} ? {0} : {1})"],
    "s64": ["(s64)((u64){0} + (u64){1})", "(s64)((u64){0} * (u64){1})", "({0} >> ({1} & 63))",
            "sdiv({0}, {1})", "srem({0}, {1})", "({0} > {1} ? {0} : {1})"],
    "f32": ["({0} + {1})", "({0} - {1})", "({0} * {1})", "({0} / {1})", "({0} < {1} ? {0} : {1})",
            "copysignf({0}, {1} < 0 ? -1.0f : 1.0f)", "fmaf({0}, {1}, {0})", "({0} != {1} ? {0} : 2.5f)"],
    "f64": ["({0} + {1})", "({0} - {1})", "({0} * {1})", "({0} / {1})", "({0} >= {1} ? {0} : {1})",
            "copysign({0}, {1} < 0 ? -1.0 : 1.0)", "fma({0}, {1}, {1})"],
}
UNARY = {
    "u32": ["(~{0})", "(u32)__builtin_bswap32_({0})", "(0u - {0})"],
    "s32": ["(~{0})", "({0} < 0 ? 1 : {0})"],
    "u64": ["(~{0})", "(0ull - {0})"],
    "s64": ["(~{0})"],
    "f32": ["(-{0})", "fabsf({0})", "sqrtf(fabsf({0}))", "floorf({0})", "ceilf({0})", "truncf({0})", "rintf({0})"],
    "f64": ["(-{0})", "fabs({0})", "sqrt(fabs({0}))", "floor({0})", "ceil({0})", "trunc({0})", "rint({0})"],
}
UNARY["u32"] = [form for form in UNARY["u32"] if "bswap" not in form]
CONVERT = {
    "u32": {"s32": "(u32){0}", "u64": "(u32)({0} >> 7)", "s64": "(u32){0}", "f32": "to_u32({0})", "f64": "to_u32({0})"},
    "s32": {"u32": "(s32){0}", "u64": "(s32)(u32){0}", "s64": "(s32)(u32){0}", "f32": "to_s32({0})", "f64": "to_s32({0})"},
    "u64": {"u32": "(u64){0}", "s32": "(u64){0}", "s64": "(u64){0}", "f32": "to_u64({0})", "f64": "to_u64({0})"},
    "s64": {"u32": "(s64){0}", "s32": "(s64){0}", "u64": "(s64){0}", "f32": "to_s64({0})", "f64": "to_s64({0})"},
    "f32": {"u32": "(f32){0}", "s32": "(f32){0}", "u64": "(f32){0}", "s64": "(f32){0}", "f64": "(f32){0}"},
    "f64": {"u32": "(f64){0}", "s32": "(f64){0}", "u64": "(f64){0}", "s64": "(f64){0}", "f32": "(f64){0}"},
}
TYPES = list(BINARY)


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def constant(self, kind):
        r = self.random
        if kind[0] == "f":
            return r.choice(["0.5", "-1.25", "3.0", "1e10", "-7.0", "1e-3"]) + ("f" if kind == "f32" else "")
        bits = int(kind[1:])
        value = r.choice([0, 1, 2, 3, 7, 255, r.getrandbits(bits - 1), (1 << (bits - 1)) - 1])
        return f"({kind}){value}{'ull' if bits == 64 else 'u'}"

    def expression(self, kind, depth):
        """C++ of one expression of type `kind`; statements name what is used twice."""
        r = self.random
        if depth == 0 or r.random() < 0.08:
            return f"{kind}_{r.choice('abc')}" if r.random() < 0.8 else self.constant(kind)
        choice = r.random()
        if choice < 0.15:
            source, form = r.choice(list(CONVERT[kind].items()))
            return "(" + form.format(self.named(source, depth - 1)) + ")"
        if choice < 0.3:
            return r.choice(UNARY[kind]).format(self.named(kind, depth - 1))
        return r.choice(BINARY[kind]).format(self.named(kind, depth - 1), self.named(kind, depth - 1))

    def named(self, kind, depth):
        text = self.expression(kind, depth)
        name = f"t{len(self.lines)}"
        self.lines.append(f"    {kind} {name} = {text};")
        return name

    def expression_function(self, number):
        kind = self.random.choice(TYPES)
        self.lines = []
        text = self.expression(kind, 6)
        inputs = [f"    [[maybe_unused]] {k} {k}_{v} = in.{k}_{v};" for k in TYPES for v in "abc"]
        body = "\n".join(inputs + self.lines)
        return kind, f"HD {kind} fn{number}(const Input &in) {{\n{body}\n    return {text};\n}}\n"

    # ---- small programs ----

    def value(self):
        r = self.random
        a, b = (r.choice(["v0", "v1", "v2", "v3", "x", f"{r.randrange(1, 40)}u"]) for _ in range(2))
        return r.choice([f"{a} + {b}", f"{a} * 3 + {b}", f"{a} ^ ({b} << 3)", f"{a} - {b}", f"({a} >> 2) + {b}", f"{a} & {b}"])

    def condition(self):
        r = self.random
        a = r.choice(["v0", "v1", "v2", "v3", "x"])
        return r.choice([f"({a} & {1 << r.randrange(5)})", f"{a} % {r.randrange(2, 7)} == {r.randrange(2)}",
                         f"(s32){a} < (s32)({self.value()})", f"{a} > {r.getrandbits(31)}u"])

    def statements(self, depth, in_loop):
        return "".join(self.statement(depth, in_loop) for _ in range(self.random.randrange(1, 3)))

    def statement(self, depth, in_loop):
        r = self.random
        kinds = ["assign"] * 4
        if depth:
            kinds += ["if"] * 3 + ["for"] * 2 + ["switch", "while"]
        if in_loop:
            kinds += ["break", "continue"]
        kinds += ["return"] if r.random() < 0.15 else []
        kind = r.choice(kinds)
        if kind == "assign" and self.looks_up and r.random() < 0.5:
            return f"sum += {r.choice(['table', 'tile'])}[({self.value()}) & {TABLE - 1}];\n"
        if kind == "assign":
            return f"v{r.randrange(4)} = {self.value()};\n"
        if kind == "if":
            other = f" else {{ {self.statements(depth - 1, in_loop)} }}" if r.random() < 0.6 else ""
            return f"if ({self.condition()}) {{ {self.statements(depth - 1, in_loop)} }}{other}\n"
        self.loops += 1
        n = self.loops
        if kind == "for":
            bound = r.choice([str(r.randrange(1, 6)), f"(v{r.randrange(4)} & 7)", "(x % 5)"])
            return f"for (u32 i{n} = 0; i{n} < {bound} && fuel; i{n}++) {{ fuel--; v{r.randrange(4)} += i{n}; {self.statements(depth - 1, True)} }}\n"
        if kind == "while":
            return f"while ({self.condition()} && fuel) {{ fuel--; v0 = v0 * 5 + 1; {self.statements(depth - 1, True)} }}\n"
        if kind == "switch":
            cases = "".join(f"case {k}: {self.statements(depth - 1, False)} {'break;' if r.random() < 0.8 else ''}\n"
                            for k in range(r.randrange(5, 9)))
            return f"switch (v{r.randrange(4)} % 10) {{ {cases} default: v1++; }}\n"
        if kind == "return":
            return f"if ({self.condition()}) return v0 + {r.randrange(9)};\n"
        return f"if ({self.condition()}) {kind};\n"

    def program_function(self, number):
        self.loops, self.looks_up = 0, False
        body = "".join(self.statement(3, False) for _ in range(5))
        return "u32", (f"HD u32 fn{number}(const Input &in) {{\n    u32 v0 = in.u32_a, v1 = in.u32_b, v2 = in.u32_c & 15, "
                       f"v3 = 1, x = in.u32_b >> 5, fuel = 60;\n{body}    return v0 ^ v1 * 3 ^ v2 * 5 ^ v3 * 7;\n}}\n")

    def lookup_function(self, number):
        self.loops, self.looks_up = 0, True
        body = "".join(self.statement(3, False) for _ in range(8))
        return (f"HD u32 fn{number}(const u32 *table, const u32 *tile, u32 t, u32 b, u32 w) {{\n"
                "    u32 v0 = b * w + t, v1 = t, v2 = b & 3, v3 = 1, x = w, fuel = 60, sum = 0;\n"
                f"{body}    return sum + tile[v0 % {TABLE}] * table[v1 % {TABLE}] + v2 * 5 + v3 * 7;\n}}\n"
                f"__global__ void k{number}(const u32 *table, u32 *out) {{\n"
                f"    __shared__ u32 tile[{TABLE}];\n"
                f"    for (int i = threadIdx.x; i < {TABLE}; i += blockDim.x)\n        tile[i] = table[i] * 3;\n"
                "    __syncthreads();\n"
                f"    out[blockIdx.x * blockDim.x + threadIdx.x] = "
                f"fn{number}(table, tile, threadIdx.x, blockIdx.x, blockDim.x);\n}}\n")

    def program(self):
        members = "".join(f"    {k} {k}_a, {k}_b, {k}_c;\n" for k in TYPES)
        parts = [PRELUDE, f"struct Input {{\n{members}}};\n"]
        kinds = []
        for number in range(EXPRESSIONS + PROGRAMS):
            make = self.expression_function if number < EXPRESSIONS else self.program_function
            kind, text = make(number)
            kinds.append(kind)
            parts.append(text)
        lookups = range(len(kinds), len(kinds) + LOOKUPS)
        parts += [self.lookup_function(number) for number in lookups]
        for number, kind in enumerate(kinds):
            parts.append(f"__global__ void k{number}(const Input *in, {kind} *out) {{\n"
                         "    int i = threadIdx.x + blockIdx.x * blockDim.x;\n"
                         f"    out[i] = fn{number}(in[i]);\n}}\n")
        parts.append(MAIN.replace("SEED", str(self.random.getrandbits(32))).replace("N_INPUTS", str(INPUTS))
                     .replace("N_TABLE", str(TABLE)))
        for number, kind in enumerate(kinds):
            width = self.random.choice([8, 16, 32, 64, 64])
            parts.append(f'    {{ std::vector<{kind}> want(n); for (int i = 0; i < n; i++) want[i] = fn{number}(in[i]);\n'
                         f'      {kind} *out = device<{kind}>(n); k{number}<<<n / {width}, {width}>>>(d, out); LAUNCHED;\n'
                         f'      same("fn{number}", fetch(out, n), want); cudaFree(out); }}\n')
        for number in lookups:
            width = self.random.choice([1, 7, 16, 20, 32, 33, 64, 80, 128])
            parts.append(f'    {{ std::vector<u32> want(n / {width} * {width});\n'
                         f'      for (u32 i = 0; i < want.size(); i++) want[i] = fn{number}(table.data(), tile.data(), '
                         f'i % {width}, i / {width}, {width});\n'
                         f'      u32 *out = device<u32>(n); k{number}<<<n / {width}, {width}>>>(words, out); LAUNCHED;\n'
                         f'      same("fn{number}", fetch(out, want.size()), want); cudaFree(out); }}\n')
        parts.append("}\n")
        return "".join(parts)


MAIN = """
template <class T> T edge(Random &r) {
    const u64 edges[] = {0, 1, 2, 31, 32, 63, 0x7fffffff, 0x80000000, 0xffffffff, ~0ull, 1ull << 63, 1ull << 32};
    u64 v = r.next();
    return (T)(r.next() % 3 ? v >> r.next() % 64 : edges[v % 12]);
}
template <class T> T real(Random &r) {
    const T edges[] = {0, (T)-0.0, 1, (T)-1.5, (T)1e30, (T)1e-30, (T)INFINITY, (T)NAN, (T)1e-40};
    return r.next() % 8 ? (T)((s64)r.next() >> 20) / (T)(1ull << r.next() % 50) : edges[r.next() % 9];
}
int main() {
    const int n = N_INPUTS;
    Random r(SEED);
    std::vector<Input> in(n);
    for (auto &v : in) {
        v.u32_a = edge<u32>(r), v.u32_b = edge<u32>(r), v.u32_c = edge<u32>(r);
        v.s32_a = edge<s32>(r), v.s32_b = edge<s32>(r), v.s32_c = edge<s32>(r);
        v.u64_a = edge<u64>(r), v.u64_b = edge<u64>(r), v.u64_c = edge<u64>(r);
        v.s64_a = edge<s64>(r), v.s64_b = edge<s64>(r), v.s64_c = edge<s64>(r);
        v.f32_a = real<f32>(r), v.f32_b = real<f32>(r), v.f32_c = real<f32>(r);
        v.f64_a = real<f64>(r), v.f64_b = real<f64>(r), v.f64_c = real<f64>(r);
    }
    Input *d = device(in);
    std::vector<u32> table(N_TABLE), tile(N_TABLE);
    for (int i = 0; i < N_TABLE; i++)
        table[i] = (u32)r.next(), tile[i] = table[i] * 3;
    u32 *words = device(table);
"""

if __name__ == "__main__":
    print(Generator(int(sys.argv[1]) if len(sys.argv) > 1 else 1).program())

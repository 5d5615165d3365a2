"""Notebooks drawn by feature. A feature is a function of a Draw that gives steps, one a cell; a step is a list of pieces:
("d", text) stands at file scope in a program, too; ("s", text) are statements; ("i", text) an #include or a #define.
What it prints is what a program of the same pieces prints: nothing here tells what that is. In the program all ("d", ...)
come before main, so no initialiser may depend on what a statement did."""

FEATURES = []


def feature(f):
    FEATURES.append(f)
    return f


class Draw:
    """Names that nothing else of the notebook has, and numbers."""

    PLAIN = "alpha beta total value item acc level width store part node tally score limit bonus extra".split()
    HARD = "index count size data next left right link time y1 max min distance remove".split()

    def __init__(self, rng):
        self.rng = rng
        self.taken = set()
        self.serial = 0

    def name(self, hard=False):
        free = [n for n in (self.HARD if hard and self.rng.random() < 0.4 else self.PLAIN) if n not in self.taken]
        self.serial += 1
        name = self.rng.choice(free) if free else f"v{self.serial}"
        self.taken.add(name)
        return name

    def type(self, head="T"):
        self.serial += 1
        return f"{head}{self.serial}"

    def n(self, low=1, high=9):
        return self.rng.randint(low, high)

    def pick(self, *choices):
        return self.rng.choice(choices)


def show(*what):
    return ("s", f'printf("{" ".join("%d" for _ in what)}\\n", {", ".join(f"(int)({w})" for w in what)});')


@feature
def variables(d):
    a, b, c, p, f = d.name(True), d.name(True), d.name(), d.name(), d.name()
    t = d.pick("int", "long", "unsigned", "double", "short")
    return [
        [("d", f"{t} {a} = {d.n()}, {b}[{d.n(2, 4)}] = {{1, {d.n()}}};"), ("d", f"{t} *{p} = &{a};"), show(a, f"*{p}", f"{b}[1]")],
        [("d", f"{t} {f}({t} k) {{ return {a} * k + {b}[1]; }}"), ("s", f"{a} += {d.n()};"), show(f"{f}({d.n()})")],
        [("d", f"auto {c} = {f}(0) + 1;"), ("d", f"auto &{c}_r = {a};"), ("s", f"{c}_r++; *{p} += 2;"), show(a, c, f"&{c}_r == {p}")],
        [("s", f"{a} * {c};"), ("s", f"for (int i = 0; i < 3; i++) {b}[i % 2] += i * {d.n()};"), show(a, f"{b}[0]", f"{f}(3)", f"sizeof {b}")],
    ]


@feature
def constants(d):
    a, n, m, k, f = d.name(), d.name(), d.name(), d.name(), d.name()
    values = ", ".join(str(d.n()) for _ in range(4))
    return [
        [("i", "#include <cstdlib>"), ("d", f"const int {a}[] = {{{values}}};"), ("d", f"const int {n} = rand();"), ("d", f"constexpr int {m} = {d.n(2, 6)};"),
         ("d", f"static const double {k} = {d.n()}.5;"), ("d", f"const int *{f}_at() {{ return {a}; }}"), ("d", f"const int *{f}_n() {{ return &{n}; }}"), show(f"{a}[2]", f"{n} == {n}", m)],
        [("d", f"int {f}[{m}] = {{{d.n()}}};"), ("s", f"{f}[{m} - 1] = {a}[1];"), show(f"{f}_at() == {a}", f"{f}_n() == &{n}", f"*{f}_n() == {n}", f"{k} * 2")],
        [("d", f"static_assert({m} > 1);"), ("d", f"struct {d.type()} {{ int all[{m}]; }} {f}_s;"), show(f"sizeof {f}_s / sizeof(int) == {m}", f"sizeof {a} / sizeof *{a}", f"{f}[{m} - 1]")],
        [show(f"{f}_at() == &{a}[0]", f"{f}_at()[3]", f"*{f}_n() - {n}")],
    ]


@feature
def classes(d):
    t, v, w = d.type("Point"), d.name(), d.name()
    x, y = d.pick("x", "next", "count"), d.pick("y", "size", "value")
    return [
        [("i", "#include <iostream>"), ("d", f"struct {t} {{\n    int {x}, {y};\n    {t}(int a = {d.n()}, int b = {d.n()}) : {x}(a), {y}(b) {{}}\n    int sum() const {{ return {x} + {y}; }}\n"
               f"    {t} operator+(const {t} &o) const {{ return {t}({x} + o.{x}, {y} + o.{y}); }}\n    static int made;\n    friend int diff(const {t} &p) {{ return p.{x} - p.{y}; }}\n}};"),
         ("d", f"int {t}::made = {d.n()};"), ("d", f"{t} {v}({d.n()}, {d.n()}), {w};"), show(f"({v} + {w}).sum()", f"{t}::made++", f"diff({v})")],
        [("d", f"std::ostream &operator<<(std::ostream &o, const {t} &p) {{ return o << '(' << p.{x} << ' ' << p.{y} << ')'; }}"), ("s", f"std::cout << {v} << {w} + {v} << '\\n' << std::flush;"), show(f"{t}::made++")],
        [("d", f"bool operator<(const {t} &a, const {t} &b) {{ return a.sum() < b.sum(); }}"), ("d", f"{t} operator*(int k, const {t} &p) {{ return {{k * p.{x}, k * p.{y}}}; }}"),
         ("s", f"{v} = {d.n(2, 5)} * {v};"), show(f"{w} < {v}", f"{t}::made")],
        [("s", f"std::cout << 2 * {v} + {w} << ({v} < {w}) << std::endl;"), ("d", f"{t} *{v}_p = &{v};"), show(f"{v}_p->sum()", f"diff(*{v}_p)")],
    ]


@feature
def inheritance(d):
    b, c, e, v = d.type("Base"), d.type("Left"), d.type("Right"), d.name()
    return [
        [("i", "#include <memory>"), ("i", "#include <vector>"), ("d", f"struct {b} {{ virtual ~{b}() = default; virtual int area() const = 0; int twice() const {{ return 2 * area(); }} }};"),
         ("d", f"struct {c} : {b} {{ int a; {c}(int a) : a(a) {{}} int area() const override {{ return a * a; }} }};"), ("d", f"std::vector<std::unique_ptr<{b}>> {v};"),
         ("s", f"{v}.push_back(std::make_unique<{c}>({d.n()}));"), show(f"{v}[0]->twice()")],
        [("d", f"class {e} : public {c} {{\n  public:\n    using {c}::{c};\n    int area() const final {{ return {c}::area() + {d.n()}; }}\n  protected:\n    int hidden = 3;\n}};"),
         ("s", f"{v}.emplace_back(new {e}({d.n()}));"), show(f"{v}[1]->area()", f"dynamic_cast<{c} *>({v}[1].get()) != nullptr")],
        [("d", f"int total_of(const std::vector<std::unique_ptr<{b}>> &all) {{ int t = 0; for (auto &p : all) t += p->area(); return t; }}"), show(f"total_of({v})", f"dynamic_cast<{e} *>({v}[0].get()) == nullptr")],
        [("s", f"{v}.erase({v}.begin());"), show(f"total_of({v})", f"{v}.size()")],
    ]


@feature
def templates(d):
    f, t, k, v = d.name(), d.type("Stack"), d.name(), d.name()
    return [
        [("d", f"template <class T> T {f}(T a, T b) {{ return a < b ? b : a; }}"), ("d", f"template <class T, int N = {d.n(2, 5)}> struct {t} {{ T all[N]; int n = 0; void push(T x) {{ all[n++ % N] = x; }} static int pushed; }};"),
         ("d", f"template <class T, int N> int {t}<T, N>::pushed = {d.n()};"), ("d", f"template <class T> constexpr T {k} = T({d.n()});"), show(f"{f}(2, {d.n()})", f"{k}<int>")],
        [("d", f"template <> const char *{f}(const char *a, const char *) {{ return a; }}"), ("d", f"{t}<int> {v};"), ("s", f"{v}.push({d.n()}); {v}.push({d.n()}); {t}<int>::pushed++;"), show(f"{v}.all[0]", f"{v}.n", f"{t}<int>::pushed", f"{f}(\"ab\", \"c\")[1]")],
        [("d", f"template <class T> struct {t}<T, 1> {{ int n = 77; }};"), ("d", f"{t}<char, 1> {v}_one;"), ("d", f"template <class... A> int {f}_sum(A... a) {{ return (0 + ... + a); }}"), show(f"{v}_one.n", f"{f}_sum(1, {d.n()}, 3)", f"{t}<int>::pushed")],
        [("d", f"template <class T> auto {f}_both(T a, T b) -> decltype(a + b) {{ return {f}(a, b) + {k}<T>; }}"), show(f"{f}_both(1, 2)", f"{f}_both(1.5, 2.5) * 10", f"&{t}<int>::pushed != nullptr")],
    ]


@feature
def lambdas(d):
    a, f, g, h = d.name(), d.name(), d.name(), d.name()
    return [
        [("i", "#include <functional>"), ("d", f"int {a} = {d.n()};"), ("d", f"auto {f} = [](int x) {{ return x * {d.n()}; }};"), ("d", f"std::function<int(int)> {g} = [copy = {a}](int x) {{ return x + copy; }};"), show(f"{f}(3)", f"{g}(1)")],
        [("d", f"auto {h} = [k = {d.n()}, &r = {a}](int x) mutable {{ return r += ++k + x; }};"), show(f"{h}(1)", f"{h}(1)", a, f"{g}(1)")],
        [("s", f"{g} = [](int x) {{ return {f}(x) - 1; }};"), ("d", f"int {g}_twice(const std::function<int(int)> &f, int x) {{ return f(f(x)); }}"), show(f"{g}_twice({g}, 2)", f"{g}_twice({f}, 2)", f"{h}(0)")],
        [("d", f"auto {h}_add = [](auto x, auto y) {{ return x + y; }};"), show(f"{h}_add(1, {d.n()})", f"{h}_add(1.5, 2)", f"[&] {{ return {a} + {h}(0); }}()")],
    ]


@feature
def enums(d):
    e, s, v, f = d.type("Colour"), d.type("Mode"), d.name(), d.name()
    return [
        [("d", f"enum {e} {{ RED{e}, GREEN{e} = {d.n(2, 6)}, BLUE{e} }};"), ("d", f"enum class {s} : unsigned char {{ Off, On = {d.n()} }};"), ("d", f"{e} {v} = GREEN{e};"), show(v, f"(int){s}::On", f"sizeof({s})")],
        [("d", f"const char *{f}({s} m) {{ switch (m) {{ case {s}::Off: return \"off\"; case {s}::On: return \"on\"; }} return \"?\"; }}"), ("s", f'printf("%s %s\\n", {f}({s}::On), {f}({s}(200)));'), ("s", f"{v} = BLUE{e};")],
        [("d", f"int {f}_n[BLUE{e} + 1] = {{{d.n()}}};"), ("s", f"switch ({v}) {{\ncase RED{e}: puts(\"red\"); break;\ncase BLUE{e}: puts(\"blue\"); break;\ndefault: puts(\"other\");\n}}"), show(f"sizeof {f}_n / sizeof(int)")],
        [("d", f"struct {s}Holder {{ enum Inner {{ A = {d.n()}, B }}; {s} m = {s}::On; }} {f}_h;"), show(f"{s}Holder::B", f"{f}_h.m == {s}::On")],
    ]


@feature
def namespaces(d):
    n, x, f = d.type("space"), d.name(), d.name()
    return [
        [("d", f"namespace {n} {{\nint {x} = {d.n()};\nint {f}() {{ return {x} * 2; }}\nnamespace inner {{ struct A {{ int a = {d.n()}; }}; int deep = 4; }}\n}}"), show(f"{n}::{f}()", f"{n}::inner::A().a")],
        [("s", f"{n}::{x} += {d.n()};"), ("d", f"namespace {n} {{ int {f}(int k) {{ return {f}() + k; }} }}"), show(f"{n}::{f}(1)", f"{n}::{x}")],
        [("d", f"namespace short_{n} = {n}::inner;"), ("d", f"short_{n}::A {x}_a;"), ("d", f"using {n}::{f};"), show(f"short_{n}::deep", f"{f}(2)", f"{x}_a.a")],
        [("s", f"{n}::inner::deep * {n}::{x};"), ("s", f"short_{n}::deep--;"), show(f"{n}::inner::deep * {n}::{x}", f"&{n}::inner::deep == &short_{n}::deep")],
    ]


@feature
def statics(d):
    f, g, v, t = d.name(), d.name(), d.name(), d.type("Counter")
    return [
        [("d", f"int {f}() {{ static int n = {d.n()}; return ++n; }}"), ("d", f"static int {g}(int x) {{ static int all; all += x; return all; }}"), ("d", f"static int {v} = {d.n()};"), ("d", f"template <class T> T &{f}_of() {{ static T one; return one; }}"),
         ("d", f"struct {t} {{ static inline int n = {d.n()}; int next() {{ static int k; return ++k + n; }} }};"), show(f"{f}()", f"{g}(2)", v), ("s", f"{f}_of<int>()++;")],
        [show(f"{f}()", f"{g}(3)", f"{v}++", f"{f}_of<int>()++", f"{t}().next()"), ("s", f"{t}::n += 10;")],
        [("d", f"int (*{f}_p)() = {f};"), ("d", f"int *{v}_p = &{v};"), show(f"{f}_p == {f}", f"{f}_p()", f"{v}_p == &{v}", f"{t}().next()")],
        [("d", f"struct {t}2 {{ int a = {g}(1); }};"), show(f"{t}2().a", f"{f}()", f"{f}_of<int>()", f"*{v}_p", f"{t}().next()")],
    ]


@feature
def addresses(d):
    f, g, t, p = d.name(), d.name(), d.type("Op"), d.name()
    return [
        [("d", f"int {f}(int a) {{ return a + {d.n()}; }}\nint {g}(int a) {{ return a * {d.n()}; }}"), ("d", f"typedef int (*{t})(int);"), ("d", f"{t} {p}[] = {{{f}, {g}}};"), ("d", f"template <class T> int {f}_t(T x) {{ return (int)x; }}"), ("d", f"int (*{p}_t)(double) = {f}_t<double>;"), show(f"{p}[0](3)", f"{p}_t(2.5)")],
        [show(f"{p}[0] == {f}", f"{p}[1] == &{g}", f"{p}_t == &{f}_t<double>"), ("d", f"int apply_{f}({t} o, int x) {{ return o(x); }}")],
        [("s", f"{t} local = {g};"), ("s", f"{p}[0] = {g};"), show(f"apply_{f}({f}, 1)", f"{p}[0] == {p}[1]", f"apply_{f}([](int a) {{ return -a; }}, 4)")],
        [("d", f"struct {t}S {{ int v = {d.n()}; int get(int k) {{ return v * k; }} }};"), ("d", f"int ({t}S::*{p}_m)(int) = &{t}S::get;"), ("d", f"int {t}S::*{p}_v = &{t}S::v;"), ("d", f"{t}S {p}_s;"), show(f"({p}_s.*{p}_m)(3)", f"{p}_s.*{p}_v")],
    ]


@feature
def unnamed(d):
    s, u, b, c = d.name(), d.name(), d.name(), d.name()
    return [
        [("d", f"struct {{ int a, b; }} {s} = {{{d.n()}, {d.n()}}};"), ("d", f"union {{ int i; unsigned char c[4]; }} {u};"), ("s", f"{u}.i = {d.n()} + 256 * {d.n()};"), show(f"{s}.a", f"{u}.c[1]")],
        [("s", f"{s}.a += {s}.b; {u}.c[0]++;"), ("d", f"typedef struct {{ int q : 3; unsigned w : 5; }} bits_{s};"), ("d", f"bits_{s} {b} = {{1, {d.n()}}};"), show(f"{s}.a", f"{u}.i", f"{b}.w")],
        [("d", f"struct Node{s} {{ int v; Node{s} *next; }};"), ("d", f"Node{s} {c} = {{{d.n()}, nullptr}}, {c}_b = {{{d.n()}, &{c}}};"), show(f"{c}_b.next->v", f"{c}.next == nullptr", f"{s}.b")],
        [("s", f"int sum = 0;\nfor (Node{s} *p = &{c}_b; p; p = p->next)\n    sum += p->v;\n" + 'printf("%d\\n", sum);'), show(f"{u}.c[0]", f"{s}.a")],
    ]


@feature
def bindings(d):
    a, b, m, p = d.name(), d.name(), d.name(), d.name()
    return [
        [("i", "#include <map>"), ("i", "#include <string>"), ("i", "#include <tuple>"), ("d", f"std::map<std::string, int> {m} = {{{{\"one\", {d.n()}}}, {{\"two\", {d.n()}}}}};"), ("d", f"auto [{a}, {b}] = std::make_pair({d.n()}, {d.n()}.5);"), show(a, f"{b} * 2")],
        [("s", f"for (auto &[k, v] : {m}) v += {d.n()};"), ("s", f"{a}++;"), show(a, f"{m}[\"two\"]")],
        [("d", f"std::tuple<int, char, double> {p} = {{{d.n()}, 'x', 1.5}};"), ("d", f"auto &[{p}_i, {p}_c, {p}_d] = {p};"), ("s", f"{p}_i += {a};"), show(f"std::get<0>({p})", f"{p}_c")],
        [("s", f"if (auto [at, fresh] = {m}.insert({{\"three\", 3}}); fresh) printf(\"%s %d\\n\", at->first.c_str(), {a});"), show(f"{m}.size()", f"{p}_d * 2")],
    ]


@feature
def macros(d):
    m, f, v, s = f"M{d.type()}", d.name(), d.name(), f"S{d.type()}"
    return [
        [("i", f"#define {m}(x) ((x) * {d.n()})"), ("i", f"#define {s} \"{f}\""), ("d", f"int {v} = {m}({d.n()});"), ("s", f'printf("%d %s\\n", {v}, {s});')],
        [("d", f"int {f}(int a) {{ return {m}(a + 1); }}"), ("i", f"#define {m}_DO(x) do {{ {v} += x; }} while (0)"), ("s", f"{m}_DO(3);"), show(f"{f}(2)", v)],
        [("i", f"#define {m}_STR(x) #x"), ("i", f"#define {m}_CAT(a, b) a##b"), ("s", f'printf("%s %d\\n", {m}_STR(a + b), {m}_CAT({f[:1]}, {f[1:]})(1));'), ("i", f"#ifdef {m}_NEVER\nint never_{f} = 1;\n#else\nint never_{f} = {d.n()};\n#endif"), show(f"never_{f}")],
        [("s", f"#if {d.n()} > 4\nputs(\"big\");\n#else\nputs(\"small\");\n#endif"), show(f"{f}({m}(1))", f"never_{f}")],
    ]


@feature
def stl(d):
    v, s, w = d.name(), d.name(), d.name()
    return [
        [("i", "#include <algorithm>"), ("i", "#include <numeric>"), ("i", "#include <string>"), ("i", "#include <vector>"), ("d", f"std::vector<int> {v} = {{{d.n()}, {d.n()}, {d.n()}, {d.n()}}};"), ("d", f"std::string {s} = \"ab\" + std::to_string({d.n()});"), show(f"{v}.size()", f"{s}.size()")],
        [("s", f"std::sort({v}.begin(), {v}.end());"), ("s", f"{v}.push_back({d.n()});"), ("s", f"for (int x : {v}) printf(\"%d \", x);\nputs({s}.c_str());"), show(f"std::accumulate({v}.begin(), {v}.end(), 0)")],
        [("d", f"std::vector<std::string> {w}({d.n(2, 4)}, {s});"), ("s", f"{w}[1] += \"!\"; std::reverse({v}.begin(), {v}.end());"), ("s", f'for (const auto &x : {w}) printf("%s|", x.c_str());\nprintf("\\n");'), show(f"*std::max_element({v}.begin(), {v}.end())")],
        [("d", f"size_t {s}_n(const std::vector<std::string> &all) {{ size_t n = 0; for (auto &x : all) n += x.size(); return n; }}"), show(f"{s}_n({w})", f"std::count({v}.begin(), {v}.end(), {v}[0])", f"{v}.front()")],
    ]


@feature
def files(d):
    o, n, l = d.name(), d.name(), d.name()
    return [
        [("i", "#include <fstream>"), ("i", "#include <sstream>"), ("d", f"std::ofstream {o}(\"/tmp/wb_oracle_{d.serial}_{d.rng.randint(0, 10**9)}.txt\");"), ("d", f"std::ostringstream {n};"), ("s", f"{n} << {d.n()} << ' '; {o} << 1;"), show(f"{o}.good()")],
        [("s", f"{n} << \"text\" << {d.n()}.5; {o} << 2 << std::endl;"), ("s", f'printf("%s\\n", {n}.str().c_str());')],
        [("d", f"std::istringstream {l};"), ("s", f"int a; std::string b; {l}.str({n}.str()); {l} >> a >> b; printf(\"%d %s\\n\", a, b.c_str());"), show(f"{o}.tellp()")],
        [("s", f"{o}.close();"), show(f"{o}.is_open()", f"{n}.str().size()")],
    ]


@feature
def exceptions(d):
    e, f, g = d.type("Oops"), d.name(), d.name()
    return [
        [("i", "#include <stdexcept>"), ("i", "#include <string>"), ("d", f"struct {e} : std::runtime_error {{ int code; {e}(int c) : std::runtime_error(\"oops \" + std::to_string(c)), code(c) {{}} }};"), ("d", f"int {f}(int a) {{ if (a > {d.n()}) throw {e}(a); return a; }}"), show(f"{f}(1)")],
        [("s", f"try {{\n    {f}(100);\n}} catch (const {e} &x) {{\n    printf(\"%s %d\\n\", x.what(), x.code);\n}}")],
        [("d", f"struct Guard{e} {{ int &r; ~Guard{e}() {{ r++; }} }};"), ("d", f"int {g} = {d.n()};"), ("d", f"int {g}_f() try {{ Guard{e} x{{{g}}}; return {f}(50); }} catch (const std::exception &) {{ return -1; }}"), show(f"{g}_f()", g)],
        [("s", f"try {{ throw {d.n()}; }} catch (int k) {{ printf(\"int %d\\n\", k); }} catch (...) {{ puts(\"other\"); }}"), show(f"{g}_f()", g)],
    ]


@feature
def threads(d):
    m, t, c, a = d.name(), d.name(), d.name(), d.name()
    return [
        [("i", "#include <atomic>"), ("i", "#include <mutex>"), ("i", "#include <thread>"), ("i", "#include <vector>"), ("d", f"std::mutex {m};\nstd::atomic<int> {a}{{{d.n()}}};\nint {c} = 0;\nthread_local int {c}_t = {d.n()};"), ("s", f"std::thread([] {{ std::lock_guard<std::mutex> l({m}); {c} += 5; {c}_t++; }}).join();"), show(c, f"{c}_t")],
        [("d", f"void work_{t}(int n) {{ for (int i = 0; i < n; i++) {{ {a}++; std::lock_guard<std::mutex> l({m}); {c}++; }} }}"), ("d", f"std::vector<std::thread> {t};"), ("s", f"for (int i = 0; i < 3; i++) {t}.emplace_back(work_{t}, {d.n()});"), ("s", f"for (auto &x : {t}) x.join();"), show(c, f"{a}.load()")],
        [("s", f"{t}.clear(); {c}_t += 2;"), show(f"{c}_t", f"{t}.size()")],
        [("s", f"std::thread other(work_{t}, 2); other.join();"), show(c, f"{a}.load()", f"{c}_t")],
    ]


@feature
def kernels(d):
    k, p, n, f, c = d.name(), d.name(), d.name(), d.name(), d.name()
    op = d.pick("+", "*", "-")
    return [
        [("d", f"__device__ int {f}(int x) {{ return x {op} {d.n()}; }}"), ("d", f"__constant__ int {c}[2] = {{{d.n()}, {d.n()}}};"), ("d", f"int *{p}, {n} = {d.n(5, 9)};"), ("s", f"cudaMallocManaged(&{p}, {n} * sizeof(int));"), ("d", f"__global__ void {k}(int *out, int n) {{ int i = threadIdx.x; if (i < n) out[i] = {f}(i) + {c}[i % 2]; }}"),
         ("s", f"{k}<<<1, 32>>>({p}, {n});\ncudaDeviceSynchronize();"), show(f"{p}[0]", f"{p}[{n} - 1]")],
        [("d", f"__global__ void {k}_sum(const int *in, int *out, int n) {{\n    __shared__ int part[32];\n    part[threadIdx.x] = threadIdx.x < n ? in[threadIdx.x] : 0;\n    __syncthreads();\n    if (threadIdx.x == 0) {{ int s = 0; for (int i = 0; i < 32; i++) s += part[i]; *out = s; }}\n}}"),
         ("d", f"int *{p}_s;"), ("s", f"cudaMallocManaged(&{p}_s, sizeof(int));\n{k}_sum<<<1, 32>>>({p}, {p}_s, {n});"), ("s", "cudaDeviceSynchronize();"), show(f"*{p}_s")],
        [("s", f"int fresh[2] = {{{d.n()}, {d.n()}}};\ncudaMemcpyToSymbol({c}, fresh, sizeof fresh);"), ("d", f"void {k}_go(int times) {{ for (int i = 0; i < times; i++) {k}<<<1, 32>>>({p}, {n}); cudaDeviceSynchronize(); }}"), ("s", f"{k}_go(2);"), show(f"{p}[1]", f"{p}[2]")],
        [("d", f"void (*{k}_p)(int *, int) = {k};"), ("s", f"{k}_p<<<1, {d.n(3, 5)}>>>({p}, {n}); cudaDeviceSynchronize();"), show(f"{p}[0]", "cudaGetLastError() == cudaSuccess", f"{k}_p == {k}")],
    ]


@feature
def kernel_templates(d):
    k, p, t, m = d.name(), d.name(), d.type("Times"), d.name()
    return [
        [("d", f"template <class T, class F> __global__ void {k}(T *a, int n, F f) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = f(a[i], i); }}"), ("d", f"struct {t} {{ int k; __host__ __device__ int operator()(int x, int i) const {{ return x + k * i; }} }};"), ("d", f"int *{p};"),
         ("s", f"cudaMallocManaged(&{p}, 40 * sizeof(int));\nfor (int i = 0; i < 40; i++) {p}[i] = {d.n()};\n{k}<<<2, 20>>>({p}, 40, {t}{{{d.n()}}});\ncudaDeviceSynchronize();"), show(f"{p}[39]", f"{t}{{2}}(1, 2)")],
        [("d", f"__managed__ int {m} = {d.n()};"), ("d", f"__device__ int bump_{m}() {{ return atomicAdd(&{m}, 1); }}"), ("d", f"__global__ void {k}_m() {{ bump_{m}(); }}"), ("s", f"{k}_m<<<1, 4>>>();\ncudaDeviceSynchronize();"), show(m)],
        [("d", f"template <int N> __global__ void {k}_n(int *a) {{ a[threadIdx.x] = N * threadIdx.x; }}"), ("s", f"{k}_n<{d.n()}><<<1, 5>>>({p});\n{m} += 2;\n{k}_m<<<1, 1>>>();\ncudaDeviceSynchronize();"), show(f"{p}[4]", m)],
        [("d", f"struct {t}2 {{ float2 v; int max; __device__ __host__ int big(int o) {{ return max > o ? max : o; }} }};"), ("d", f"__global__ void {k}_s({t}2 s, int *out) {{ *out = s.big({d.n()}) + max(1, s.max); }}"), ("s", f"{k}_s<<<1, 1>>>({t}2{{{{1, 2}}, {d.n()}}}, {p}); cudaDeviceSynchronize();"), show(f"{p}[0]")],
    ]


@feature
def events(d):
    e, s, h, k = d.name(), d.name(), d.name(), d.name()
    return [
        [("d", f"cudaEvent_t {e}, {e}_b;\ncudaStream_t {s};"), ("s", f"cudaEventCreate(&{e}); cudaEventCreate(&{e}_b); cudaStreamCreate(&{s});"), ("d", f"__device__ int {k}_all[8];"), ("d", f"__global__ void {k}(int v) {{ {k}_all[threadIdx.x] = v + threadIdx.x; }}")],
        [("s", f"cudaEventRecord({e}, {s}); {k}<<<1, 8, 0, {s}>>>({d.n()}); cudaEventRecord({e}_b, {s}); cudaEventSynchronize({e}_b);"), ("d", f"float {h}_ms;"), ("s", f"cudaEventElapsedTime(&{h}_ms, {e}, {e}_b);"), show(f"{h}_ms >= 0")],
        [("d", f"int {h}[8];"), ("s", f"cudaMemcpyFromSymbol({h}, {k}_all, sizeof {h});"), show(f"{h}[0]", f"{h}[7]")],
        [("d", f"__global__ void {k}_sum(int *out) {{ int t = 0; for (int i = 0; i < 8; i++) t += {k}_all[i]; *out = t; }}"), ("s", f"int *o; cudaMalloc(&o, 4); {k}_sum<<<1, 1>>>(o); int got; cudaMemcpy(&got, o, 4, cudaMemcpyDeviceToHost); cudaFree(o);\n" + 'printf("%d\\n", got);'), show(f"cudaEventQuery({e}_b) == cudaSuccess")],
    ]


@feature
def forward(d):
    f, g, t, v = d.name(), d.name(), d.type("Tree"), d.name()
    return [
        [("d", f"int {f}(int);\nint {g}(int n) {{ return n <= 0 ? 0 : {f}(n - 1) + 1; }}\nint {f}(int n) {{ return n <= 0 ? {d.n()} : {g}(n - 1) + 2; }}"), ("d", f"struct {t};\nstruct {t}Holder {{ {t} *first = nullptr; int n = 0; }};\nstruct {t} {{ int v; {t} *next; }};"), ("d", f"{t}Holder {v};"), show(f"{f}(7)")],
        [("d", f"void {v}_add({t}Holder &h, int x) {{ h.first = new {t}{{x, h.first}}; h.n++; }}"), ("s", f"{v}_add({v}, {d.n()}); {v}_add({v}, {d.n()});"), show(f"{v}.n", f"{v}.first->next->v")],
        [("d", f"int {f}(int);"), ("d", f"int {f}_d(int a, int b = {d.n()}, const char *c = \"x\");\nint {f}_d(int a, int b, const char *c) {{ return a + b + c[0]; }}"), show(f"{f}(4)", f"{f}_d(1)")],
        [("d", f"int({v}_k) = {d.n()};"), ("s", f"int(again){{{v}_k}}; again++; printf(\"%d\\n\", again);"), show(f"{f}_d(1, 2)", f"{f}_d(1, 2, \"a\")", f"{v}_k")],
    ]


@feature
def pointers(d):
    p, q, u, o = d.name(), d.name(), d.name(), d.name()
    return [
        [("i", "#include <memory>"), ("i", "#include <optional>"), ("i", "#include <variant>"), ("i", "#include <string>"), ("d", f"auto {p} = std::make_shared<int>({d.n()});"), ("d", f"std::unique_ptr<int[]> {u}(new int[3]{{{d.n()}, {d.n()}}});"), ("d", f"std::optional<int> {o};"), show(f"*{p}", f"{u}[1]", f"{o}.has_value()")],
        [("d", f"auto {q} = {p};"), ("s", f"*{q} += {d.n()}; {o} = *{p};"), show(f"*{p}", f"{p}.use_count()", f"*{o}")],
        [("d", f"std::variant<int, std::string> {q}_v = \"text\";"), ("s", f"{q}.reset();"), show(f"{p}.use_count()", f"{q}_v.index()", f"{o}.value_or(1)")],
        [("s", f"{q}_v = {d.n()}; std::unique_ptr<int[]> moved = std::move({u});"), ("s", f"if (auto *x = std::get_if<int>(&{q}_v)) printf(\"%d\\n\", *x);"), show(f"{u} == nullptr", f"{o}.has_value()")],
    ]


@feature
def inputs(d):
    a, b, f = d.name(), d.name(), d.name()
    return [
        [("i", "#include <iostream>"), ("i", "#include <iomanip>"), ("d", f"int {a} = {d.n()}; double {b} = {d.n()} / 4.0;"), ("s", f"std::cout << std::setw(6) << {a} << '|' << std::fixed << std::setprecision(3) << {b} << '|' << std::hex << 255 << std::dec << std::defaultfloat << '\\n' << std::flush;")],
        [("d", f"template <class T> std::ostream &{f}(std::ostream &o, const T &x) {{ return o << '<' << x << '>'; }}"), ("s", f"{f}(std::cout, {a}) << std::endl; {f}({f}(std::cout, \"t\"), {b}) << std::endl;")],
        [("d", f"namespace {{ int hidden_{f} = {d.n()}; int only_{f}() {{ return hidden_{f} * 2; }} }}"), show(f"only_{f}()", f"hidden_{f}"), ("s", "std::cout << std::boolalpha << true << std::noboolalpha << std::endl;")],
        [("s", f"hidden_{f}++;"), show(f"only_{f}()"), ("s", "fprintf(stdout, \"%5.2f|%-4d|%c\\n\", 1.005, 7, 'c');")],
    ]

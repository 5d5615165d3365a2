"""The table of runtime/cells/redefine/README.md: what is defined anew, and what uses it. A model says what each use has to be worth
after that: the newest definition wins, or a warning names the thing, the user and the cell, and the old one stays."""

BOTH = "__host__ __device__ "
# thing: (its definition, an expression of the host, one of the device, what a warning calls it, what has to stand before it).
# In a definition N is 1 and then 2, and so is the value of the expressions. "(1) | (2)" are both definitions. @ is the notebook's
# number of the thing, so that several things fit in one notebook.
THINGS = {
    "function": ("int f@(int x) { return x + N; }", "f@(0)", None, "f@"),
    "__device__ function": ("__device__ int f@(int x) { return x + N; }", None, "f@(0)", "f@"),
    "__host__ __device__ function": (BOTH + "int f@(int x) { return x + N; }", "f@(0)", "f@(0)", "f@"),
    "inline function": ("inline int f@(int x) { return x + N; }", "f@(0)", None, "f@"),
    "static function": ("static int f@(int x) { return x + N; }", "f@(0)", None, "f@"),
    "auto function": ("auto f@(int x) { return x + N; }", "f@(0)", None, "f@"),
    "constexpr function": ("constexpr int f@(int x) { return x + N; }", "f@(0)", None, "f@"),
    "function of another type": ("int f@(int x) { return x + 1; } | double f@(int x) { return x + 2; }", "(int)f@(0)", None, "f@"),
    "function in a namespace": ("namespace n@ { int f() { return N; } }", "n@::f()", None, "f"),
    "overloads": ("int f@(int x) { return x + N; }\nint f@(double x) { return 9 - N; }", "f@(0)", None, "f@"),
    "kernel": ("__global__ void f@(int *o) { *o = N; }", "[] { f@<<<1, 1>>>(box); cudaDeviceSynchronize(); return *box; }()", None,
               "f@"),
    "function template": ("template <class T> " + BOTH + "T f@(T x) { return x + N; }", "f@(0)", "f@(0)", "f@"),
    "operator": ("V@ operator+(V@ a, V@ b) { return {a.x + b.x + N}; }", "(V@{0} + V@{0}).x", None, "operator+",
                 "struct V@ { int x; };"),
    "__device__ operator": ("__device__ V@ operator*(V@ a, V@ b) { return {a.x + b.x + N}; }", None, "(V@{0} * V@{0}).x", "operator*",
                            "struct V@ { int x; };"),
    "__host__ __device__ operator": (BOTH + "V@ operator/(V@ a, V@ b) { return {a.x + b.x + N}; }", "(V@{0} / V@{0}).x",
                                     "(V@{0} / V@{0}).x", "operator/", "struct V@ { int x; };"),
    "unary operator": (BOTH + "int operator~(V@ a) { return a.x + N; }", "~V@{0}", "~V@{0}", "operator~", "struct V@ { int x; };"),
    "operator template": ("template <class T> " + BOTH + "int operator-(V@ a, T b) { return a.x + b + N; }", "V@{0} - 0", "V@{0} - 0",
                          "operator-", "struct V@ { int x; };"),
    "member operator": (BOTH + "int V@::operator+(V@ o) const { return x + o.x + N; }", "V@{0} + V@{0}", "V@{0} + V@{0}", "V@::operator+",
                        "struct V@ { int x; " + BOTH + "int operator+(V@ o) const; };"),
    "conversion": ("V@::operator int() const { return x + N; }", "int(V@{0})", None, "V@::operator int",
                   "struct V@ { int x; operator int() const; };"),
    "__host__ __device__ conversion": (BOTH + "V@::operator int() const { return x + N; }", "int(V@{0})", "int(V@{0})",
                                       "V@::operator int", "struct V@ { int x; " + BOTH + "operator int() const; };"),
    "conversion in its class": ("struct V@ { int x; " + BOTH + "operator int() const { return x + N; } };", "int(V@{0})", "int(V@{0})",
                                "V@"),
    "literal": ('int operator""_k@(unsigned long long x) { return (int)x + N; }', "0_k@", None, 'operator""_k@'),
    "__host__ __device__ literal": (BOTH + 'int operator""_k@(unsigned long long x) { return (int)x + N; }', "0_k@", "0_k@",
                                    'operator""_k@'),
    "default argument changed": ("int f@(int x = N) { return x; }", "f@()", None, "f@"),
    "default argument of the device": (BOTH + "int f@(int x = N) { return x; }", "f@()", "f@()", "f@"),
    "default argument of a kernel": ("__global__ void f@(int *o, int x = N) { *o = x; }",
                                     "[] { f@<<<1, 1>>>(box); cudaDeviceSynchronize(); return *box; }()", None, "f@"),
    "default argument added": ("int f@(int x) { return x + 1; } | int f@(int x = 5) { return x + 2; }", "f@(0)", None, "f@"),
    "default argument removed": ("int f@(int x = 1) { return x; } | int f@(int x) { return x + 1; }", "f@()", None, "f@"),
    "default template argument": ("template <class T = char> int f@() { return sizeof(T); } | "
                                  "template <class T = short> int f@() { return sizeof(T); }", "f@()", None, "f@"),
    "default argument of a class template": ("template <class T = char> struct D@ { T x; }; | template <class T = short> struct D@ { T x; };",
                                             "(int)sizeof(D@<>)", "(int)sizeof(D@<>)", "D@"),
    "variable": ("int v@ = N;", "v@", None, "v@"),
    "variable of another type": ("int v@ = 1; | double v@ = 2;", "(int)v@", None, "v@"),
    "array of another size": ("int v@[1] = {1}; | int v@[2] = {2, 2};", "(int)(sizeof v@ / sizeof *v@)", None, "v@"),
    "reference": ("int &r@ = one; | int &r@ = two;", "r@", None, "r@"),
    "const reference": ("const int &c@ = one; | const int &c@ = two;", "c@", None, "c@"),
    "const": ("const int c@ = N;", "c@", "c@", "c@"),
    "const double": ("const double c@ = N;", "(int)c@", None, "c@"),
    "const array": ("const int c@[2] = {N, N};", "c@[0]", None, "c@"),
    "const pointer": ("int *const c@ = &one; | int *const c@ = &two;", "*c@", None, "c@"),
    "const object": ("const V@ c@ = {N};", "c@.x", None, "c@", "struct V@ { int x; };"),
    "constexpr": ("constexpr int c@ = N;", "c@", "c@", "c@"),
    "constexpr array": ("constexpr int c@[2] = {N, N};", "c@[one]", None, "c@"),
    "constant in a namespace": ("namespace n@ { constexpr int c = N; }", "n@::c", "n@::c", "c"),
    "variable template": ("template <class T> constexpr T c@ = N;", "c@<int>", None, "c@"),
    "__device__ variable": ("__device__ int g@ = N;", None, "g@", "g@"),
    "__constant__ variable": ("__constant__ int g@ = N;", None, "g@", "g@"),
    "__managed__ variable": ("__managed__ int g@ = N;", "g@", "g@", "g@"),
    "enum": ("enum E@ { e@ = N };", "(int)e@", "(int)e@", "E@"),
    "enum class": ("enum class E@ { e = N };", "(int)E@::e", "(int)E@::e", "E@"),
    "enum without a name": ("enum { e@ = N };", "(int)e@", "(int)e@", "e@"),
    "alias": ("using A@ = char; | using A@ = short;", "(int)sizeof(A@)", "(int)sizeof(A@)", "A@"),
    "typedef": ("typedef char A@; | typedef short A@;", "(int)sizeof(A@)", "(int)sizeof(A@)", "A@"),
    "alias template": ("template <class T> using A@ = char; | template <class T> using A@ = short;", "(int)sizeof(A@<int>)",
                       "(int)sizeof(A@<int>)", "A@"),
    "macro": ("#define M@ N", "M@", "M@", "M@"),
    "macro with parameters": ("#define M@(x) ((x) + N)", "M@(0)", "M@(0)", "M@"),
    "macro made a constant": ("#define M@ 1 | #undef M@\nconstexpr int M@ = 2;", "M@", "M@", "M@"),
    "lambda variable": ("auto l@ = [](int x) { return x + N; };", "l@(0)", None, "l@"),
    "lambda that captures": ("auto l@ = [c = N](int x) { return x + c; };", "l@(0)", None, "l@"),
    "std::function": ("std::function<int(int)> l@ = [](int x) { return x + N; };", "l@(0)", None, "l@"),
    "class": ("struct S@ { int v = N; };", "S@().v", "S@().v", "S@"),
    "class of another size": ("struct S@ { char v; }; | struct S@ { char v, w; };", "(int)sizeof(S@)", "(int)sizeof(S@)", "S@"),
    "base class": ("struct S@ { " + BOTH + "int get() const { return N; } };\nstruct T@ : S@ {};", "T@().get()", "T@().get()", "S@"),
    "method in its class": ("struct S@ { " + BOTH + "static int get() { return N; } };", "S@::get()", "S@::get()", "S@"),
    "method": ("int S@::get() const { return N; }", "S@().get()", None, "S@::get", "struct S@ { int get() const; };"),
    "static member": ("int S@::n = N;", "S@::n", None, "S@::n", "struct S@ { static int n; };"),
    "__host__ __device__ method": (BOTH + "int S@::get() const { return N; }", "S@().get()", "S@().get()", "S@::get",
                                   "struct S@ { " + BOTH + "int get() const; };"),
    "class template": ("template <class T> struct S@ { " + BOTH + "T get() const { return N; } };", "S@<int>().get()", "S@<int>().get()",
                       "S@"),
    "specialisation": ("template <> struct S@<int> { " + BOTH + "int get() const { return N; } };", "S@<int>().get()",
                       "S@<int>().get()", "S@<int>", "template <class T> struct S@ { " + BOTH + "T get() const { return 9; } };"),
}
# Siblings of these. They are tried with some users.
SIBLINGS = {
    "extern C function": ('extern "C" int f@(int x) { return x + N; }', "f@(0)", None, "f@"),
    "operator of a namespace": ("namespace n@ { " + BOTH + "int operator+(V a, V b) { return a.x + b.x + N; } }", "(n@::V{0} + n@::V{0})", "(n@::V{0} + n@::V{0})", "operator+", "namespace n@ { struct V { int x; }; }"),
    "call operator": (BOTH + "int V@::operator()(int y) const { return x + y + N; }", "V@{0}(0)", "V@{0}(0)", "V@::operator()", "struct V@ { int x; " + BOTH + "int operator()(int y) const; };"),
    "subscript operator": ("int V@::operator[](int y) const { return x + y + N; }", "V@{0}[0]", None, "V@::operator[]", "struct V@ { int x; int operator[](int y) const; };"),
    "kernel in a namespace": ("namespace n@ { __global__ void k(int *o) { *o = N; } }", "[] { n@::k<<<1, 1>>>(box); cudaDeviceSynchronize(); return *box; }()", None, "k"),
    "kernel template": ("template <class T> __global__ void f@(T *o) { *o = N; }", "[] { f@<int><<<1, 1>>>(box); cudaDeviceSynchronize(); return *box; }()", None, "f@"),
    "function specialisation": ("template <> " + BOTH + "int f@<int>(int x) { return x + N; }", "f@(0)", "f@(0)", "f@<int>", "template <class T> " + BOTH + "T f@(T x) { return 9; }"),
    "partial specialisation": ("template <class T> struct S@<T *> { " + BOTH + "static int get() { return N; } };", "S@<int *>::get()", "S@<int *>::get()", "S@<T *>", "template <class T> struct S@ { " + BOTH + "static int get() { return 9; } };"),
    "static variable": ("static int v@ = N;", "v@", None, "v@"),
    "variable in a namespace": ("namespace n@ { int v = N; }", "n@::v", None, "v"),
    "__constant__ array": ("__constant__ int g@[2] = {N, N};", None, "g@[1]", "g@"),
    "__device__ object": ("__device__ V@ g@ = {N};", None, "g@.x", "g@", "struct V@ { int x; };"),
    "generic lambda": ("auto l@ = [](auto x) { return x + N; };", "l@(0)", None, "l@"),
    "union": ("union S@ { int v = N; char c; };", "S@().v", "S@().v", "S@"),
    "nested class": ("struct S@ { struct I { int v = N; }; };", "S@::I().v", "S@::I().v", "S@"),
    "static constexpr member": ("struct S@ { static constexpr int v = N; };", "S@::v", "S@::v", "S@"),
    "enum of a type": ("enum E@ : short { e@ = N };", "(int)e@", "(int)e@", "E@"),
    "macro by a macro": ("#define A@ N", "M@", "M@", "A@", "#define M@ A@"),
    "constant by a constant": ("constexpr int c@ = N;\nconstexpr int kk@ = c@;", "kk@", "kk@", "c@"),
    "constructor": ("V@::V@() : x(N) {}", "V@().x", None, "V@::V@", "struct V@ { int x; V@(); };"),
    "inline variable": ("inline int v@ = N;", "v@", None, "v@"),
    "const double array": ("const double c@[2] = {N, N};", "(int)c@[0]", None, "c@"),
    "auto variable": ("auto v@ = 1; | auto v@ = 2.0;", "(int)v@", None, "v@"),
    "pointer": ("int *p@ = &one; | int *p@ = &two;", "*p@", None, "p@"),
    "template by value": ("template <int K = N> " + BOTH + "int f@() { return K; }", "f@()", "f@()", "f@"),
    "structured binding": ("auto [b@, d@] = std::pair<int, int>(N, N);", "b@", None, "b@"),
    "thread_local variable": ("thread_local int v@ = N;", "v@", None, "v@"),
    "function of a reference": ("int &f@() { return one; } | int &f@() { return two; }", "f@()", None, "f@"),
    "overloaded constness": ("int S@::get() const { return N; }\nint S@::get() { return 9; }", "((const S@ &)S@()).get()", None, "S@::get", "struct S@ { int get() const; int get(); };"),
}
RUN = "cudaDeviceSynchronize(); return *box; }"
# user: (whether it is the host's, its definition, an expression). E is the thing's expression.
USERS = {
    "host function": (True, "int host@() { return E; }", "host@()"),
    "method": (True, "struct Inner@ { int get() const { return E; } };\nint method@() { return Inner@().get(); }", "method@()"),
    "method out of its class": (True, "struct Outer@ { int get() const; };\nint Outer@::get() const { return E; }", "Outer@().get()"),
    "lambda": (True, "auto lambda@ = [](int z0) { return E + z0; };\nint calls@() { return lambda@(0); }", "calls@()"),
    "lambda that captures": (True, "auto holds@ = [z1 = 0] { return E + z1; };", "holds@()"),
    "std::function": (True, "std::function<int()> held@ = [] { return E; };", "held@()"),
    "std::function of a functor": (True, "struct G@ { int operator()() const { return E; } };\nstd::function<int()> holder@ = G@();",
                                   "holder@()"),
    "virtual method": (True, "struct W@ { virtual int get() const { return E; } };\nW@ *object@ = new W@;", "object@->get()"),
    "template": (True, "template <class T> T t@(T z2) { return E + z2; }\nint instance@() { return t@(0); }", "instance@()"),
    "kernel": (False, "__global__ void k@(int *o) { *o = E; }\nint kernel@() { k@<<<1, 1>>>(box); " + RUN, "kernel@()"),
    "device function": (False, "__device__ int d@() { return E; }\n__global__ void kd@(int *o) { *o = d@(); }\n"
                        "int device@() { kd@<<<1, 1>>>(box); " + RUN, "device@()"),
    "functor": (False, "struct F@ { __device__ int operator()() const { return E; } };\nint functor@() { apply<<<1, 1>>>(F@(), box); " + RUN,
                "functor@()"),
    "device lambda": (False, "int closure@() { apply<<<1, 1>>>([] __device__ () { return E; }, box); " + RUN, "closure@()"),
    "kernel template": (False, "template <class T> __global__ void kt@(T *o) { *o = E; }\nint launched@() { kt@<<<1, 1>>>(box); " + RUN,
                        "launched@()"),
}
# Siblings of these users. They are tried with some things.
MORE_USERS = {
    "static function": (True, "static int st@() { return E; }", "st@()"),
    "operator": (True, "struct O@ { int x; };\nint operator+(O@ a, O@ b) { return a.x + b.x + E; }", "(O@{0} + O@{0})"),
    "constructor": (True, "struct K@ { int x; K@() : x(E) {} };\nint made@() { return K@().x; }", "made@()"),
    "constructor out of its class": (True, "struct Q@ { int x; Q@(); };\nQ@::Q@() : x(E) {}", "Q@().x"),
    "generic lambda": (True, "auto gl@ = [](auto z) { return E + z; };\nint gcalls@() { return gl@(0); }", "gcalls@()"),
    "function of a namespace": (True, "namespace u@ { int nf() { return E; } }", "u@::nf()"),
    "auto function": (True, "auto af@() { return E; }", "af@()"),
    "nested lambda": (True, "int nl@() { auto a = [] { return [] { return E; }(); }; return a(); }", "nl@()"),
    "function with a default": (True, "int fd@(int z = 0) { return E + z; }", "fd@()"),
    "static method": (True, "struct SM@ { static int get() { return E; } };", "SM@::get()"),
    "bounded kernel": (False, "__global__ void __launch_bounds__(32) kb@(int *o) { *o = E; }\nint bounds@() { kb@<<<1, 1>>>(box); " + RUN, "bounds@()"),
    "device method": (False, "struct DM@ { __device__ int get() const; };\n__device__ int DM@::get() const { return E; }\n__global__ void km@(int *o) { *o = DM@().get(); }\nint dmethod@() { km@<<<1, 1>>>(box); " + RUN, "dmethod@()"),
    "device lambda in a method": (False, "struct LM@ { int run() { apply<<<1, 1>>>([] __device__ () { return E; }, box); " + RUN + " };", "LM@().run()"),
    "device lambda variable": (False, "auto dl@ = [] __device__ () { return E; };\nint dlv@() { apply<<<1, 1>>>(dl@, box); " + RUN, "dlv@()"),
}
THINGS |= SIBLINGS
USERS |= MORE_USERS
SOME_USERS = {"host function", "lambda", "std::function", "kernel", "device lambda", "template"}
SOME_THINGS = {"__host__ __device__ operator", "default argument changed", "__device__ variable", "macro", "const", "lambda variable",
               "function", "class template", "enum", "reference", "__managed__ variable", "class"}


def users_of(thing):
    """The users in the thing's entries, and the expression by which each uses it."""
    _, host, device, *_ = THINGS[thing]
    for user, (is_host, *_) in USERS.items():
        expression = host if is_host else device
        if expression and (thing not in SIBLINGS or user in SOME_USERS) and (user not in MORE_USERS or thing in SOME_THINGS):
            yield user, expression


# Places of the new definition and of its user.
PLACES = ["same cell run again", "other cell", "other cell, of a thing that stood beside its user"]
FIRST = """#include <cstdio>
#include <functional>
#include <utility>
int one = 1, two = 2;
int *box;
cudaMallocManaged(&box, sizeof *box);
template <class F> __global__ void apply(F f, int *o) { *o = f(); }
"""
# A std::function contains its code, and keeps what that contains. These are called, or have an address, and are followed all the same.
CALLED = {"function", "inline function", "static function", "function in a namespace", "overloads", "kernel", "operator",
          "variable", "reference", "const reference", "const array", "const pointer", "const object",
          "std::function", "method", "static member", "extern C function", "static variable", "variable in a namespace",
          "pointer", "function of a reference", "kernel in a namespace", "inline variable", "const double array",
          "overloaded constness"}
FOLDED = {"reference", "const reference", "const array", "const pointer", "const object", "const double array"}  # in code of their own cell


# Calls without it are errors to C++: compiled code stays, and text no longer compiles. An error in a template keeps all functions of
# the notebook from being compiled again, with a warning, so it needs a notebook of its own.
ALONE = "default argument removed"


# They hold code that their type does not name.
HOLDERS = {"std::function", "std::function of a functor", "virtual method"}
# An object with such a member is lost when the type changes, and its use is an error that says so.
SHAPES = {"conversion in its class", "enum class", "alias", "typedef", "alias template", "class",
          "class of another size", "base class", "method in its class", "class template", "specialisation",
          "default argument of a class template", "union", "nested class", "static constexpr member", "partial specialisation"}


def what(thing, user, place):
    """Returns the table's entry: followed, warned or refused."""
    if thing == ALONE:
        return "refused" if user in ("lambda that captures", "virtual method") else "warned"
    if user == "virtual method" and thing in SHAPES:
        return "refused"
    if user not in HOLDERS or (thing in CALLED and not (thing in FOLDED and place == PLACES[2])):
        return "followed"
    return "warned"


def versions(text, number):
    texts = text.replace("@", str(number)).split(" | ")
    return [texts[n - 1] if len(texts) > 1 else text_with(texts[0], n) for n in (1, 2)]


def text_with(text, n):
    """The text with the name N made a number."""
    return "".join(str(n) if c == "N" and not (text[i - 1:i].isalnum() or text[i + 1:i + 2].isalnum()) else c for i, c in enumerate(text))


class Notebook:
    """Some things in one place, each with all its users."""

    def __init__(self, things, place):
        self.place, self.entries, self.cells = place, [], []
        before, first, anew, uses = [FIRST], [], [], []
        for number, thing in enumerate(things):
            definition, _, _, self_name, *needs = THINGS[thing]
            before += [n.replace("@", str(number)) for n in needs]
            old, new = versions(definition, number)
            first.append(old)
            anew.append(new)
            for user, inner in users_of(thing):
                _, text, expression = USERS[user]
                uses.append(text.replace("E", inner, 1).replace("@", str(number)))
                self.entries.append((thing, user, expression.replace("@", str(number)), self_name.replace("@", str(number))))
        joined = place == PLACES[2]
        self.add("before", before, "")
        self.add("thing", first + (uses if joined else []), "")
        if not joined:
            self.add("users", uses, "")
        user_cell = len(self.cells)
        shown = [e for e in self.entries if what(e[0], e[1], place) != "refused"]
        self.add("show", *self.show(self.entries, lambda thing, user: 1))
        self.add("thing" if place == PLACES[0] else "anew", anew, None)
        self.warned = [(thing, user, name, user_cell) for thing, user, _, name in self.entries
                       if what(thing, user, place) == "warned" or (thing == ALONE and user == "virtual method")]
        self.add("again", *self.show(shown, lambda thing, user: 1 if what(thing, user, place) == "warned" else 2))

    def add(self, identity, lines, printed):
        self.cells.append((identity, "\n".join(lines) + "\n", printed))

    def show(self, entries, value):
        lines = [f'printf("{user} of {thing}: %d\\n", {expression});' for thing, user, expression, _ in entries]
        return lines, "".join(f"{user} of {thing}: {value(thing, user)}\n" for thing, user, _, _ in entries)

    def warning(self):
        """Returns the cell's expected account: for each thing, in the table's order, who keeps the old one."""
        called = {"method out of its class": "Outer{}::get", "std::function": "held{}", "lambda": "calls{}", "std::function of a functor": "holder{}", "virtual method": "object{}", "template": "instance{}",
                  "host function": "host{}", "method": "method{}"}
        lines, last = [], None
        for thing, user, name, cell in self.warned:
            number = list(dict.fromkeys(e[0] for e in self.entries)).index(thing)
            if thing != last:
                lines.append((name, []))
            last = thing
            lines[-1][1].append(f"{called[user].format(number)} (cell [{cell}])")
        return lines

    def write(self, folder):
        """The notebook as a case of tests/cells."""
        folder.mkdir(parents=True)
        for i, (identity, text, printed) in enumerate(self.cells, 1):
            (folder / f"{i}.id").write_text(identity)
            (folder / f"{i}.cu").write_text(text)
            if printed is None:
                want = "".join(f"err warning: {name} is defined anew, but {listed(users)} the one before; run that cell again to have the new one\n"
                               for name, users in self.warning())
            else:
                want = "".join(f"out {line}\n" for line in printed.splitlines())
            (folder / f"{i}.want").write_text("exactly\n" + want + "ok\n")


def listed(users):
    return f"{users[0]} uses" if len(users) == 1 else ", ".join(users[:-1]) + f" and {users[-1]} use"


def outcome(thing):
    """Returns a thing's entries in words: two cells of the table."""
    users = [user for user, _ in users_of(thing)]
    answers = [{u: what(thing, u, place) for u in users} for place in PLACES]
    kinds = {u: {a[u] for a in answers} for u in users}
    warned = [u for u in users if kinds[u] == {"warned"}]
    beside = [u + " of the thing's own cell" for u in users if kinds[u] == {"followed", "warned"}]
    refused = [u + " (an error says so)" for u in users if kinds[u] == {"refused"}]
    followed = [u for u in users if "followed" in kinds[u]]
    others = "all others" if warned or beside or refused else "all"
    return others if followed else "", ", ".join(warned + beside + refused)


def markdown():
    groups = {}
    for thing in THINGS:
        groups.setdefault(outcome(thing), []).append(thing)
    lines = ["| defined anew | follow | keep the old one, with a warning |", "| --- | --- | --- |"]
    lines += [f"| {', '.join(things)} | {followed} | {warned} |" for (followed, warned), things in groups.items()]
    return "\n".join(lines) + "\n"

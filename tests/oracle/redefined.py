"""Notebooks drawn by seed in which names are defined anew, cells run again out of order and edited; what they have to print a
model in Python says: the newest definition of a name is what all code uses. A name keeps its kind, and refers to older names alone."""

import random

MODULUS = 97
HOST = ["variable", "function", "counter", "constant", "constexpr", "template", "method", "lambda", "pointer"]
DEVICE = ["device", "device_variable", "kernel"]
# The kinds that each kind of code may name. A pointer is a value and keeps its target, so nothing may be compiled into the target.
PLAIN = ["variable", "function"]
USES = {
    "variable": HOST[:2] + ["constexpr", "template", "method", "kernel"],
    "function": PLAIN + ["constant", "constexpr", "template", "method", "kernel"],
    "counter": PLAIN,
    "constant": [],
    "constexpr": ["constant", "constexpr"],
    "template": PLAIN + ["constant", "constexpr", "template", "method"],
    "method": PLAIN + ["constant", "constexpr", "template", "method"],
    "lambda": PLAIN + ["constexpr", "template"],
    "pointer": ["plain"],
    "device": ["constant", "device", "device_variable"],
    "device_variable": [],
    "kernel": ["constant", "device", "device_variable"],
}
STATEMENT = ["variable", "function", "constant", "constexpr", "template", "method", "lambda", "pointer", "kernel"]


class Name:
    def __init__(self, rank, kind):
        self.rank, self.kind, self.name = rank, kind, f"{kind[0]}{rank}"
        self.body = None  # of the definition that is drawn last, for `plain`


class Notebook:
    """cells: [(what the editor calls it, text, what it prints)]"""

    def __init__(self, seed, cells=8, device=True):
        self.rng = random.Random(seed)
        self.seed, self.kinds = seed, HOST + (DEVICE if device else [])
        self.names, self.known, self.cells = [], {}, []
        self.state = {}  # name: what it is now
        first = "#include <cstdio>\n" + ("int *box;\ncudaMallocManaged(&box, sizeof *box);\n" if device else "")
        self.cells.append(("first", first, ""))
        self.made = []  # (editor's name, definitions, statements), to be run again
        while len(self.cells) < cells:
            self.draw_cell()

    # ---- drawing

    def refers(self, kinds, below):
        plain = lambda n: n.kind == "function" and all(self.names[r].kind in PLAIN for r in self.ranks(n.body))
        return [n for n in self.names if n.rank < below and n.body is not None and (n.kind in kinds or ("plain" in kinds and plain(n)))]

    def ranks(self, e):
        """The names that an expression leads to."""
        if e[0] == "name":
            inner = self.names[e[1]]
            yield e[1]
            yield from self.ranks(e[2])
            yield from self.ranks(inner.body) if inner.kind == "function" else ()
        elif e[0] in "+*":
            yield from self.ranks(e[1])
            yield from self.ranks(e[2])

    def expression(self, kinds, below, x, depth=2):
        choices = self.refers(kinds, below)
        roll = self.rng.random()
        if choices and roll < (0.75 if depth == 2 else 0.4):
            n = self.rng.choice(choices[-6:])
            return ("name", n.rank, self.expression(kinds, below, x, depth - 1) if depth > 0 else ("n", self.rng.randint(1, 9)))
        if depth > 0 and roll < 0.9:
            return (self.rng.choice("+*"), self.expression(kinds, below, x, depth - 1), self.expression(kinds, below, x, 0))
        return ("x",) if x and self.rng.random() < 0.6 else ("n", self.rng.randint(1, 9))

    def draw_definition(self, taken):
        # A pointer's target may lead to a static variable by now, and then no other target may be left.
        fits = lambda n: n.kind != "pointer" or self.refers(["plain"], n.rank)
        old = [n for n in self.names if n.rank not in taken and n.body is not None and fits(n)]
        if old and self.rng.random() < 0.5:
            name = self.rng.choice(old)
        else:
            name = Name(len(self.names), self.rng.choice(self.kinds))
            name = name if fits(name) else Name(name.rank, "function")
            self.names.append(name)
        x = name.kind not in ("variable", "constant", "device_variable", "pointer")
        if name.kind == "pointer":
            body = ("name", self.rng.choice(self.refers(["plain"], name.rank)).rank, ("n", 0))
        elif name.kind in ("constant", "device_variable", "counter"):
            body = ("n", self.rng.randint(1, 90))
        else:
            body = self.expression(USES[name.kind], name.rank, x)
        return name, body

    def draw_cell(self):
        roll, rng = self.rng.random(), self.rng
        if self.made and roll < 0.25:
            again = rng.choice(self.made)
            return self.run(*again)
        edited = rng.choice(self.made)[0] if self.made and roll < 0.4 else f"cell{len(self.cells)}"
        definitions = []
        for _ in range(rng.randint(1, 4)):
            # A cell does not redefine what its pointers point to: that may be plain no more.
            taken = {n.rank for n, _ in definitions} | {body[1] for n, body in definitions if n.kind == "pointer"}
            definitions.append(self.draw_definition(taken))
            definitions[-1][0].body = definitions[-1][1]
        definitions.sort(key=lambda d: d[0].rank)
        statements = []
        for _ in range(rng.randint(1, 3)):
            changed = self.refers(["variable"], 1 << 30)
            counters = self.refers(["counter"], 1 << 30)
            if changed and rng.random() < 0.3:
                statements.append(("set", rng.choice(changed).rank, self.expression(STATEMENT, 1 << 30, False)))
            elif counters and rng.random() < 0.3:
                statements.append(("count", rng.choice(counters).rank, rng.randint(1, 9)))
            else:
                statements.append(("show", [self.expression(STATEMENT, 1 << 30, False) for _ in range(rng.randint(2, 4))]))
        self.made.append((edited, definitions, statements))
        self.run(edited, definitions, statements)

    # ---- the text

    def text(self, e):
        if e[0] == "n":
            return str(e[1])
        if e[0] == "x":
            return "x"
        if e[0] in "+*":
            return f"({self.text(e[1])} {e[0]} {self.text(e[2])})"
        n, argument = self.names[e[1]], f"({self.text(e[2])}) % {MODULUS}"
        if n.kind in ("variable", "constant", "device_variable"):
            return n.name
        if n.kind == "method":
            return f"{n.name}().at({argument})"
        if n.kind == "kernel":
            return f"run_{n.name}({argument})"
        return f"{n.name}({argument})"

    def definition(self, n, body):
        e, m = self.text(body), MODULUS
        return {
            "variable": f"int {n.name} = ({e}) % {m};",
            "function": f"int {n.name}(int x) {{ return ({e}) % {m}; }}",
            "counter": f"int {n.name}(int x) {{ static int n = {e}; n += x; return n % {m}; }}",
            "constant": f"constexpr int {n.name} = {e};",
            "constexpr": f"constexpr int {n.name}(int x) {{ return ({e}) % {m}; }}",
            "template": f"template <class T> T {n.name}(T x) {{ return ({e}) % {m}; }}",
            "method": f"struct {n.name} {{ int at(int x) const {{ return ({e}) % {m}; }} }};",
            "lambda": f"auto {n.name} = [](int x) {{ return ({e}) % {m}; }};",
            "pointer": f"int (*{n.name})(int) = {self.names[body[1]].name};" if n.kind == "pointer" else "",
            "device": f"__device__ int {n.name}(int x) {{ return ({e}) % {m}; }}",
            "device_variable": f"__device__ int {n.name} = {e};",
            "kernel": f"__global__ void {n.name}(int *out, int x) {{ *out = ({e}) % {m}; }}\n"
                      f"int run_{n.name}(int x) {{ {n.name}<<<1, 1>>>(box, x); cudaDeviceSynchronize(); return *box; }}",
        }[n.kind]

    def statement(self, s):
        if s[0] == "set":
            return f"{self.names[s[1]].name} = ({self.text(s[2])}) % {MODULUS};"
        if s[0] == "count":
            return f'printf("%d\\n", {self.names[s[1]].name}({s[2]}));'
        return f'printf("{" ".join("%d" for _ in s[1])}\\n", {", ".join(self.text(e) for e in s[1])});'

    # ---- the model

    def value(self, e, x=None):
        if e[0] == "n":
            return e[1]
        if e[0] == "x":
            return x
        if e[0] in "+*":
            a, b = self.value(e[1], x), self.value(e[2], x)
            return a + b if e[0] == "+" else a * b
        n, now = self.names[e[1]], self.state[e[1]]
        if n.kind in ("variable", "constant", "device_variable"):
            return now[0]
        return self.value(now[0], self.value(e[2], x) % MODULUS) % MODULUS

    def define(self, n, body):
        if n.kind in ("constant", "device_variable", "counter"):
            self.state[n.rank] = [body[1]]
        elif n.kind == "variable":
            self.state[n.rank] = [self.value(body) % MODULUS]
        elif n.kind == "pointer":  # the code as it is now; what that calls is found when it does
            self.state[n.rank] = [self.state[body[1]][0]]
        else:
            self.state[n.rank] = [body]

    def perform(self, s):
        if s[0] == "set":
            self.state[s[1]][0] = self.value(s[2]) % MODULUS
            return ""
        if s[0] == "count":
            self.state[s[1]][0] += s[2]
            return f"{self.state[s[1]][0] % MODULUS}\n"
        return " ".join(str(self.value(e)) for e in s[1]) + "\n"

    def run(self, edited, definitions, statements):
        lines = [self.definition(n, body) for n, body in definitions] + [self.statement(s) for s in statements]
        for n, body in definitions:
            self.define(n, body)
            n.body = body
        printed = "".join(self.perform(s) for s in statements)
        self.cells.append((edited, "\n".join(lines) + "\n", printed))

    def write(self, folder):
        """The notebook as a case of tests/cells."""
        folder.mkdir(parents=True)
        for i, (edited, text, printed) in enumerate(self.cells, 1):
            (folder / f"{i}.id").write_text(edited)
            (folder / f"{i}.cu").write_text(text)
            (folder / f"{i}.want").write_text("exactly\n" + "".join(f"out {line}\n" for line in printed.splitlines()) + "ok\n")

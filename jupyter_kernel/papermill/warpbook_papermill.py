"""papermill's parameters as C++, for the kernel `warpbook`: `papermill -p n 5 in.ipynb out.ipynb`.

papermill knows how to write a cell of parameters for some languages only; others register theirs in its table. It
loads what packages offer as "papermill.engine" when it is imported, so that is where this module hooks in; the engine
of that name is papermill's ordinary one.
"""

import math
import re

from papermill.engines import NBClientEngine
from papermill.exceptions import PapermillException
from papermill.models import Parameter
from papermill.translators import Translator, papermill_translators

Engine = NBClientEngine  # what the entry point names
INT = 2**31
DECLARATION = re.compile(
    r"^\s*(?:(?:const|constexpr|static)\s+)*(?P<type>[A-Za-z_][\w:<>, ]*?[\s*&>])\s*(?P<name>[A-Za-z_]\w*)\s*"
    r"(?:=\s*(?P<value>[^;]*)|\{(?P<braced>[^;]*)\})?;\s*(?://\s*(?P<help>.*))?$")


def common(types):
    """The one type that all elements of a list have; whole numbers among others become such."""
    for numbers in (["int", "long long"], ["int", "long long", "double"]):
        if set(types) <= set(numbers):
            return max(types, key=numbers.index)
    if len(set(types)) == 1:
        return types[0]
    raise PapermillException(f"a C++ list has elements of one type, not of {', '.join(sorted(set(types)))}")


def type_of(value):
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        if not -(2**63) < value < 2**63:
            raise PapermillException(f"{value} is beyond C++'s 64 bits")
        return "int" if -INT < value < INT else "long long"
    if isinstance(value, float):
        return "double"
    if isinstance(value, (list, tuple)):
        return f"std::vector<{common([type_of(v) for v in value] or ['double'])}>"
    if isinstance(value, dict):
        return f"std::map<std::string, {common([type_of(v) for v in value.values()] or ['double'])}>"
    if value is None:
        raise PapermillException("a C++ variable has a type, which None does not give it")
    return "std::string"


def text_of(value):
    """A string literal, byte by byte where a character is not plain. Octal escapes end after three digits."""
    return '"' + "".join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}" for b in value.encode()) + '"'


def value_of(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isfinite(value):
            return repr(value)
        return "__builtin_nan(\"\")" if math.isnan(value) else "-"[: value < 0] + "__builtin_inf()"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, (list, tuple)):
        return "{" + ", ".join(map(value_of, value)) + "}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{{{text_of(str(k))}, {value_of(v)}}}" for k, v in value.items()) + "}"
    return text_of(str(value))


class CudaTranslator(Translator):
    """A definition each; a notebook's own, in its cell tagged `parameters`, is replaced by it."""

    @classmethod
    def translate(cls, val):
        return value_of(val)

    @classmethod
    def comment(cls, cmt_str):
        return f"// {cmt_str}".strip()

    @classmethod
    def codify(cls, parameters, comment="Parameters"):
        lines = [f"{type_of(value)} {name} = {value_of(value)};" for name, value in parameters.items()]
        headers = [f"#include <{h}>" for h in ("map", "string", "vector") if any(f"std::{h}" in line for line in lines)]
        return "\n".join([cls.comment(comment), *headers, *lines]) + "\n"

    @classmethod
    def inspect(cls, parameters_cell):
        """Returns the list for `papermill --help-notebook`: one definition a line."""
        found = (DECLARATION.match(line) for line in parameters_cell["source"].splitlines())
        return [Parameter(name=m["name"], inferred_type_name=m["type"].strip(), help=(m["help"] or "").strip(),
                          default=(m["value"] or m["braced"] or "").strip()) for m in found if m]


for kernel in ("warpbook", "warpbook-zh"):
    papermill_translators.register(kernel, CudaTranslator)

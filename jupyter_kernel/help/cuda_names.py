"""cuda_names.py FOLDER: the functions and enumerators that CUDA's headers declare, for Tab and Shift-Tab, as JSON: a sorted list
of [name, declaration, first sentence of its documentation, "function" or "enumerator"]. A missed name costs only a completion."""

import json
import re
import sys
from pathlib import Path

HEADERS = ["cuda_runtime_api.h", "driver_types.h", "cublas_api.h", "crt/device_functions.h", "crt/math_functions.h"]
COMMENT = r"/\*(?:\*(?!/)(?P<{0}>.*?)|.*?)\*/"
ITEM = re.compile(COMMENT.format("doc") + r"|(?://|#)(?:\\.|[^\n])*|\b(?:typedef )?enum [^{;]*(?:;|\{(?P<body>(?:/\*.*?\*/|[^}])*))"
                  r"|(?:extern __host__|extern __DEVICE_FUNCTIONS_DECL__|__DEVICE_FUNCTIONS_DECL__|CUBLASAPI"
                  r"|cublasStatus_t CUBLASWINAPI)(?P<declared>[^;{#]*)|\w+", re.S)
ENUMERATOR = re.compile(COMMENT.format("doc") + r"|(?:#|//)[^\n]*|(?P<name>\w+)(?:(?!/\*)[^,}\n])*,?[ \t]*(?:/\*\*<(?P<after>.*?)\*/)?", re.S)
NOISE = set("""extern __host__ CUDARTAPI CUDARTAPI_CDECL CUBLASAPI CUBLASWINAPI __cudart_builtin__ __device_builtin__
    __CUDA_MATH_CRTIMP __cdecl __THROW __DEVICE_FUNCTIONS_DECL__ _CRTIMP __forceinline__ __inline__""".split())


def brief(comment):
    """The text of a comment up to the first empty line or command."""
    words = []
    for line in (comment or "").partition("\\brief")[2].splitlines() or (comment or "").splitlines():
        line = line.lstrip(" \t*<").rstrip()
        if words and (not line or line[0] == "\\"):
            break
        words += [re.sub(r"\\\S+\s?", "", line).replace("::", "")] if line else []
    return " ".join(words)


def clean(declaration):
    words = re.sub(r"\w+", lambda word: "" if word[0] in NOISE else word[0], declaration)
    words = re.sub(r"\s*__dv\(([^)]*)\)", r" = \1", re.sub(r"(cublas\w{3,})_v2\b", r"\1", words))
    return re.sub(r"\( ", "(", " ".join(words.split()))


def names_of(text):
    doc = None
    for item in ITEM.finditer(text):
        if item["doc"] is not None:
            doc = item["doc"]
        elif item["body"] is not None:
            doc = None
            for value in ENUMERATOR.finditer(item["body"]):
                if value["name"] and len(value["name"]) > 3:
                    yield value["name"], "", brief(doc if value["after"] is None else value["after"]), "enumerator"
                doc = value["doc"]
        elif item["declared"] is not None:
            signature = clean(item[0])
            name = re.search(r"(?<=[\s*])([A-Za-z_]\w{2,})\(", signature)
            if name and "(" not in signature[:name.start()] and not name[1].startswith("__attr"):
                yield name[1], signature, brief(doc), "function"
            doc = None


def main():
    found = {}
    for header in HEADERS:
        path = Path(sys.argv[1]) / header
        for name in names_of(path.read_text(errors="replace") if path.exists() else ""):
            if name[0] not in found or not found[name[0]][2]:
                found[name[0]] = name
    print(json.dumps(sorted(found.values())))


if __name__ == "__main__":
    main()

"""Records as C99: a ``struct`` for each, of 8-byte words; arrays laid out are words that say how far on they begin."""

from __future__ import annotations

from latchwork.program.naming import KEYWORDS, legal
from latchwork.program.records.shape import SHAPES, Field, Shape

TYPE = {"f64": "double", "i64": "int64_t", "bit": "int", "f64p": "double *", "i64p": "int64_t *", "i32p": "int32_t *",
        "executor": "lw_executor", "solver": "lw_solver", "routine": "lw_routine"}  # fmt: skip
FUNCTIONS = {
    "lw_executor": "typedef void (*lw_executor)(int32_t *, double *, double *);",
    "lw_solver": f"typedef void (*lw_solver)(int64_t, int64_t, {', '.join(['double *'] * 9)});",
    "lw_routine": "typedef int64_t (*lw_routine)(int64_t *);",
}


def c_type(kind: str) -> str:
    """The type of a value: records, and records one after the other, are pointers."""
    return TYPE[kind] if kind in TYPE else f"{structure_name(kind)} *"


def structure_name(kind: str) -> str:
    """The name of a record in C."""
    return f"lw_{kind.removesuffix('[]').rpartition('.')[2]}"


def declared(kind: str, name: str) -> str:
    """``double *x``, ``int64_t n``."""
    text = c_type(kind)
    return f"{text}{name}" if text.endswith("*") else f"{text} {name}"


def add_structures(found: dict[str, str], kinds: list[str]) -> None:
    """The definitions of records and of all that they are made of, those inside first; each is written once."""
    for kind in kinds:
        if kind not in found:
            add_structures(found, [part.name for part in SHAPES[kind].parts])
            found[kind] = structure(SHAPES[kind])


def structure(shape: Shape) -> str:
    """One definition, and a check that the compiler places its fields as Latchwork does."""
    name, fields = structure_name(shape.name), shape.fields.values()
    lines = [f"typedef struct {name} {{", *(f"    {member(field)}" for field in fields), f"}} {name};"]
    return "\n".join([*lines, f"typedef char {name}_in_words[sizeof({name}) == {8 * shape.words} ? 1 : -1];"])


def member(field: Field) -> str:
    """The declaration of a field."""
    name = legal(field.name, KEYWORDS)
    if field.size:
        where = f"{c_type(field.type).removesuffix(' *')}[{field.size}]"
        return f"int64_t {name}; /* {where}: so many words behind the beginning */"
    if field.count is not None:
        kind = structure_name(field.type) if field.type.endswith("[]") else TYPE[field.type].removesuffix(" *")
        count = 2 * field.words if field.type == "i32p" else field.count
        return f"{kind} {name}[{count}];"
    if field.type in SHAPES and not field.is_pointer:
        return f"{structure_name(field.type)} {name};"
    return f"{declared(field.type, name)};"


def access(whole: str, field: Field) -> str:
    """A field of the record at an address: a value, or where an array or a record inside begins."""
    name = legal(field.name, KEYWORDS)
    if field.size:
        return f"(({c_type(field.type)})((int64_t *){whole} + {whole}->{name}))"
    inside = field.type in SHAPES and not field.is_pointer
    return f"(&{whole}->{name})" if inside else f"{whole}->{name}"

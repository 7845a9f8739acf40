"""LLVM: its text becomes object code, and object code becomes functions of this process.

The two steps are apart so that object code can come from a cache or from another process. Strict IEEE 754: neither
the text nor the passes reassociate, contract or flush.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from latchwork.program.cache import cached

LEVEL = 1  # of code generation: as fast as 2 on what we generate, and quicker to build
PASSES = ("always_inliner", "sroa", "simplify_cfg", "instruction_combine", "simplify_cfg")
LOOPS = ("loops",)  # LLVM's own pipeline, with loops in vectors: a third of the time to run, four times that to build


class Linked(NamedTuple):
    """Functions of this process: their addresses, and the engine that owns their code, to be kept as long as they."""

    addresses: list[int]
    engine: Any


def _llvm() -> Any:
    """llvmlite, imported when machine code is first needed."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@cache
def _processor() -> tuple[str, str]:
    """This processor: its name, and all it can do."""
    llvm = _llvm()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def _machine(llvm: Any) -> Any:
    """Code for this processor."""
    cpu, features = _processor()
    return llvm.Target.from_default_triple().create_target_machine(cpu=cpu, features=features, opt=LEVEL, jit=True)


def object_code(text: str, passes: Sequence[str] = PASSES) -> bytes:
    """The object code of a module for this processor, from the cache where it is known."""
    return named_code(text, lambda: text, passes)


def named_code(name: str, write: Callable[[], str], passes: Sequence[str] = PASSES) -> bytes:
    """The object code of a module whose text a name determines; the text is written where the cache has no code."""
    llvm = _llvm()
    version = ".".join(map(str, llvm.llvm_version_info))
    target = " ".join([llvm.get_default_triple(), *_processor()])
    return cached((name, version, target, str(LEVEL), *passes), lambda: _compile(llvm, write(), passes))


def _compile(llvm: Any, text: str, passes: Sequence[str]) -> bytes:
    """Optimise a module and generate its code."""
    machine, module = _machine(llvm), llvm.parse_assembly(text)
    options = llvm.create_pipeline_tuning_options(speed_level=LEVEL if passes != LOOPS else 2)
    options.loop_vectorization, options.loop_unrolling = passes == LOOPS, False
    builder = llvm.create_pass_builder(machine, options)
    manager = builder.getModulePassManager() if passes == LOOPS else llvm.create_new_module_pass_manager()
    for name in passes if passes != LOOPS else ():
        getattr(manager, f"add_{name}_pass")()
    manager.run(module, builder)
    return bytes(machine.emit_object(module))


def link(code: bytes, symbols: Sequence[str], outside: Mapping[str, int]) -> Linked:
    """Load object code. ``outside`` are the addresses it needs."""
    llvm = _llvm()
    for name, address in outside.items():
        llvm.add_symbol(name, address)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine(llvm))
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return Linked([int(engine.get_function_address(symbol)) for symbol in symbols], engine)

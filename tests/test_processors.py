"""The same bits on every processor: nothing that a run decides by goes through what a library chooses for the machine.

OpenBLAS takes its kernels by the processor, NumPy its vector loops; both can be told to act as on an older one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from campaign import seeds
from latchwork.view import gallery
from run_digests import digest_of

TESTS = Path(__file__).resolve().parent
OLD = {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3"}
SHORT = ["aghili_slider_crank", "block_on_incline", "patoglu_2_fence", "23", "125"]  # numbers: random scenes


def digests(names: list[str], processor: dict[str, str]) -> list[str]:
    """A line for each run, in a process of its own that takes itself to be on another processor."""
    command = [sys.executable, "-W", "ignore", str(TESTS / "run_digests.py"), *names]
    found = subprocess.run(command, env=os.environ | processor, capture_output=True, text=True, check=True)
    return found.stdout.splitlines()


@pytest.mark.skipif(sys.platform != "linux" or os.uname().machine != "x86_64", reason="these cores are of x86-64")
@pytest.mark.parametrize("names", seeds([SHORT], [[name] for name in gallery.NAMES]))
def test_runs_end_in_the_same_bits_on_another_processor(names):
    """Examples and random scenes here, and as on a processor without the vector loops of NumPy and OpenBLAS."""
    assert digests(names, OLD) == [f"{name} {digest_of(name)}" for name in names]

"""Sphinx configuration. The pages build offline and load nothing from a network."""

import sys
import tomllib
from pathlib import Path

import latchwork

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))

# Names that the package loads on first use are loaded now, so that the API reference has all of them.
vars(latchwork).update({name: getattr(latchwork, name) for name in latchwork.__all__})

project = "Latchwork"
author = "The Latchwork authors"
copyright = author
release = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
version = release

extensions = ["myst_parser", "sphinx.ext.autodoc", "api_pages", "docstrings", "mathml", "offline"]
exclude_patterns = ["_build"]

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
add_module_names = False

html_theme = "furo"
html_title = f"Latchwork {release}"
html_static_path = ["_static"]
html_css_files = ["latchwork.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False

"""Mathematics as MathML, written when the pages are built: no script, no font, nothing to fetch.

Sphinx hands over LaTeX (``$...$``, ``$$...$$``, the math directive); latex2mathml translates it. What it cannot
translate is a warning with the place in the source, so that a build with ``-W`` never ships a broken formula.
"""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ET

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)

MATHML = "http://www.w3.org/1998/Math/MathML"
ET.register_namespace("", MATHML)

# latex2mathml knows the outer form of these environments only.
INNER = re.compile(r"\\(begin|end)\{(?:aligned|split|gathered)\}")


def polish(root: ET.Element) -> None:
    """What TeX does and latex2mathml leaves out: thin spaces around the names of functions."""
    for name in root.iter(f"{{{MATHML}}}mi"):
        if re.fullmatch("[a-z]{2,}", name.text or ""):  # sin, cos
            name.tag = f"{{{MATHML}}}mo"
            name.attrib |= {"lspace": "0.167em", "rspace": "0.167em"}


def mathml(latex: str, display: str, node: nodes.Node) -> str:
    """One ``<math>`` element; ``display`` is ``inline`` or ``block``."""
    source = INNER.sub(r"\\\1{align*}", latex.strip())
    try:
        root = ET.fromstring(convert(source, display=display))
    except Exception as error:
        logger.warning("cannot translate the formula %r: %s", latex, error, location=node)
        return f"<code>{html.escape(latex)}</code>"
    unknown = next((item.text for item in root.iter() if (item.text or "").strip().startswith("\\")), None)
    if unknown:
        logger.warning("unknown command %s in the formula %r", unknown, latex, location=node)
    polish(root)
    return ET.tostring(root, encoding="unicode")


def visit_inline(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(f'<span class="math notranslate">{mathml(node.astext(), "inline", node)}</span>')
    raise nodes.SkipNode


def visit_block(self: HTML5Translator, node: nodes.math_block) -> None:
    self.body.append(self.starttag(node, "div", CLASS="math notranslate"))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append(mathml(node.astext(), "block", node))
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}

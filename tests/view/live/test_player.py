"""The player in a browser."""

from __future__ import annotations

import html

import latchwork as lw
from latchwork.view.animate import page
from latchwork.view.scene import scene


def test_a_player_fits_the_frame_that_it_gets_later(browser, tmp_path):
    """A notebook lays a frame out when it comes into sight: the picture is then drawn in all pixels that it has."""
    model = lw.Model("pendulum")
    arm = model.revolute("arm", q=["q"], u=["w"])
    model.particle("bob", arm.origin.at("tip", 0.5 * arm.frame.x), 2.0)
    player = page(scene(lw.simulate(model, until=1.0, q={"q": 0.3}, u={"w": 1.0})))
    file = tmp_path / "frame.html"
    file.write_text(f'<iframe id="it" style="display:none;width:600px;height:400px" srcdoc="{html.escape(player)}">',
                    encoding="utf-8")  # fmt: skip
    tab = browser.new_page()
    tab.goto(file.as_uri())
    tab.wait_for_timeout(300)
    tab.evaluate("() => { document.getElementById('it').style.display = 'block'; }")
    tab.wait_for_timeout(500)
    wide = tab.frames[1].evaluate("[picture.width, Math.round(picture.clientWidth * devicePixelRatio)]")
    assert wide[0] == wide[1] > 300
    tab.close()

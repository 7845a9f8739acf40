"""A page in a browser, for tests."""

from __future__ import annotations

from typing import Any

from live_house import House, until


class Page:
    """A page in a browser, with what it complained about."""

    def __init__(self, browser: Any, house: House, name: str = "", **context: Any) -> None:
        self.context = browser.new_context(**{"viewport": {"width": 960, "height": 640}} | context)
        self.tab = self.context.new_page()
        self.complaints: list[str] = []
        self.tab.on("console", self._said)
        self.tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.tab.goto(f"{house.origin}/{f'#{name}' if name else ''}")
        if name:
            self.wait("app.bench && app.bench.head.t > 0")

    def _said(self, message: Any) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    def look(self, script: str, *given: Any) -> Any:
        return self.tab.evaluate(script, *given)

    def wait(self, script: str, seconds: float = 30.0) -> Any:
        return until(lambda: self.look(script), seconds, script, 0.04)

    def head(self, name: str) -> float:
        return self.look(f"app.bench.head['{name}']")

    def pixel(self, place: list[float]) -> list[float]:
        """Where in the window a place of the mechanism is."""
        return self.look("""(p) => { const d = app.bench.drawing, box = d.canvas.getBoundingClientRect();
                            const at = d.screen(p); return [at[0] + box.left, at[1] + box.top]; }""",
                         place)  # fmt: skip

    def dot(self, name: str) -> list[float]:
        """Where a dot of the mechanism is, by its name."""
        return self.look("""(name) => { const b = app.bench, item = b.scene.dots.find((dot) => dot.name === name);
                            return Array.from(b.drawing.row(item.at, 3)); }""", name)  # fmt: skip

    def plotted(self, name: str) -> float:
        """A quantity in the last frame."""
        return self.look("(name) => app.bench.frame[app.bench.plotsAt + app.bench.described.plots.indexOf(name)]", name)

    def drag(self, places: list[list[float]], pause: float = 25) -> None:
        """Press at the first place, move along the others; the button stays down."""
        self.tab.mouse.move(*self.pixel(places[0]))
        self.tab.mouse.down()
        for place in places[1:]:
            self.tab.mouse.move(*self.pixel(place))
            self.tab.wait_for_timeout(pause)

    def close(self) -> None:
        self.context.close()

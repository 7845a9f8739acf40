"""A scene as pictures: the second way to draw what ``view/scene.py`` describes, besides the page's."""

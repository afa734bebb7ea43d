"""A backend for matplotlib whose windows are the slide: `pyplot.show()` shows every figure there, then closes them all.

It is a backend as matplotlib's documentation describes one ("Writing a backend -- the pyplot interface").
"""

from __future__ import annotations

import io

from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from triton_workshop.images import show_image

SHARPNESS = 2
"""Pixels for each that the figure asks for: a slide is larger than the window that a figure is made for."""


class FigureManager(FigureManagerBase):
    """Stands for a figure's window."""

    def show(self) -> None:
        figure = self.canvas.figure
        drawn = io.BytesIO()
        figure.savefig(drawn, format="png", dpi=SHARPNESS * figure.dpi)
        show_image(Image.open(drawn))

    @classmethod
    def start_main_loop(cls) -> None:
        """Called once all are shown, to wait until their windows are closed: here they are at once."""
        Gcf.destroy_all()


class FigureCanvas(FigureCanvasAgg):
    """Draws in memory; matplotlib looks for this name."""

    manager_class = FigureManager

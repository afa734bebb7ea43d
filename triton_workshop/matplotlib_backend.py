"""matplotlib backend for slides.

`pyplot.show()` shows every figure in the slide, then closes them all. It follows matplotlib's documentation ("Writing a
backend -- the pyplot interface").
"""

from __future__ import annotations

import io

from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from triton_workshop.images import show_image

SHARPNESS = 2
"""Pixels per pixel that the figure asks for.

A slide is larger than the window that figures are made for.
"""


class FigureManager(FigureManagerBase):
    """Takes the place of a figure's window."""

    def show(self) -> None:
        """Show the figure in the slide."""
        figure = self.canvas.figure
        drawn = io.BytesIO()
        figure.savefig(drawn, format="png", dpi=SHARPNESS * figure.dpi)
        show_image(Image.open(drawn))

    @classmethod
    def start_main_loop(cls) -> None:
        """Close all figures.

        matplotlib calls this after all are shown, to wait until their windows are closed; here there is nothing to wait
        for.
        """
        Gcf.destroy_all()


class FigureCanvas(FigureCanvasAgg):
    """Draws in memory; matplotlib looks for this name."""

    manager_class = FigureManager

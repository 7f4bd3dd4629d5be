"""The learning curve of a training, as SVG."""

from __future__ import annotations

import io
from collections.abc import Sequence

from ravenbench.verifiers.neural.training.loop import Epoch


def learning_curve(history: Sequence[Epoch], measure: str = "AUC, held-out authors") -> bytes:
    """Loss of every epoch, and below it the held-out value where there is one; the epoch whose weights were kept is
    marked. Equal histories give equal bytes."""
    import matplotlib
    from matplotlib.figure import Figure

    held = [(e.epoch, e.held_out) for e in history if e.held_out is not None]
    settings = {"svg.hashsalt": "raven", "svg.fonttype": "none", "axes.spines.top": False, "axes.spines.right": False}
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(6, 3.6 if held else 2), layout="constrained")
        axes = figure.subplots(2 if held else 1, sharex=True, squeeze=False)[:, 0]
        axes[0].plot([e.epoch for e in history], [e.loss for e in history], ".-", color="C0")
        axes[0].set_ylabel("loss")
        if held:
            epochs, values = zip(*held, strict=True)
            axes[1].plot(epochs, values, ".-", color="C1")
            kept = max(held, key=lambda pair: (pair[1], -pair[0]))
            axes[1].plot(*kept, "o", color="C1", markersize=8, fillstyle="none")
            axes[1].annotate("kept", kept, textcoords="offset points", xytext=(8, -3))
            axes[1].set_ylabel(measure)
        axes[-1].set_xlabel("epoch")
        axes[-1].xaxis.get_major_locator().set_params(integer=True)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()

"""What is handed back: rankings, explanations, suggestions."""

import json

import numpy as np

from ._html import bars_html, table_html
from ._table import Table, frame


_PARTS = ("own", "echo", "labelled", "others", "constant", "unconverged")


class Ranking(Table):
    """Nodes by how probably they are of one class, the likeliest first: columns
    rank, node, probability.

    Attributes
    ----------
    threshold : the probability of the list's last node
    expected : what the list holds, with 95 % intervals, as a dict
    everything : all that `kith rank --json` tells
    """

    def __init__(self, text, nodes, probabilities, listed):
        self.everything = json.loads(text)
        self.expected = {
            k: self.everything.get(k) for k in ("precision", "recall", "prevalence")
            if k in self.everything}
        self.threshold = float(probabilities[listed - 1]) if listed else None
        super().__init__({
            "rank": np.arange(1, listed + 1),
            "node": nodes[:listed],
            "probability": np.array(probabilities[:listed]),
        })

    @property
    def nodes(self):
        return self["node"]

    def to_frame(self):
        return frame(self.to_dict())


class Suggestions(Table):
    """Nodes worth labelling next, the best first: columns node, score,
    uncertainty, influence."""

    @property
    def nodes(self):
        return self["node"]

    def to_frame(self):
        return frame(self.to_dict())


class Explanation:
    """Why a node got its belief in a class.

    Attributes
    ----------
    text : a few plain sentences
    belief, probability : of the class
    contributions : what every node adds to the belief, in the order of the
        graph's ids; None where the features say it all
    parts : the sum, by name
    everything : all that `kith explain --json` tells
    """

    def __init__(self, text, told, html, contributions):
        self.text = text
        self.everything = json.loads(told)
        self.html = html
        self.contributions = contributions
        self.belief = self.everything.get("belief")
        self.probability = self.everything.get("probability")

    @property
    def parts(self):
        return {k: self.everything[k] for k in _PARTS if self.everything.get(k)}

    def save(self, path):
        """Write it as one HTML page."""
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.html)

    def __repr__(self):
        return self.text

    def _repr_html_(self):
        rows = [(k, v, f"{v:+.4f}") for k, v in self.parts.items()
                if isinstance(v, (int, float))]
        return table_html([("why", self.text)]) + bars_html(rows, "parts of the belief")

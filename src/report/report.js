/* The page about a model, from what a person wants to know first. */
function themeButton() {
  var root = document.documentElement;
  return h("button", { type: "button", onclick: function () {
    var dark = root.getAttribute("data-theme") === "dark" ||
      (!root.getAttribute("data-theme") && window.matchMedia("(prefers-color-scheme: dark)").matches);
    root.setAttribute("data-theme", dark ? "light" : "dark");
  } }, "light / dark");
}
function sentence(text) { return text ? text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".") : ""; }
function top() {
  page.appendChild(h("header", {}, h("div", { "class": "bar-top" }, h("h1", {}, name(D.title)),
    h("div", { "class": "controls" }, themeButton(),
      h("button", { type: "button", onclick: function () { window.print(); } }, "print"))),
    h("p", { "class": "headline" }, sentence(D.say.headline)),
    h("p", {}, sentence(D.say.learnt), D.say.evidence ? " " + sentence(D.say.evidence) : "")));
}
function trustTile() {
  return h("section", { "class": "tile trust " + D.trust.replace("a ", "") }, h("h2", {}, "Can it be trusted?"),
    h("p", { "class": "big" }, sentence(D.trust === "unknown" ? "not known" : D.trust)), h("p", {}, sentence(D.say.meaning)),
    D.judged ? h("p", {}, h("a", { href: "#trust" }, "Why")) : null);
}
/* What the answers do not tell by themselves. */
function blindTile() {
  var list = [], e = D.evidence, J = D.judged, isolated = 0;
  D.cleaning.forEach(function (c) { if (c[0] === "nodes without any edge") isolated = c[1]; });
  if (e && e[0]) list.push(count(e[0]) + " nodes without any evidence: nothing known reaches them, they are called nothing");
  if (e && e[1]) list.push(count(e[1]) + " with weak evidence: known nodes are far away");
  if (!e) list.push("How much of what is known reaches each node: this method does not tell");
  if (isolated) list.push(count(isolated) + (isolated === 1 ? " node" : " nodes") + " without any link");
  var rare = D.classes.filter(function (c) { return c[1] < 5; }).length;
  if (rare) list.push((D.class_count > 2 ? count(rare) + " of " + count(D.class_count) + " classes have" : rare > 1 ? "Both classes have" : "One class has") + " fewer than 5 known nodes");
  if (D.chosen_by && J) list.push("The judged nodes also tuned it: expect a little less");
  if (J && J.nodes >= 100 && J.ece > .1) list.push("Its percentages are off by " + share(J.ece) + " on average: trust the order, not the numbers");
  list.push("A node of a kind that is not among the known: it is called one of the " + count(D.class_count) + " classes");
  return h("section", { "class": "tile" }, h("h2", {}, "What it cannot see"), h("ul", {}, list.slice(0, 5).map(function (t) { return h("li", {}, t); })));
}
function lists() {
  var all = [];
  if (D.likely.length) all.push({ name: "Most likely " + kind(D.positive).replace("of ", ""), file: "likely",
    text: "Unknown nodes, the most likely first.", rows: D.likely });
  if (D.uncertain.length) all.push({ name: "Least certain", file: "uncertain", text: "Unknown nodes, the least certain first: a label here tells most.", rows: D.uncertain });
  if (D.surprising.length) all.push({ name: "Most surprising", file: "surprising",
    text: "The label given disagrees with the answer: an error in one of them.", rows: D.surprising });
  section("Look at these first");
  page.appendChild(h("p", { "class": "soft noprint" }, "Choose a node to see why."));
  if (all.length) page.appendChild(listOf(all));
  else page.appendChild(h("p", {}, "There is no unknown node with evidence."));
}
function scores(J) {
  var rows = [["accuracy", J.accuracy, "share of nodes that are named right"],
    ["AUC", J.auc, D.positive >= 0 ? "how often one that is " + kind(D.positive) + " ranks above one that is not; .5 is chance" : "the same for each class against the rest; .5 is chance"],
    ["average precision", J.average_precision, "precision along the list; chance is the share of the class"],
    ["macro-F1", J.macro_f1, "every class counts alike, rare ones too"],
    ["log-loss", J.log_loss, "surprise at the truth; 0 is best"]];
  return card("Scores", scroll("Scores", h("table", {}, h("thead", {}, h("tr", {}, ["score", "value", "95 %", "it is"].map(function (t, i) {
    return h("th", { scope: "col", "class": i === 1 || i === 2 ? "num" : null }, t);
  }))), h("tbody", {}, rows.filter(function (r) { return !none(r[1][0]); }).map(function (r) {
    return h("tr", {}, h("th", { scope: "row" }, r[0]), h("td", { "class": "num" }, score(r[1][0])),
      h("td", { "class": "num" }, none(r[1][1]) ? "–" : range(r[1][1], r[1][2], score)), h("td", { "class": "soft" }, r[2]));
  }), h("tr", {}, h("th", { scope: "row" }, "ECE"), h("td", { "class": "num" }, score(J.ece)), h("td", { "class": "num" }, "–"),
    h("td", { "class": "soft" }, "how far its percentages are off; on few nodes too high"))))));
}
/* Precision and recall of one class behind a choice, from the confusion. */
function oneClass(J) {
  var n = J.confusion_of.length, body = h("tbody");
  var pick = h("select", { "aria-label": "Class", onchange: show }, J.confusion_of.map(function (c, i) {
    return c < 0 ? null : h("option", { value: i }, className(c));
  }));
  function show() {
    var i = +pick.value, of = 0, said = 0, hit = J.confusion[i * n + i];
    for (var k = 0; k < n; k++) { of += J.confusion[i * n + k]; said += J.confusion[k * n + i]; }
    body.textContent = "";
    [["right, of those it names so", hit, said], ["found, of those that are so", hit, of]].forEach(function (r) {
      var w = wilson(r[1], r[2]);
      body.appendChild(h("tr", {}, h("th", { scope: "row" }, r[0]), h("td", { "class": "num" }, r[2] ? share(r[1] / r[2]) : "–"),
        h("td", { "class": "num" }, r[2] ? range(w[0], w[1], share) : "–"), h("td", { "class": "num" }, count(r[1]) + " of " + count(r[2]))));
    });
  }
  show();
  return card("One class", h("p", {}, pick), h("table", { "class": "one" }, body), hint("Share, its 95 % interval, and the counts behind it." +
    (J.confusion_of.indexOf(-1) < 0 ? "" : " The choice: the " + (n - 1) + " largest of " + D.class_count + " classes.")));
}
function trustSection() {
  var J = D.judged;
  page.appendChild(h("h2", { id: "trust" }, "Can it be trusted?"));
  page.appendChild(h("p", { "class": "soft" }, J ? "Judged on " + count(J.nodes) + " nodes that were not learnt from: " + J.what + "."
    : "No labelled node was left to judge by: name a split, or give labels of nodes that were not learnt from."));
  if (!J) return;
  cards(D.review ? reviewChart() : null, reliability(J.reliability),
    D.positive >= 0 && D.review ? confusionAtCut() : oneClass(J));
  cards(scores(J), D.positive >= 0 ? null : heat("Confusion: rows are the truth, columns the answer", J.confusion, null, false,
    J.confusion_of.indexOf(-1) < 0 ? "Strong colour off the diagonal: these two are taken for one another."
      : "The " + (J.confusion_of.length - 1) + " largest of " + D.class_count + " classes; the others are counted together.", J.confusion_of));
}
function coupling() {
  var above = "Above 0 (blue): such nodes like to be linked. ";
  var below = "Below 0 (orange, with a minus): such nodes avoid each other.";
  var titles = { given: "Coupling (given, not learnt)", fitted: "Coupling fitted to the labels",
    chosen: "Coupling (homophily, its strength chosen)" };
  if (!D.coupling) {
    if (D.class_count > 24 && D.has_coupling)
      page.appendChild(h("p", { "class": "soft" }, "The coupling of " + D.class_count + " classes is too large to show."));
    return [];
  }
  var most = Math.max.apply(null, D.coupling.concat(D.coupling_start || []).map(Math.abs));
  return D.coupling_start
    ? [heat("Coupling at the start", D.coupling_start, most, true, above),
      heat("Coupling learnt", D.coupling, most, true, below)]
    : [heat(titles[D.coupling_how], D.coupling, most, true, above + below)];
}
function learntSection() {
  section("What did it learn?");
  if (D.learnt_words.length) page.appendChild(h("ul", { "class": "said" }, D.learnt_words.map(function (t) { return h("li", {}, t); })));
  if (!D.weights.learnt) page.appendChild(h("p", { "class": "soft" }, "Edge weights are as given, from the degrees at both ends: " +
    (D.lcm ? "not learning them was chosen." : "method " + D.method + " does not learn them.")));
  var w = D.weights, who = w.guessed ? " (classes as labelled, else as predicted)" : "";
  var H = coupling(), rest = [histogram((w.learnt ? "Edge weights at the start" : "Edge weights") + who,
      w.same_before, w.other_before, w.low, w.high, w.means.slice(0, 2)),
    w.learnt ? histogram("Edge weights learnt", w.same_after, w.other_after, w.low, w.high, w.means.slice(2)) : null];
  if (H.length === 2 || D.class_count > 8) { cards.apply(null, H); cards.apply(null, rest); }
  else cards.apply(null, H.concat(rest));
}
function balance() {
  var shown = D.classes.map(function (c, i) { return [i, c]; })
    .sort(function (a, b) { return b[1][2] - a[1][2]; }).slice(0, 12);
  var known = D.trained || 1, n = D.nodes || 1;
  var most = Math.max.apply(null, shown.map(function (x) {
    return Math.max(x[1][1] / known, x[1][2] / n);
  })) || 1;
  var wide = shown.some(function (x) { return Array.from(x[1][0]).length > 4; });
  var rows = [];
  shown.forEach(function (x) {
    if (wide) rows.push(h("tr", { "class": "over" }, h("th", { scope: "rowgroup", colspan: 5 }, brief(x[1][0], 32))));
    [["learnt from", x[1][1], known], ["likeliest", x[1][2], n]].forEach(function (k, i) {
      rows.push(h("tr", {}, wide ? null : h("th", { scope: "row" }, i ? "" : name(x[1][0])),
        h("td", { "class": "what" }, k[0]), h("td", { "class": "num" }, count(k[1])),
        h("td", { "class": "num" }, share(k[1] / k[2])), bar(k[1] / k[2], most, i)));
    });
  });
  return card("Classes", scroll("Classes", h("table", {}, h("tbody", {}, rows))),
    D.class_count > shown.length ? hint("The " + shown.length + " largest of " + D.class_count + " classes.") : null);
}
function dataSection() {
  section("The data");
  cards(card("Counts", pairs([["nodes", count(D.nodes)], ["edges", count(D.edges)],
      ["feature columns", D.columns ? count(D.columns) : "none"], ["labelled nodes", count(D.labelled)],
      ["learnt from", count(D.trained)], ["edges within a class", share(D.homophily)]].concat(
      D.cleaning.map(function (c) { return [c[0], count(c[1])]; })))), balance());
}
/* Does what was iterated come to an end?  Nothing where nothing is. */
function convergence() {
  if (D.residual === null) return null;
  return card("Convergence", D.trace ? trace(D.trace) : null,
    D.trace_after ? hint("The chart: propagation from the potentials with the weights and the " +
      "coupling as learnt. The run itself learnt them on the way, so its iterations are others.") : null,
    h("p", D.converged ? { "class": "soft" } : {},
      (D.converged ? "" : "It had not converged when it stopped. ") + "The run did " + count(D.iterations) +
      " iterations; the last changed a belief by at most " + short(D.residual) +
      (D.converged ? "." : ", more than the tolerance of " + short(D.tolerance) + ".") +
      (D.rho === null ? "" : " Margin " + short(1 - D.rho) + ": rho(W) rho(H) is " + short(D.rho) +
        (D.rho < 1 ? "; below 1 propagation converges." : "; above 1 PROPAGATION DIVERGES."))));
}
function details() {
  var rows = D.params.map(function (p) {
    return h("tr", {}, h("th", { scope: "row" }, p[0]), h("td", { "class": "num" }, typeof p[1] === "number" ? short(p[1]) : p[1]),
      h("td", { "class": "soft" }, p[2]));
  });
  page.appendChild(h("details", { id: "details" }, h("summary", {}, h("h2", {}, "Details")), row([
    card("Method " + D.method, D.why ? h("p", {}, "Chosen: " + D.why + ".") : null, h("p", { "class": "soft" }, D.how),
      scroll("Parameters", h("table", { "class": "params" }, h("tbody", {}, rows))),
      D.validation === null ? null : h("p", { "class": "soft" }, "Accuracy on " + (D.n_validation ? count(D.n_validation) + " " : "the ") +
        "validation nodes, by which it was chosen: " + score(D.validation) +
        (D.n_validation ? " (" + score(D.validation_low) + " to " + score(D.validation_high) + ", 95 %)" : "") + ".")),
    convergence(),
    card("To find it again", pairs([["Kith", D.version], ["hash of the graph", D.graph_hash],
      ["hash of the graph learnt on", D.trained_hash]]), D.command ? [h("p", {}, "This page again:"), h("pre", {}, D.command)] : null)])));
}
function report() {
  document.title = D.title + " – Kith report";
  top();
  page.appendChild(h("div", { "class": "tiles" }, trustTile(), D.review ? reviewTile() : null, blindTile()));
  lists();
  trustSection();
  learntSection();
  dataSection();
  details();
}
/* Paper has all that can be opened on the screen. */
function openOnPaper() {
  var closed = [];
  window.addEventListener("beforeprint", function () {
    closed = [].slice.call(document.querySelectorAll("details:not([open])"));
    closed.forEach(function (d) { d.open = true; });
  });
  window.addEventListener("afterprint", function () {
    closed.forEach(function (d) { d.open = false; });
  });
}
page.textContent = "";
openOnPaper();
if (D.kind === "explanation") explanation(); else report();

/* How many to review: a slider over the measured curve.  A point is [k,
 * threshold, judged nodes listed, right ones among them, precision's ends,
 * recall's ends]. */
var K = 0, T = 1, LISTED = 2, HITS = 3, LOW = 4, HIGH = 5, RECALL_LOW = 6, RECALL_HIGH = 7;
var cutWatchers = []; /* called with the point that the slider is at */

function wilson(hits, n) {
  if (n === 0) return [0, 1];
  var z = 1.959963984540054, p = hits / n, mid = p + z * z / (2 * n);
  var half = z * Math.sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  return [Math.max(0, (mid - half) / (1 + z * z / n)), Math.min(1, (mid + half) / (1 + z * z / n))];
}
/* Expected right ones among the first k, between the points on both sides. */
function expectedAt(k) {
  var pts = D.review.points, before = [0, 0];
  for (var i = 0; i < pts.length; i++) {
    if (pts[i][LISTED] === 0) continue;
    var now = [pts[i][K], pts[i][K] * pts[i][HITS] / pts[i][LISTED]];
    if (now[0] >= k) return before[1] + (now[1] - before[1]) * (k - before[0]) / (now[0] - before[0] || 1);
    before = now;
  }
  return before[1];
}
function reviewWords(p) {
  var k = p[K], n = D.review.unknown, two = D.positive >= 0;
  if (p[LISTED] === 0)
    return "None of the " + count(D.review.judged) + " judged nodes ranks as high: what to expect cannot be told.";
  var right = p[HITS] / p[LISTED], some = p[LISTED] < 10;
  var text = "Expect " + count(Math.round(k * right)) + " (" + range(k * p[LOW], k * p[HIGH], function (x) { return count(Math.round(x)); }) +
    ") to be " + (two ? kind(D.positive) : "named right");
  if (two && D.review.positives > 0) text += ", " + share(p[HITS] / D.review.positives) + " of all there are";
  var more = Math.min(n - k, k < 100 ? 10 : k < 1000 ? 100 : Math.pow(10, Math.floor(Math.log10(k))));
  if (more > 0 && two) text += "; the next " + count(more) + " would bring " + count(Math.max(0, Math.round(expectedAt(k + more) - k * right)));
  if (!two) text += "; " + count(n - k) + " are left to look at";
  return text + "." + (some ? " Only " + p[LISTED] + " judged nodes rank as high." : "");
}
/* Where the slider begins: as many as are called so; of more classes the
 * longest list of which nine in ten are right. */
function firstPoint() {
  var pts = D.review.points, at = 0;
  pts.forEach(function (p, i) {
    if (D.positive >= 0 ? p[T] >= .5 : p[LISTED] > 0 && p[HITS] / p[LISTED] >= .9) at = i;
  });
  return at;
}
function reviewTile() {
  var two = D.positive >= 0, pts = D.review.points;
  var out = h("output", { "class": "big", "for": "cut" }), words = h("p", { "aria-live": "polite" });
  var slider = h("input", { type: "range", id: "cut", min: 0, max: pts.length - 1, step: 1, value: firstPoint(),
    "aria-label": two ? "How many to review" : "How many to take as they are", oninput: move });
  function move() {
    var p = pts[+slider.value];
    out.textContent = count(p[K]) + " of " + count(D.review.unknown);
    words.textContent = reviewWords(p);
    slider.setAttribute("aria-valuetext", count(p[K]) + " nodes. " + words.textContent);
    cutWatchers.forEach(function (f) { f(p); });
  }
  setTimeout(move, 0);
  return h("section", { "class": "tile" }, h("h2", {}, two ? "How many to review?" : "How many to take as they are?"),
    out, slider, words, two ? null : h("p", { "class": "soft" }, "The surest first."));
}
/* Precision and, of two classes, recall against how many are reviewed. */
function reviewChart() {
  var two = D.positive >= 0, pts = D.review.points.filter(function (p) { return p[LISTED] > 0; });
  if (pts.length < 2) return null;
  var first = pts[0][K], last = pts[pts.length - 1][K], ticks = [];
  for (var t = 1; t <= last; t *= 10) if (t >= first) ticks.push(t);
  if (ticks.length < 2) ticks = [first, last];
  var f = frame({ log: true, x: [first, last], y: [0, 1], xlabel: two ? "how many are reviewed" : "how many are taken, the surest first",
    ylabel: "share", label: two ? "Precision and recall against how many are reviewed" : "Share right against how many are taken",
    xticks: ticks, xname: count, yname: percent });
  f.g.appendChild(band(f, pts.map(function (p) { return [p[K], p[LOW], p[HIGH]]; }), 0));
  f.g.appendChild(line(f, pts.map(function (p) { return [p[K], p[HITS] / p[LISTED]]; }), 0));
  if (two) {
    f.g.appendChild(band(f, pts.map(function (p) { return [p[K], p[RECALL_LOW], p[RECALL_HIGH]]; }), 1));
    f.g.appendChild(line(f, pts.map(function (p) { return [p[K], p[HITS] / D.review.positives]; }), 1));
  }
  var mark = s("line", { "class": "axis", "stroke-dasharray": "3 3", y1: f.top, y2: f.bottom });
  f.g.appendChild(mark);
  cutWatchers.push(function (p) {
    var x = f.x(Math.min(last, Math.max(first, p[K])));
    mark.setAttribute("x1", x); mark.setAttribute("x2", x);
  });
  return card(two ? "What a longer list brings" : "What can be taken as it is", f.g,
    legend(two ? ["of the list, so many are " + kind(D.positive), "of all there are, so many are in it"] : ["so many are named right"]),
    hint("Bands: 95 % intervals, from " + count(D.review.judged) + " judged nodes. The dashed line is where the slider stands."));
}
/* Of two classes, the judged nodes at the slider's cut. */
function confusionAtCut() {
  var body = h("tbody"), R = D.review, pos = kind(D.positive), text = hint("");
  cutWatchers.push(function (p) {
    var hit = p[HITS], alarm = p[LISTED] - p[HITS], miss = R.positives - hit, rest = R.judged - R.positives - alarm;
    body.textContent = "";
    [["listed", hit, alarm], ["not listed", miss, rest]].forEach(function (r) {
      body.appendChild(h("tr", {}, h("th", { scope: "row" }, r[0]), h("td", { "class": "num" }, count(r[1])), h("td", { "class": "num" }, count(r[2]))));
    });
    text.textContent = "Of " + count(R.judged) + " judged nodes, with a list that ends at probability " + score(p[T]) + ": " +
      count(miss) + " would be missed, " + count(alarm) + " looked at in vain.";
  });
  return card("Right and wrong at the cut", h("table", {}, h("thead", {}, h("tr", {}, h("th", {}),
    h("th", { scope: "col", "class": "num" }, "is ", brief(pos, 16)), h("th", { scope: "col", "class": "num" }, "is not"))), body), text);
}

/* Charts: one frame, and lines, bands, dots, bars and heat in it. */
function frame(o) {
  var g = s("svg", { viewBox: "0 0 340 " + (o.height || 260), role: "img", "aria-label": o.label },
    s("title", {}, o.label));
  var L = 56, R = 322, T = 10, B = (o.height || 260) - 36;
  var place = function (v) { return o.log ? Math.log(v) : v; };
  var x = function (v) {
    return L + (place(v) - place(o.x[0])) / (place(o.x[1]) - place(o.x[0]) || 1) * (R - L);
  };
  var y = function (v) { return B - (v - o.y[0]) / (o.y[1] - o.y[0]) * (B - T); };
  (o.yticks || [0, .25, .5, .75, 1]).forEach(function (v) {
    g.appendChild(s("line", { "class": "grid", x1: L, x2: R, y1: y(v), y2: y(v) }));
    g.appendChild(s("text", { "class": "soft", x: L - 5, y: y(v) + 4, "text-anchor": "end" },
      o.yname ? o.yname(v) : short(v)));
  });
  (o.xticks || [0, .25, .5, .75, 1]).forEach(function (v) {
    g.appendChild(s("text", { "class": "soft", x: x(v), y: B + 14, "text-anchor": "middle" },
      o.xname ? o.xname(v) : short(v)));
  });
  g.appendChild(s("path", { "class": "axis", d: "M" + L + " " + T + "V" + B + "H" + R }));
  g.appendChild(s("text", { "class": "soft", x: (L + R) / 2, y: B + 30, "text-anchor": "middle" }, o.xlabel));
  g.appendChild(s("text", { "class": "soft", x: 10, y: (T + B) / 2, "text-anchor": "middle",
    transform: "rotate(-90 10 " + (T + B) / 2 + ")" }, o.ylabel));
  return { g: g, x: x, y: y, top: T, bottom: B };
}
function path(f, points) {
  return points.map(function (p, k) {
    return (k ? "L" : "M") + f.x(p[0]).toFixed(1) + " " + f.y(p[1]).toFixed(1);
  }).join("");
}
function line(f, points, i) {
  return s("path", { fill: "none", stroke: COLOURS[i % 8], "stroke-width": 2,
    "stroke-dasharray": DASHES[i % 8], d: path(f, points) });
}
/* Points are [x, low, high]. */
function band(f, points, i) {
  return s("path", { fill: COLOURS[i % 8], "fill-opacity": .18, stroke: "none",
    d: path(f, points.map(function (p) { return [p[0], p[1]]; }).concat(
      points.slice().reverse().map(function (p) { return [p[0], p[2]]; }))) + "Z" });
}
function legend(entries) {
  return h("ul", { "class": "legend" }, entries.map(function (e, i) {
    return h("li", {}, s("svg", { viewBox: "0 0 26 8", "aria-hidden": "true" },
      s("line", { x1: 0, x2: 26, y1: 4, y2: 4, stroke: COLOURS[i % 8], "stroke-width": 3,
        "stroke-dasharray": DASHES[i % 8] })), h("span", {}, e));
  }));
}
function percent(v) { return Math.round(100 * v) + " %"; }
function reliability(bins) {
  var f = frame({ x: [0, 1], y: [0, 1], xlabel: "what it says: its confidence", ylabel: "what is so: share right",
    label: "Reliability: how often answers of a confidence are right", xname: percent, yname: percent });
  var most = Math.max.apply(null, bins.map(function (b) { return b[2]; }));
  f.g.appendChild(s("path", { "class": "axis", "stroke-dasharray": "4 3",
    d: "M" + f.x(0) + " " + f.y(0) + "L" + f.x(1) + " " + f.y(1) }));
  bins.forEach(function (b) {
    f.g.appendChild(s("circle", { cx: f.x(b[0]), cy: f.y(b[1]), fill: COLOURS[0],
      "fill-opacity": .8, r: 3 + 7 * Math.sqrt(b[2] / most) },
      s("title", {}, count(b[2]) + " nodes: confidence " + share(b[0]) + ", right " + share(b[1]))));
  });
  return card("Do its percentages hold?", f.g,
    hint("On the dashed line 80 % means right 8 times of 10; below it, it is too sure. Larger dots hold more nodes."));
}
function heat(title, m, most, signs, note, of) {
  var C = Math.round(Math.sqrt(m.length)), rows = [];
  var label = function (i) { return of && of[i] < 0 ? "all others" : className(of ? of[i] : i); };
  var numbers = C > 4 && m.some(function (v, i) { return i < C && Array.from(label(i)).length > 6; });
  /* long names stand in the rows, beside the number that the column has */
  var column = function (i) {
    return numbers ? h("bdi", { title: label(i) }, of && of[i] < 0 ? "…" : String(of ? of[i] : i)) : brief(label(i), 13);
  };
  for (var i = 0; i < C; i++) {
    var tr = h("tr", {}, h("th", { scope: "row" }, numbers ? [column(i), " "] : "", brief(label(i), numbers ? 12 : 15)));
    /* counts as shares of their row, so that a rare class can be seen too */
    var all = signs ? most : m.slice(i * C, (i + 1) * C).reduce(function (x, y) { return x + y; }, 0);
    for (var j = 0; j < C; j++) {
      var v = m[i * C + j], a = all > 0 ? Math.min(1, Math.abs(v) / all) : 0;
      var colour = signs && v < 0 ? "213,94,0" : "0,114,178";
      tr.appendChild(h("td", { style: "background:rgba(" + colour + "," + (a * .55).toFixed(3) + ")" },
        signs ? (v > 0 ? "+" : "") + v.toFixed(3) : count(v)));
    }
    rows.push(tr);
  }
  var head = h("tr", {}, h("th", {}));
  for (var k = 0; k < C; k++) head.appendChild(h("th", { scope: "col" }, column(k)));
  return card(title, scroll(title, h("table", { "class": "heat" }, h("thead", {}, head), h("tbody", {}, rows))),
    note ? hint(note) : null);
}
function histogram(title, a, b, low, high, means) {
  var sum = function (l) { return l.reduce(function (x, y) { return x + y; }, 0) || 1; };
  var A = a.map(function (v) { return v / sum(a); }), B = b.map(function (v) { return v / sum(b); });
  var most = Math.max.apply(null, A.concat(B)) || 1, n = a.length;
  var ticks = [0, .5, 1].map(function (t) { return low + t * (high - low); });
  var two = function (v) { return String(Number(v.toPrecision(2))); };
  var f = frame({ x: [low, high], y: [0, most], height: 220, xlabel: "edge weight", ylabel: "share of edges",
    label: title, xticks: ticks, yticks: [0, most / 2, most], yname: two, xname: two });
  [A, B].forEach(function (l, which) {
    var pts = [];
    l.forEach(function (v, i) {
      pts.push([low + i * (high - low) / n, v], [low + (i + 1) * (high - low) / n, v]);
    });
    f.g.appendChild(line(f, pts, which));
  });
  return card(title, f.g, legend(["same class (mean " + short(means[0]) + ")", "other classes (mean " + short(means[1]) + ")"]));
}
function trace(t) {
  var logs = t.map(function (v) { return Math.log10(Math.max(v, 1e-12)); });
  var low = Math.floor(Math.min.apply(null, logs)), high = Math.ceil(Math.max.apply(null, logs));
  if (high === low) high++;
  var ticks = [], step = Math.ceil((high - low) / 6);
  for (var v = low; v <= high; v += step) ticks.push(v);
  var n = Math.max(2, t.length);
  var f = frame({ x: [1, n], y: [low, high], height: 220, xlabel: "iteration", ylabel: "largest change",
    xticks: [1, Math.round((n + 1) / 2), n], yticks: ticks, label: "Convergence: largest change in each iteration",
    yname: function (x) { return "1e" + x; } });
  f.g.appendChild(line(f, logs.map(function (l, i) { return [i + 1, l]; }), 0));
  return f.g;
}

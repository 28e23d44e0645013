/* Draws the page from the data it holds.  All text goes in as text nodes. */
(function () {
"use strict";
var D = JSON.parse(document.getElementById("data").textContent);
var page = document.getElementById("page");
var SVG = "http://www.w3.org/2000/svg";
var COLOURS = [0, 1, 2, 3, 4, 5, 6, 7].map(function (i) { return "var(--c" + i + ")"; });
var DASHES = ["", "7 3", "2 3", "9 3 2 3", "4 2", "14 3", "12 3 2 3 2 3", "6 2 2 2"];

function fill(e, attrs, kids) {
  Object.keys(attrs || {}).forEach(function (k) {
    if (k.slice(0, 2) === "on") e.addEventListener(k.slice(2), attrs[k]);
    else if (attrs[k] !== undefined && attrs[k] !== null) e.setAttribute(k, attrs[k]);
  });
  kids.forEach(function (k) {
    if (Array.isArray(k)) fill(e, {}, k);
    else if (k !== null && k !== undefined)
      e.appendChild(k.nodeType ? k : document.createTextNode(String(k)));
  });
  return e;
}
function h(tag, attrs) {
  return fill(document.createElement(tag), attrs, [].slice.call(arguments, 2));
}
function s(tag, attrs) {
  return fill(document.createElementNS(SVG, tag), attrs, [].slice.call(arguments, 2));
}
function name(text) { return h("bdi", {}, text); }
/* Cut in the middle, since both ends tell names apart; the whole is told on
 * hovering. */
function brief(text, most) {
  var a = Array.from(text), half = Math.floor(((most || 22) - 1) / 2);
  return a.length <= 2 * half + 1 ? name(text)
    : h("bdi", { title: text }, a.slice(0, half).join("") + "…" + a.slice(-half).join(""));
}
function count(n) { return Number(n).toLocaleString("en-US"); }
function short(x) {
  if (x === null || x === undefined) return "–";
  if (x !== 0 && Math.abs(x) < 0.001) return x.toExponential(1);
  return String(Number(x.toPrecision(4)));
}
function share(x) { return x === null || x === undefined ? "–" : (100 * x).toFixed(1) + " %"; }
function className(c) {
  return c < 0 ? "" : D.classes[c] ? D.classes[c][0] : "class " + c;
}
function section(title, text) {
  page.appendChild(h("h2", {}, title));
  if (text) page.appendChild(h("p", { "class": "soft" }, text));
}
function cards() {
  var c = h("div", { "class": "cards" });
  [].forEach.call(arguments, function (x) { if (x) c.appendChild(x); });
  if (c.firstChild) page.appendChild(c);
}
function card(title) {
  return fill(h("section", { "class": "card" }, h("h3", {}, title)), {},
    [].slice.call(arguments, 1));
}
function pairs(rows) {
  return h("table", {}, h("tbody", {}, rows.map(function (r) {
    return h("tr", {}, h("th", { scope: "row" }, r[0]), h("td", { "class": "num" }, r[1]));
  })));
}
function scroll(label, e) {
  return h("div", { "class": "scroll", tabindex: 0, role: "region", "aria-label": label }, e);
}

/* ---- charts ---- */

function frame(o) {
  var g = s("svg", { viewBox: "0 0 340 " + (o.height || 260), role: "img", "aria-label": o.label },
    s("title", {}, o.label));
  var L = 56, R = 322, T = 10, B = (o.height || 260) - 36;
  var x = function (v) { return L + (v - o.x[0]) / (o.x[1] - o.x[0]) * (R - L); };
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
  return { g: g, x: x, y: y, bottom: B };
}
function line(f, points, i) {
  return s("path", { fill: "none", stroke: COLOURS[i % 8], "stroke-width": 2,
    "stroke-dasharray": DASHES[i % 8],
    d: points.map(function (p, k) {
      return (k ? "L" : "M") + f.x(p[0]).toFixed(1) + " " + f.y(p[1]).toFixed(1);
    }).join("") });
}
function legend(entries) {
  return h("ul", { "class": "legend" }, entries.map(function (e, i) {
    return h("li", {}, s("svg", { viewBox: "0 0 26 8", "aria-hidden": "true" },
      s("line", { x1: 0, x2: 26, y1: 4, y2: 4, stroke: COLOURS[i % 8], "stroke-width": 3,
        "stroke-dasharray": DASHES[i % 8] })), h("span", {}, brief(e[0], 22), " (" + e[1] + ")"));
  }));
}
function curves(curves, title, xl, yl, of, first, area) {
  var f = frame({ x: [0, 1], y: [0, 1], xlabel: xl, ylabel: yl, label: title });
  curves.forEach(function (c, i) {
    f.g.appendChild(line(f, [first(c)].concat(c.points.map(of)), i));
  });
  return card(title, f.g, legend(curves.map(function (c) {
    return [className(c["class"]), area[0] + " " + c[area[1]].toFixed(3)];
  })), curves.length < D.judged.curves_possible ? h("p", { "class": "soft" }, "The " + curves.length +
    " largest of " + D.judged.curves_possible + " classes.") : null);
}
function reliability(bins) {
  var f = frame({ x: [0, 1], y: [0, 1], xlabel: "confidence", ylabel: "share that is right",
    label: "Reliability: how often predictions of a confidence are right" });
  var most = Math.max.apply(null, bins.map(function (b) { return b[2]; }));
  f.g.appendChild(s("path", { "class": "axis", "stroke-dasharray": "4 3",
    d: "M" + f.x(0) + " " + f.y(0) + "L" + f.x(1) + " " + f.y(1) }));
  bins.forEach(function (b) {
    f.g.appendChild(s("circle", { cx: f.x(b[0]), cy: f.y(b[1]), fill: COLOURS[0],
      "fill-opacity": .8, r: 3 + 7 * Math.sqrt(b[2] / most) },
      s("title", {}, count(b[2]) + " nodes: confidence " + b[0].toFixed(3) + ", right " + b[1].toFixed(3))));
  });
  return card("Reliability", f.g,
    h("p", { "class": "soft" }, "On the dashed line, a confidence of 80 % is right 80 % of the time. Larger dots hold more nodes."));
}
function heat(title, m, most, signed, note, of) {
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
    var all = signed ? most : m.slice(i * C, (i + 1) * C).reduce(function (x, y) { return x + y; }, 0);
    for (var j = 0; j < C; j++) {
      var v = m[i * C + j], a = all > 0 ? Math.min(1, Math.abs(v) / all) : 0;
      var colour = signed && v < 0 ? "213,94,0" : "0,114,178";
      tr.appendChild(h("td", { style: "background:rgba(" + colour + "," + (a * .55).toFixed(3) + ")" },
        signed ? (v > 0 ? "+" : "") + v.toFixed(3) : count(v)));
    }
    rows.push(tr);
  }
  var head = h("tr", {}, h("th", {}));
  for (var k = 0; k < C; k++) head.appendChild(h("th", { scope: "col" }, column(k)));
  return card(title, scroll(title, h("table", { "class": "heat" }, h("thead", {}, head), h("tbody", {}, rows))),
    note ? h("p", { "class": "soft" }, note) : null);
}
function histogram(title, a, b, low, high, means) {
  var sum = function (l) { return l.reduce(function (x, y) { return x + y; }, 0) || 1; };
  var A = a.map(function (v) { return v / sum(a); }), B = b.map(function (v) { return v / sum(b); });
  var most = Math.max.apply(null, A.concat(B)) || 1, n = a.length;
  var ticks = [0, .5, 1].map(function (t) { return low + t * (high - low); });
  var f = frame({ x: [low, high], y: [0, most], height: 220, xlabel: "edge weight", ylabel: "share of edges",
    label: title, xticks: ticks, yticks: [0, most / 2, most],
    yname: function (v) { return String(Number(v.toPrecision(2))); },
    xname: function (v) { return String(Number(v.toPrecision(2))); } });
  [A, B].forEach(function (l, which) {
    var pts = [];
    l.forEach(function (v, i) {
      pts.push([low + i * (high - low) / n, v], [low + (i + 1) * (high - low) / n, v]);
    });
    f.g.appendChild(line(f, pts, which));
  });
  return card(title, f.g, legend([["same class", "mean " + short(means[0])],
    ["other classes", "mean " + short(means[1])]]));
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
/* Does what was iterated come to an end?  Nothing where nothing is. */
function convergence() {
  if (D.residual === null) return null;
  return card("Convergence", D.trace ? trace(D.trace) : null,
    D.trace_after ? h("p", { "class": "soft" }, "The chart: propagation from the potentials with the weights and the " +
      "coupling as learnt. The run itself learnt them on the way, so its iterations are others.") : null,
    h("p", D.converged ? { "class": "soft" } : {},
      (D.converged ? "" : "It had not converged when it stopped. ") + "The run did " + count(D.iterations) +
      " iterations; the last changed a belief by at most " + short(D.residual) +
      (D.converged ? "." : ", more than the tolerance of " + short(D.tolerance) + ".") +
      (D.rho === null ? "" : " Margin " + short(1 - D.rho) + ": rho(W) rho(H) is " + short(D.rho) +
        (D.rho < 1 ? "; below 1 propagation converges." : "; above 1 PROPAGATION DIVERGES."))));
}
function bar(v, most, minus) {
  return h("td", { "class": "bars" }, h("span", { "class": "bar" + (minus ? " minus" : ""),
    style: "width:" + Math.min(100, 100 * Math.abs(v) / most).toFixed(1) + "%" }));
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
    [["learnt from", x[1][1], known], ["predicted", x[1][2], n]].forEach(function (k, i) {
      rows.push(h("tr", {}, wide ? null : h("th", { scope: "row" }, i ? "" : name(x[1][0])),
        h("td", { "class": "what" }, k[0]), h("td", { "class": "num" }, count(k[1])),
        h("td", { "class": "num" }, share(k[1] / k[2])), bar(k[1] / k[2], most, i)));
    });
  });
  return card("Classes", scroll("Classes", h("table", {}, h("tbody", {}, rows))),
    D.class_count > shown.length ? h("p", { "class": "soft" }, "The " + shown.length + " largest of " + D.class_count + " classes.") : null);
}

/* ---- tables of nodes ---- */

var picture = h("section", { "class": "card", "aria-live": "polite" });
function draw(row) {
  var around = row[6], n = around.length, W = 340, H = 300, cx = W / 2, cy = H / 2;
  var label = "Neighbourhood of " + row[0];
  var g = s("svg", { viewBox: "0 0 " + W + " " + H, role: "img", "aria-label": label }, s("title", {}, label));
  var most = Math.max.apply(null, around.map(function (a) { return Math.abs(a[6]); })) || 1;
  var cut = function (t) { var a = Array.from(t); return a.length > 14 ? a.slice(0, 13).join("") + "…" : t; };
  function node(x, y, r, big) {
    var c = r[1];
    g.appendChild(s("circle", { cx: x, cy: y, r: big ? 15 : 11, fill: COLOURS[c % 8],
      stroke: "currentColor", "stroke-width": r[5] ? 3 : 0 },
      s("title", {}, r[0] + ": " + className(c) + ", " + share(r[2]) + (r[3] >= 0 ? ", labelled " + className(r[3]) : "") + (r[5] ? ", learnt from" : ""))));
    g.appendChild(s("text", { x: x, y: y + 4, "text-anchor": "middle", style: "fill:var(--card);font-weight:600" }, c));
    g.appendChild(s("text", { x: x, y: y + (big ? 28 : 23), "text-anchor": "middle", "class": "halo" }, cut(r[0])));
  }
  around.forEach(function (a, i) {
    var t = 2 * Math.PI * i / n - Math.PI / 2;
    a.x = cx + 115 * Math.cos(t); a.y = cy + 105 * Math.sin(t);
    g.appendChild(s("line", { "class": "edge", x1: cx, y1: cy, x2: a.x, y2: a.y,
      "stroke-width": .5 + 4 * Math.abs(a[6]) / most }, s("title", {}, "weight " + short(a[6]))));
  });
  around.forEach(function (a) { node(a.x, a.y, a, false); });
  node(cx, cy, row, true);
  picture.textContent = "";
  var seen = {};
  [row].concat(around).forEach(function (r) { seen[r[1]] = true; });
  fill(picture, {}, [h("h3", {}, "Neighbourhood of ", name(row[0])), g,
    h("p", { "class": "soft" }, "Numbers in the circles: ",
      Object.keys(seen).map(function (c, i) { return [i ? ", " : "", c, " = ", brief(className(+c), 40)]; }),
      ". A thick rim: learnt from. Thicker lines: larger edge weights; the ",
      n, " largest of ", count(row[4]), " neighbours.")]);
}
function download(file, head, rows) {
  var text = [head].concat(rows).map(function (r) {
    return r.map(function (x) { return String(x).replace(/[\t\r\n]/g, " "); }).join("\t");
  }).join("\n") + "\n";
  var a = h("a", { download: file, href: "data:text/tab-separated-values;charset=utf-8," + encodeURIComponent(text) });
  document.body.appendChild(a); a.click(); a.remove();
}
function nodes(lists) {
  var head = ["node", "predicted", "confidence", "label", "neighbours"];
  var key = [0, 1, 2, 3, 4], now = lists[0], sort = { by: -1, up: true }, word = "";
  var cells = function (r) { return [r[0], className(r[1]), r[2], className(r[3]), r[4]]; };
  var search = h("input", { type: "search", placeholder: "Search ids and classes", "aria-label": "Search",
    oninput: function () { word = search.value.toLowerCase(); show(); } });
  var body = h("tbody"), info = h("p", { "class": "soft noprint", role: "status" });
  var ths = head.map(function (t, i) {
    return h("th", { scope: "col", "class": i === 2 || i === 4 ? "num" : null }, h("button", { type: "button", onclick: function () {
      sort = { by: i, up: sort.by === i ? !sort.up : true }; show();
    } }, t));
  });
  var tabs = lists.map(function (l) {
    return h("button", { type: "button", onclick: function () { now = l; sort.by = -1; show(); } }, l.name);
  });
  function rows() {
    var r = now.rows.filter(function (x) {
      return !word || cells(x).join("\n").toLowerCase().indexOf(word) >= 0;
    });
    if (sort.by < 0) return r;
    return r.slice().sort(function (a, b) {
      var x = cells(a)[key[sort.by]], y = cells(b)[key[sort.by]];
      var d = typeof x === "number" ? x - y : String(x).localeCompare(String(y), "en", { numeric: true });
      return sort.up ? d : -d;
    });
  }
  function row(r, id) {
    return h("tr", {}, h("td", {}, id), h("td", {}, brief(className(r[1]))), h("td", { "class": "num" }, r[2].toFixed(4)),
      h("td", {}, brief(className(r[3]))), h("td", { "class": "num" }, count(r[4])));
  }
  /* On paper there are no tabs: the first rows of every table. */
  function printed(l) {
    var first = l.rows.slice(0, 15);
    return h("div", { "class": "paper" }, h("h3", {}, l.name),
      h("p", { "class": "soft" }, l.text + " The first " + first.length + " of " + l.rows.length + " rows."),
      h("table", {}, h("thead", {}, h("tr", {}, head.map(function (t, i) {
        return h("th", { scope: "col", "class": i === 2 || i === 4 ? "num" : null }, t);
      }))), h("tbody", {}, first.map(function (r) { return row(r, brief(r[0], 40)); }))));
  }
  function show() {
    var list = rows();
    tabs.forEach(function (t, i) { t.setAttribute("aria-pressed", lists[i] === now); });
    ths.forEach(function (t, i) {
      t.setAttribute("aria-sort", sort.by === i ? (sort.up ? "ascending" : "descending") : "none");
      t.firstChild.textContent = head[i] + (sort.by === i ? (sort.up ? " ▲" : " ▼") : "");
    });
    body.textContent = "";
    list.forEach(function (r) {
      body.appendChild(row(r, h("button", { type: "button", "class": "link", onclick: function () { draw(r); } }, brief(r[0]))));
    });
    info.textContent = now.text + " " + list.length + " of " + now.rows.length + " rows.";
  }
  var box = h("div", {}, h("div", { "class": "controls" }, tabs),
    h("div", { "class": "controls" }, search, h("button", { type: "button", onclick: function () {
      download("kith-" + now.file + ".tsv", head, rows().map(cells));
    } }, "Download")), info,
    h("div", { "class": "rows scroll noprint", tabindex: 0, role: "region", "aria-label": "Nodes" },
      h("table", {}, h("thead", {}, h("tr", {}, ths)), body)), lists.map(printed));
  show();
  if (now.rows.length) draw(now.rows[0]);
  cards(h("section", { "class": "card" }, box), picture);
}

/* ---- the pages ---- */

function tiles(list) {
  page.appendChild(h("div", { "class": "tiles" }, list.map(function (t) {
    return h("div", { "class": "tile" }, h("b", {}, t[1]), h("span", {}, t[0]));
  })));
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
function report() {
  var J = D.judged;
  document.title = D.title + " – Kith report";
  page.appendChild(h("h1", {}, name(D.title)));
  page.appendChild(h("p", { "class": "soft" }, "Labels of " + count(D.nodes) + " nodes from " + count(D.trained) +
    " known ones, by method " + D.method + ". Kith " + D.version + "."));
  tiles([["nodes", count(D.nodes)], ["edges", count(D.edges)], ["classes", count(D.class_count)]].concat(
    J ? [["accuracy", J.accuracy.toFixed(4)], ["AUC", J.auc === null ? "–" : J.auc.toFixed(4)],
      ["calibration error", J.ece.toFixed(4)]] : [],
    D.rho === null ? [] : [["margin to divergence", short(1 - D.rho)]]));
  section("Data and method");
  cards(card("Data", pairs([["nodes", count(D.nodes)], ["edges", count(D.edges)],
      ["feature columns", D.columns ? count(D.columns) : "none"], ["labelled nodes", count(D.labelled)],
      ["learnt from", count(D.trained)], ["edges within a class", share(D.homophily)]].concat(
      D.cleaning.map(function (c) { return [c[0], count(c[1])]; })))),
    card("Method " + D.method, D.why ? h("p", {}, "Chosen: " + D.why + ".") : null,
      h("p", { "class": "soft" }, D.how), pairs(D.params.map(function (p) {
      return [p[0], typeof p[1] === "number" ? short(p[1]) : p[1]];
    }).concat(D.validation === null ? [] : [["accuracy on " +
      (D.n_validation ? count(D.n_validation) + " " : "the ") + "validation nodes", D.validation.toFixed(4)]]))),
    balance());
  section("Can it be trusted?", J ? "Judged on " + count(J.nodes) + " nodes that were not learnt from: " + J.what + "."
    : "No labelled node was left to judge by: name a split, or give labels of nodes that were not learnt from.");
  if (J) {
    cards(card("Scores", pairs([["accuracy", J.accuracy.toFixed(4)], ["macro-F1", J.macro_f1.toFixed(4)],
        ["AUC", J.auc === null ? "–" : J.auc.toFixed(4)],
        ["average precision", J.average_precision === null ? "–" : J.average_precision.toFixed(4)],
        ["log-loss", J.log_loss.toFixed(4)], ["calibration error (ECE)", J.ece.toFixed(4)]])),
      heat("Confusion: rows are the truth, columns the prediction", J.confusion, null, false,
        J.confusion_of.indexOf(-1) < 0 ? null : "The " + (J.confusion_of.length - 1) + " largest of " + D.class_count +
          " classes; the others are counted together.", J.confusion_of));
    cards(J.curves.length ? curves(J.curves, "ROC", "false positive rate", "recall",
        function (p) { return [p[0], p[1]]; }, function () { return [0, 0]; }, ["AUC", "auc"]) : null,
      J.curves.length ? curves(J.curves, "Precision and recall", "recall", "precision",
        function (p) { return [p[1], p[2]]; }, function (c) { return [0, c.points[0][2]]; }, ["AP", "average_precision"]) : null, reliability(J.reliability));
  }
  section("What did it learn?", D.weights.learnt ? "" : "Edge weights are as given, from the degrees at both ends: " +
    (D.lcm ? "not learning them was chosen." : "method " + D.method + " does not learn them."));
  var w = D.weights, who = w.guessed ? " (classes as labelled, else as predicted)" : "";
  var H = coupling(), rest = [histogram((w.learnt ? "Edge weights at the start" : "Edge weights") + who,
      w.same_before, w.other_before, w.low, w.high, w.means.slice(0, 2)),
    w.learnt ? histogram("Edge weights learnt", w.same_after, w.other_after, w.low, w.high, w.means.slice(2)) : null,
    convergence()];
  if (H.length === 2 || D.class_count > 8) { cards.apply(null, H); cards.apply(null, rest); }
  else cards.apply(null, H.concat(rest));
  section("Nodes to look at", "Choose a node for a picture of its neighbourhood; 'kith explain' says what its belief is made of.");
  nodes([{ name: "Most confident", file: "confident", text: "Not learnt from, most confident first.", rows: D.confident },
    { name: "Most uncertain", file: "uncertain", text: "Not learnt from, least confident first.", rows: D.uncertain },
    { name: "Most surprising", file: "surprising", text: "The label given disagrees with the belief.", rows: D.surprising }]);
}
/* Rows end in the value that the bar shows; text is of the data, unless it is
 * `ours`. */
function parts(title, head, rows, most, ours) {
  if (!rows.length) return null;
  return card(title, scroll(title, h("table", {},
    h("thead", {}, h("tr", {}, head.map(function (t, i) {
      return h("th", { scope: "col", "class": typeof rows[0][i] === "number" ? "num" : null }, t);
    }), h("th", {}))),
    h("tbody", {}, rows.map(function (r) {
      var v = r[r.length - 1];
      return h("tr", {}, r.map(function (x, i) {
        return typeof x === "number" ? h("td", { "class": "num" }, (i === r.length - 1 && x > 0 ? "+" : "") + short(x)) : h("td", {}, ours ? x : brief(x));
      }), bar(v, most, v < 0));
    })))));
}
function largest(rows) {
  return Math.max.apply(null, rows.map(function (r) { return Math.abs(r[r.length - 1]); })) || 1;
}
function signed(x) { return (x > 0 ? "+" : "") + short(x); }
function note(c, text) { return c && fill(c, {}, [h("p", { "class": "soft" }, text)]); }
function explanation() {
  document.title = D.node + " – Kith explanation";
  page.appendChild(D.is_likeliest
    ? h("h1", {}, "Why is node ", name(D.node), " in class ", name(D["class"]), "?")
    : h("h1", {}, "What speaks for class ", name(D["class"]), " at node ", name(D.node), "?"));
  page.appendChild(h("p", { "class": "soft" }, "Probability " + share(D.probability) + " by method " + D.method,
    D.is_likeliest ? "" : ["; the node is predicted to be in ", name(D.likeliest), " (" + share(D.likeliest_probability) + ")"],
    D.known ? ["; its known label is ", name(D.known)] : "",
    ". A belief above 0 speaks for the class. Kith " + D.version + "."));
  page.appendChild(h("p", { id: "sentences" }, D.sentences));
  var sum = D.parts.slice();
  sum.push(["sum", D.sum]);
  cards(fill(parts("What the belief is made of", ["part", "value"], sum, largest(sum), true), {},
    [h("p", { id: "sum", "class": "soft" }, "The belief is " + D.belief.toPrecision(6) + "; the parts sum to " + D.sum.toPrecision(6) +
      "; residual " + D.residual.toExponential(1) + ". Contributions: " + D.contributions + ".")]));
  cards(parts("Labelled nodes that add most", ["node", "label", "value"], D.top_labelled, largest(D.top_labelled)),
    note(parts("Neighbours that it arrives through", ["node", "label", "weight", "value"], D.neighbours, largest(D.neighbours)),
      "All neighbours together: " + signed(D.through_neighbours) + "."),
    parts("Other nodes that add most", ["node", "value"], D.top_others.map(function (o) { return [o[0], o[2]]; }),
      largest(D.top_others)));
  var paths = D.paths.length ? card(D.paths_complete ? "Strongest paths" : "Strong paths found", h("ol", {}, D.paths.map(function (p) {
    return h("li", { "class": "path" }, p.nodes.map(function (n, i) {
      return [name(n), i < p.weights.length ? " –(" + short(p.weights[i]) + ")– " : ""];
    }), ": coupling " + short(p.coupling) + ", adds " + signed(p.value));
  }))) : null;
  cards(note(parts("Features in its logistic regression", ["column", "whose", "amount", "weight", "value"],
    D.features.map(function (f) { return ["" + f[0]].concat(f.slice(1)); }), largest(D.features)),
    "Bias " + signed(D.bias) + "; all columns and the bias: " + signed(D.feature_sum) + "." +
    (D.clamped ? " Its label stands in their place." : "")), paths);
}
page.textContent = "";
if (D.kind === "explanation") explanation(); else report();
})();

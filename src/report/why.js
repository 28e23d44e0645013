/* Why a node has its belief: sentences, a drawn neighbourhood, parts as bars. */

/* The colour of a class: by its number, or on a page without classes as they
 * come; the class explained is orange, as what is asked about is. */
var seenClasses = [];
function colourOf(label) {
  var i = D.classes ? D.classes.map(function (c) { return c[0]; }).indexOf(label) : -1;
  if (D.positive >= 0 && D.classes) return COLOURS[i === D.positive ? 1 : 0];
  if (i >= 0) return COLOURS[i % 8];
  if (seenClasses.indexOf(label) < 0) seenClasses.push(label);
  return COLOURS[seenClasses.indexOf(label) % 8];
}
/* Known nodes two steps away, by the neighbour they are behind: of paths
 * [far, neighbour, node]. */
function behind(E) {
  var labels = {}, out = {}, total = 0;
  (E.top_labelled || []).forEach(function (p) { labels[p[0]] = p[1]; });
  (E.paths || []).forEach(function (p) {
    var n = p.nodes.length;
    if (n !== 3 || labels[p.nodes[0]] === undefined || total >= 8 || p.nodes[0] === p.nodes[2]) return;
    (out[p.nodes[1]] = out[p.nodes[1]] || []).push({ id: p.nodes[0], label: labels[p.nodes[0]], value: p.value });
    total++;
  });
  return out;
}
function drawing(E) {
  var around = E.neighbours, W = 460, H = 380, cx = W / 2, cy = H / 2, n = around.length || 1;
  var far = behind(E), drawn = {}, seen = {};
  var amount = function (a) { return Math.abs(none(a[3]) ? a[2] : a[3]); };
  var most = Math.max.apply(null, around.map(amount)) || 1;
  var cut = function (t) { var a = Array.from(t); return a.length > 14 ? a.slice(0, 13).join("") + "…" : t; };
  var known = around.filter(function (a) { return a[1]; }).length;
  var label = "Neighbourhood of " + E.node + ": " + around.length + " neighbours that count most, " + known + " of them known";
  var g = s("svg", { viewBox: "0 0 " + W + " " + H, role: "img", "aria-label": label, "class": "around" }, s("title", {}, label));
  function link(x1, y1, x2, y2, value, width, text) {
    g.appendChild(s("line", { x1: x1, y1: y1, x2: x2, y2: y2, "stroke-width": width.toFixed(1), "stroke-opacity": .65,
      stroke: none(value) ? "var(--soft)" : value < 0 ? "var(--other)" : "var(--accent)" }, s("title", {}, text)));
  }
  function node(x, y, id, cls, r) {
    if (cls) seen[cls] = true;
    g.appendChild(s("circle", { cx: x, cy: y, r: r, fill: cls ? colourOf(cls) : "var(--card)",
      stroke: cls ? colourOf(cls) : "var(--soft)", "stroke-width": 2 },
      s("title", {}, id + (cls ? ", known: " + cls : ", not known"))));
    g.appendChild(s("text", { x: x, y: y + r + 12, "text-anchor": "middle", "class": "halo" }, cut(id)));
  }
  around.forEach(function (a, i) {
    var t = 2 * Math.PI * i / n - Math.PI / 2, x = cx + 120 * Math.cos(t), y = cy + 105 * Math.sin(t);
    drawn[a[0]] = [x, y, t];
    link(cx, cy, x, y, a[3], .8 + 7 * amount(a) / most, a[0] + (none(a[3]) ? ": weight " + short(a[2]) : " adds " + signed(a[3])));
  });
  Object.keys(far).forEach(function (via) {
    if (!drawn[via]) return;
    far[via].slice(0, 2).forEach(function (p, k, l) {
      if (drawn[p.id] || p.id === E.node) return;
      var t = drawn[via][2] + (k - (l.length - 1) / 2) * .3, x = cx + 195 * Math.cos(t), y = cy + 160 * Math.sin(t);
      link(drawn[via][0], drawn[via][1], x, y, p.value, .8 + 4 * Math.min(1, Math.abs(p.value) / most), p.id + " adds " + signed(p.value) + " this way");
      node(x, y, p.id, p.label, 7);
    });
  });
  around.forEach(function (a) { node(drawn[a[0]][0], drawn[a[0]][1], a[0], a[1], 10); });
  node(cx, cy, E.node, E.known, 14);
  return h("figure", {}, g, h("figcaption", { "class": "soft" }, "Filled: known",
    Object.keys(seen).map(function (c) {
      return [" ", h("span", { "class": "dot", style: "background:" + colourOf(c) }), " ", brief(c, 24)];
    }), ". Thicker links: " + (around.length && none(around[0][3]) ? "larger weights." : "they add more; blue for the class, orange against it.")));
}
/* Rows end in the value that the bar shows; text is of the data, unless it is
 * `ours`. */
function parts(title, head, rows, ours) {
  if (!rows || !rows.length) return null;
  var most = Math.max.apply(null, rows.map(function (r) { return Math.abs(r[r.length - 1]); })) || 1;
  return card(title, scroll(title, h("table", {},
    h("thead", {}, h("tr", {}, head.map(function (t, i) {
      return h("th", { scope: "col", "class": typeof rows[0][i] === "number" ? "num" : null }, t);
    }), h("th", {}))),
    h("tbody", {}, rows.map(function (r) {
      var v = r[r.length - 1];
      return h("tr", {}, r.map(function (x, i) {
        return typeof x === "number" ? h("td", { "class": "num" }, i === r.length - 1 ? signed(x) : short(x)) : h("td", {}, ours ? x : brief(x));
      }), bar(v, most, v < 0));
    })))));
}
function note(c, text) { return c && fill(c, {}, [hint(text)]); }
function sumCard(E, id) {
  var rows = E.parts.slice();
  rows.push(["sum", E.sum]);
  return fill(parts("What the belief is made of", ["part", "adds"], rows, true), {},
    [h("p", { id: id, "class": "soft" }, "The belief is " + E.belief.toPrecision(6) + "; the parts sum to " + E.sum.toPrecision(6) +
      "; residual " + E.residual.toExponential(1) + ". Above 0 speaks for the class. Contributions: " + E.contributions + ".")]);
}
function pathsCard(E) {
  if (!E.paths.length) return null;
  return card(E.paths_complete ? "Strongest paths" : "Strong paths found", h("ol", {}, E.paths.map(function (p) {
    return h("li", { "class": "path" }, p.nodes.map(function (n, i) {
      return [name(n), i < p.weights.length ? " –(" + short(p.weights[i]) + ")– " : ""];
    }), ": coupling " + short(p.coupling) + ", adds " + signed(p.value));
  })));
}
/* All there is to say of one node; `id` names the sentence of the sum. */
function why(E, id) {
  var box = h("div", { "class": "whybox" });
  if (E.sentences) box.appendChild(h("p", { "class": "sentences" }, E.sentences));
  if (!E.parts) {
    fill(box, {}, [E.neighbours.length ? drawing(E) : null,
      hint("This method's beliefs cannot be taken apart: links are as thick as their weight.")]);
    return box;
  }
  [row([E.neighbours.length ? card("Its neighbourhood", drawing(E)) : null, sumCard(E, id)]),
    row([parts("Known nodes that add most", ["node", "label", "adds"], E.top_labelled),
      note(parts("Features that speak", ["column", "whose", "amount", "weight", "adds"],
        E.features.map(function (f) { return ["" + f[0]].concat(f.slice(1)); })),
      "Bias " + signed(E.bias) + "; all columns and the bias: " + signed(E.feature_sum) + "." +
      (E.clamped ? " Its label stands in their place." : ""))]),
    h("details", {}, h("summary", {}, "Exactly, link by link"), row([
      note(parts("Neighbours that it arrives through", ["node", "label", "weight", "adds"], E.neighbours),
        "All neighbours together: " + signed(E.through_neighbours) + "."),
      parts("Other nodes that add most", ["node", "adds"], E.top_others.map(function (o) { return [o[0], o[2]]; })),
      pathsCard(E)]))].forEach(function (x) { if (x) box.appendChild(x); });
  return box;
}
function explanation() {
  document.title = D.node + " – Kith explanation";
  page.appendChild(D.is_likeliest
    ? h("h1", {}, "Why is node ", name(D.node), " in class ", name(D["class"]), "?")
    : h("h1", {}, "What speaks for class ", name(D["class"]), " at node ", name(D.node), "?"));
  page.appendChild(h("p", { "class": "soft" }, "Probability " + share(D.probability) + " by method " + D.method,
    D.is_likeliest ? "" : ["; the node is predicted to be in ", name(D.likeliest), " (" + share(D.likeliest_probability) + ")"],
    D.known ? ["; its known label is ", name(D.known)] : "", ". Kith " + D.version + "."));
  page.appendChild(why(D, "sum"));
}

/* The data, and what every part of the page is built of.  All text goes in as
 * text nodes. */
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
function none(x) { return x === null || x === undefined; }
function count(n) { return Number(n).toLocaleString("en-US"); }
function short(x) {
  if (none(x)) return "–";
  if (x !== 0 && Math.abs(x) < 0.001) return x.toExponential(1);
  return String(Number(x.toPrecision(4)));
}
function signed(x) { return (x > 0 ? "+" : "") + short(x); }
/* As kith_say_share() and kith_say_score(): the digits that decide. */
function share(x) {
  if (none(x)) return "–";
  var p = 100 * x, rest = Math.min(p, 100 - p);
  return rest < 1e-7 ? (p > 50 ? "100 %" : "0 %")
    : rest < .05 ? (p > 50 ? "over 99.9 %" : "under 0.1 %") : p.toFixed(rest < 1 ? 1 : 0) + " %";
}
function score(x) {
  if (none(x)) return "–";
  var rest = Math.min(Math.abs(x), Math.abs(1 - x));
  return rest < 1e-9 ? String(Math.round(x)) : x.toFixed(rest >= .02 ? 2 : rest >= .0005 ? 3 : 4).replace(/^0\./, ".");
}
function range(low, high, text) { return text(low).replace(" %", "") + " to " + text(high); }
function className(c) {
  return c < 0 ? "" : D.classes[c] ? D.classes[c][0] : "class " + c;
}
/* In a sentence a number is told from the counts beside it. */
function kind(c) { var n = className(c); return /^[0-9]/.test(n) ? "of class " + n : n; }
function section(title, text) {
  page.appendChild(h("h2", {}, title));
  if (text) page.appendChild(h("p", { "class": "soft" }, text));
}
function row(list) {
  var c = h("div", { "class": "cards" });
  list.forEach(function (x) { if (x) c.appendChild(x); });
  return c.firstChild ? c : null;
}
function cards() {
  var c = row([].slice.call(arguments));
  if (c) page.appendChild(c);
}
function card(title) {
  return fill(h("section", { "class": "card" }, h("h3", {}, title)), {},
    [].slice.call(arguments, 1));
}
/* How to read it. */
function hint(text) { return h("p", { "class": "soft hint" }, text); }
function pairs(rows) {
  return h("table", {}, h("tbody", {}, rows.map(function (r) {
    return h("tr", {}, h("th", { scope: "row" }, r[0]), h("td", { "class": "num" }, r[1]));
  })));
}
function scroll(label, e) {
  return h("div", { "class": "scroll", tabindex: 0, role: "region", "aria-label": label }, e);
}
function bar(v, most, minus) {
  return h("td", { "class": "bars" }, h("span", { "class": "bar" + (minus ? " minus" : ""),
    style: "width:" + Math.min(100, 100 * Math.abs(v) / most).toFixed(1) + "%" }));
}
/* Cells that a spreadsheet would take for a formula are told from one. */
function csv(rows) {
  return rows.map(function (r) {
    return r.map(function (x) {
      var t = String(x);
      if (typeof x === "string" && /^[=+\-@\t\r]/.test(t)) t = "'" + t;
      return /[",\r\n]/.test(t) ? '"' + t.replace(/"/g, '""') + '"' : t;
    }).join(",");
  }).join("\n") + "\n";
}
function download(file, text) {
  var a = h("a", { download: file, href: "data:text/csv;charset=utf-8," + encodeURIComponent(text) });
  document.body.appendChild(a); a.click(); a.remove();
}

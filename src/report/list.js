/* The nodes to look at.  A row is [id, class, its probability, evidence, known
 * class, links, words, detail]. */
var EVIDENCE = ["none", "weak", "some", "strong"];
var FIRST = 25, MORE = 100; /* rows shown, and by a click more */
var ID = 0, CLASS = 1, P = 2, EV = 3, LABEL = 4, DEGREE = 5, WORDS = 6, DETAIL = 7;

function chance(p) { return p >= .9995 ? "> .999" : p < .0005 ? "< .001" : score(p); }

/* Reason codes, as `kith rank --reasons` writes them. */
function codes(list) {
  return !list || !list.length ? null : h("p", { "class": "soft" }, "Reason codes: ", list.map(function (c, i) {
    return [i ? ", " : "", h("code", {}, c[0]), " " + share(c[1])];
  }), ".");
}

function listOf(lists) {
  var two = D.positive >= 0, told = !!D.evidence, now = lists[0], word = "", least = 0, shown = FIRST;
  var head = ["", "node", two ? "probability" : "class", told ? "evidence" : null, "why"];
  var columns = head.filter(function (x) { return x !== null; }).length;
  var body = h("tbody", { role: "rowgroup" }), info = h("p", { "class": "soft", role: "status" });
  var search = h("input", { type: "search", placeholder: "Search nodes, classes, reasons", "aria-label": "Search",
    oninput: function () { word = search.value.toLowerCase(); shown = FIRST; show(); } });
  var filter = h("select", { "aria-label": "Evidence", onchange: function () { least = +filter.value; shown = FIRST; show(); } },
    [["0", "any evidence"], ["2", "some or strong"], ["3", "strong only"]].map(function (o) {
      return h("option", { value: o[0] }, o[1]);
    }));
  var tabs = lists.map(function (l) {
    return h("button", { type: "button", onclick: function () { now = l; shown = FIRST; show(); } }, l.name);
  });
  var more = h("button", { type: "button", "class": "noprint", onclick: function () {
    var from = body.querySelectorAll("tr:not(.why)").length;
    shown += MORE; show();
    var next = body.querySelectorAll("tr button")[from];
    if (next) next.focus();
  } });
  function cells(r) { return [r[ID], className(r[CLASS]), r[P], r[EV] < 0 ? "" : EVIDENCE[r[EV]], className(r[LABEL]), r[DEGREE], r[WORDS]]; }
  function rows() {
    return now.rows.filter(function (r) {
      return (r[EV] < 0 || r[EV] >= least) && (!word || cells(r).join("\n").toLowerCase().indexOf(word) >= 0);
    });
  }
  function toggle(r, tr, button) {
    var open = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!open));
    if (open) { tr.parentNode.removeChild(tr.nextSibling); return; }
    var inside = r[DETAIL] >= 0 ? why(D.details[r[DETAIL]])
      : h("p", { "class": "soft" }, "Only the first rows carry their reasons here: 'kith explain MODEL NODE --graph DATA' has them for every node.");
    fill(inside, {}, [h("p", { "class": "soft" }, name(r[ID]), ": ", count(r[DEGREE]) + (r[DEGREE] === 1 ? " link" : " links"),
      r[LABEL] >= 0 ? ["; the label given is ", name(className(r[LABEL]))] : "", "."), r[DETAIL] >= 0 ? codes(D.details[r[DETAIL]].reasons) : null]);
    tr.parentNode.insertBefore(h("tr", { "class": "why", role: "row" }, h("td", { colspan: columns, role: "cell" }, inside)), tr.nextSibling);
  }
  function line(r, i) {
    var button = h("button", { type: "button", "class": "link", "aria-expanded": "false", onclick: function () { toggle(r, tr, button); } }, brief(r[ID]));
    var cell = function (c, x) { return h("td", { "class": c, role: "cell" }, x); };
    var tr = h("tr", { role: "row" }, cell("num soft", i + 1), cell("id", button),
      cell(two ? "num" : "", two ? chance(r[P]) : [brief(className(r[CLASS]), 18), " ", h("span", { "class": "soft" }, chance(r[P]))]),
      told ? cell("ev", h("span", { "class": "badge e" + r[EV] }, EVIDENCE[r[EV]])) : null,
      cell("words", [r[LABEL] >= 0 && r[LABEL] !== r[CLASS] ? ["given as ", name(className(r[LABEL])), "; "] : "", r[WORDS]]));
    return tr;
  }
  /* Where the list that the slider asks for ends. */
  function mark(k) {
    [].forEach.call(body.querySelectorAll("tr:not(.why)"), function (tr, i) {
      tr.classList.toggle("end", now === lists[0] && two && !word && least === 0 && i + 1 === k);
    });
  }
  var cut = 0;
  function show() {
    var list = rows();
    tabs.forEach(function (t, i) { t.setAttribute("aria-pressed", String(lists[i] === now)); });
    body.textContent = "";
    list.slice(0, shown).forEach(function (r, i) { body.appendChild(line(r, i)); });
    info.textContent = now.text + " " + count(Math.min(shown, list.length)) + " of " + count(list.length) +
      (list.length < now.rows.length ? " rows found among " + count(now.rows.length) : " rows") + ".";
    more.hidden = list.length <= shown;
    more.textContent = "Show " + count(Math.min(MORE, list.length - shown)) + " more";
    mark(cut);
  }
  cutWatchers.push(function (p) {
    cut = p[K];
    mark(cut);
  });
  show();
  return h("section", { "class": "list" }, h("div", { "class": "controls" }, lists.length > 1 ? tabs : null, search, told ? filter : null,
    h("button", { type: "button", onclick: function () {
      download("kith-" + now.file + ".csv", csv([["node", "class", "probability", "evidence", "label", "links", "why"]].concat(rows().map(cells))));
    } }, "Download csv")), info,
    h("div", { "class": "rows" },
      h("table", { role: "table" }, h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, head.map(function (t) {
        return t === null ? null : h("th", { scope: "col", role: "columnheader", "class": t === "probability" ? "num" : null }, t || h("span", { "class": "away" }, "place"));
      }))), body)), more);
}

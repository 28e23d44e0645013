// The HTML pages as a person would use them, in headless Chromium.  Makes its
// own pages with the command KITH; output is TAP, then `N passed, N failed`.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const KITH = process.env.KITH;
const DATA = process.env.DATA; // a folder of data sets, may be absent
const SHOTS = process.env.SHOTS; // where screenshots go, if wanted
const dir = mkdtempSync(join(tmpdir(), "kith-browser-"));
const at = (name) => join(dir, name);
const kith = (...args) => execFileSync(KITH, args, { cwd: dir, stdio: ["ignore", "pipe", "inherit"] });

// ---- pages ------------------------------------------------------------------

const HOSTILE = ["<script>window.hacked=1</script>", "\"q'uote\"", "🦄 & <img src=x onerror=window.hacked=2>",
  "שלום עולם", "</script><script>window.hacked=3</script>", "a\u202Egnp.exe", "normal"];
// The page of `kith paper`, of a data set whose first class has a hostile name.
function makePaper() {
  mkdirSync(at("papers"));
  kith("graph", "generate", "sbm", "--nodes", "300", "--classes", "7", "--features", "60", "--homophily", "0.8",
    "--train", "5", "--val", "10", "--test", "15", "-q", "-o", "drawn");
  kith("graph", "convert", "drawn", "papers/cora", "-q");
  mkdirSync(at("papers/cora/splits"), { recursive: true });
  renameSync(at("drawn/splits/0"), at("papers/cora/splits/paper-0"));
  const labels = readFileSync(at("papers/cora/labels.tsv"), "utf8");
  writeFileSync(at("papers/cora/labels.tsv"), labels.replace(/\t0$/gm, "\t" + HOSTILE[0]));
  kith("paper", "all", "--data", "papers", "-o", "paper", "--quick", "-q", "--methods",
    "logreg,lp,deepwalk,gcn,sgc,linbp,lcm,lcm-wo,lcm-em");
  renameSync(at("paper/paper.html"), at("paper.html"));
}
// Few accounts are fraud, and every fifth is known: balanced, as a user would.
function makeFraud() {
  kith("graph", "generate", "sbm", "--nodes", "6000", "--classes", "2", "--rare", "0.05", "--homophily", "0.97",
    "--degree", "12", "-q", "-o", "fraud");
  const labels = readFileSync(at("fraud/labels.tsv"), "utf8").replace(/\t0$/gm, "\tbenign").replace(/\t1$/gm, "\tfraud");
  writeFileSync(at("truth.tsv"), labels);
  writeFileSync(at("known.tsv"), labels.split("\n").filter((l) => /^\d*[05]\t/.test(l)).join("\n") + "\n");
  kith("classify", "fraud", "--labels", "known.tsv", "--balance", "--method", "lcm", "-q", "--save", "fraud.km");
  kith("report", "fraud.km", "--graph", "fraud", "--labels", "truth.tsv", "-q", "-o", "fraud.html");
  const unknown = labels.split("\n").find((l) => /^\d*[1-46-9]\tfraud$/.test(l)).split("\t")[0];
  kith("explain", "fraud.km", unknown, "--graph", "fraud", "--html", "-o", "fraud-why.html");
}
// Twelve classes with long names without a place to break, alike but for the end.
function makeLong() {
  kith("graph", "generate", "sbm", "--nodes", "600", "--classes", "12", "--homophily", "0.8", "--train", "10", "--val",
    "10", "--test", "20", "-q", "-o", "long");
  kith("graph", "convert", "long", "longer", "-q");
  const labels = readFileSync(at("longer/labels.tsv"), "utf8");
  writeFileSync(at("long.labels"), labels.replace(/\t(\d+)$/gm, "\tAveryveryverylongclassnamewithoutspaces_number_$1"));
  kith("classify", "long", "--labels", "long.labels", "--method", "bp", "--no-tune", "--iterations", "2", "-q",
    "--report", "long.html");
  kith("classify", "long", "--labels", "long.labels", "--method", "linbp", "--no-tune", "--hold-out", "0", "-q", "--save", "long.km");
  kith("explain", "long.km", "7", "--graph", "long", "--html", "-o", "long-why.html");
}
// Two classes and nodes with such names: three lists, and one class asked about.
function makeLongPair() {
  kith("graph", "generate", "sbm", "--nodes", "300", "--classes", "2", "--homophily", "0.8", "-q", "-o", "pair");
  kith("graph", "convert", "pair", "pairs", "-q");
  const long = (kind, n) => `Averyveryverylong${kind}withoutspacesandwithoutanend_number_${n}`;
  const edges = readFileSync(at("pairs/edges.tsv"), "utf8").split("\n").filter((l) => /^\d/.test(l))
    .map((l) => l.split("\t").slice(0, 2).map((n) => long("node", n)).join("\t"));
  const labels = readFileSync(at("pairs/labels.tsv"), "utf8").split("\n").filter((l) => /^\d/.test(l))
    .map((l) => l.split("\t")).map(([n, c]) => long("node", n) + "\t" + long("class", c));
  writeFileSync(at("pair.tsv"), edges.join("\n") + "\n");
  writeFileSync(at("pair.truth"), labels.join("\n") + "\n");
  writeFileSync(at("pair.known"), labels.filter((l, i) => i % 4 === 0).join("\n") + "\n");
  kith("classify", "pair.tsv", "--labels", "pair.known", "--method", "linbp", "--no-tune", "--hold-out", "0", "-q", "--save", "pair.km");
  kith("report", "pair.km", "--graph", "pair.tsv", "--labels", "pair.truth", "-q", "-o", "pair.html");
}
function makePages() {
  const edges = [];
  HOSTILE.forEach((a, i) => HOSTILE.slice(i + 1).forEach((b, k) => (i + k) % 2 || edges.push(`${a}\t${b}`)));
  writeFileSync(at("hostile.tsv"), edges.join("\n") + "\n");
  writeFileSync(at("hostile.labels"), [`${HOSTILE[0]}\t<b>bad</b>`, `${HOSTILE[1]}\t<b>bad</b>`,
    `${HOSTILE[3]}\tgood "one"`, `${HOSTILE[4]}\tgood "one"`].join("\n") + "\n");
  kith("classify", "hostile.tsv", "--labels", "hostile.labels", "--method", "linbp", "-q",
    "--report", "hostile.html", "--save", "hostile.km");
  kith("explain", "hostile.km", HOSTILE[2], "--graph", "hostile.tsv", "--html", "-o", "hostile-why.html");
  makeFraud();
  makeLong();
  makeLongPair();
  kith("graph", "generate", "sbm", "--nodes", "3000", "--classes", "60", "--features", "200", "-q", "-o", "many");
  kith("classify", "many", "--split", "0", "--no-tune", "--method", "linbp", "-q", "--report", "many.html");
  makePaper();
  const pages = ["paper.html", "hostile.html", "hostile-why.html", "fraud.html", "fraud-why.html", "many.html",
    "long.html", "long-why.html", "pair.html"];
  if (DATA && existsSync(join(DATA, "cora"))) {
    kith("classify", join(DATA, "cora"), "--split", "paper-0", "--no-tune", "--method", "lcm", "-q",
      "--report", "cora.html");
    pages.push("cora.html");
  }
  return pages;
}

// ---- harness ----------------------------------------------------------------

let passed = 0, failed = 0;
async function test(name, body) {
  try {
    await body();
    passed++;
    console.log(`ok browser_${name}`);
  } catch (e) {
    failed++;
    console.log(String(e.message || e).split("\n").map((l) => "# " + l).join("\n"));
    console.log(`not ok browser_${name}`);
  }
}
function check(truth, what) {
  if (!truth) throw new Error(what);
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--no-sandbox"] });
async function open(file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.troubles = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && page.troubles.push(m.text()));
  page.on("pageerror", (e) => page.troubles.push(e.message));
  page.on("request", (r) => /^(file|data):/.test(r.url()) || page.troubles.push("request: " + r.url()));
  await page.goto("file://" + at(file));
  return page;
}
// The lists: a row is place, button with the node, probability or class, evidence, why.
const ROWS = ".list tbody tr:not(.why)";
const column = (page, n) => page.$$eval(ROWS, (rows, k) => rows.map((r) => r.children[k].textContent), n);
const dataOf = async (page) => JSON.parse(await page.textContent("#data"));
const tab = (page, text) => page.click(`.list .controls button:has-text("${text}")`);
const told = (page) => page.textContent(".list [role=status]");
const plain = (text) => Number(text.replace(/[,>< ]/g, ""));
// As near as its digits say: ".99" is .985 to .995.
const near = (text, x) => Math.abs(Number(text) - x) <= .51 * Math.pow(10, -(text.split(".")[1] || "").length);
// All that opens is open, as far as the first row of each list.
async function openEach(page, visit) {
  await page.$$eval("details", (all) => all.forEach((d) => { d.open = true; }));
  const tabs = await page.$$(".list .controls button[aria-pressed=true], .list .controls button[aria-pressed=false]");
  for (const t of tabs.length ? tabs : [null]) {
    if (t) await t.click();
    const first = await page.$(".list button.link");
    if (first) await first.click();
    await page.$$eval("details", (all) => all.forEach((d) => { d.open = true; }));
    await visit();
  }
}


try {
  const pages = makePages();

  for (const file of pages) {
    await test(`${file}_is_quiet_small_and_fits`, async () => {
      check(statSync(at(file)).size < 5e6, "larger than 5 MB");
      check(!/https?:\/\/(?!www\.w3\.org\/2000\/svg)/.test(readFileSync(at(file), "utf8")), "names a URL");
      for (const width of [360, 1280])
        for (const colorScheme of ["light", "dark"]) {
          const page = await open(file, { viewport: { width, height: 800 }, colorScheme });
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          check(wide <= 0, `overflows by ${wide} at ${width}`);
          if (colorScheme === "light")
            await openEach(page, async () => {
              const more = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
              check(more <= 0, `overflows by ${more} at ${width} when opened`);
            });
          check(page.troubles.length === 0, page.troubles.join("; "));
          check((await page.$$("h1")).length === 1, "no heading");
          await page.context().close();
        }
    });
  }

  await test("hostile_ids_and_classes_stay_text", async () => {
    for (const file of ["hostile.html", "hostile-why.html"]) {
      const page = await open(file);
      check(await page.evaluate(() => window.hacked === undefined), "a script ran");
      check((await page.$$("main script, main img, main b b")).length === 0, "markup from the data");
      const emoji = HOSTILE[2];
      if (file === "hostile-why.html") {
        check((await page.textContent("h1")).includes(emoji), "the emoji id is not shown as it is");
      } else {
        const text = await page.textContent("main");
        check(text.includes("<b>bad</b>") && text.includes('good "one"'), "the class is not text");
        const bdi = (await page.$$eval(".list button.link bdi", (all) => all.map((x) => [x.textContent, x.title])))
          .filter((x) => x[1] === emoji);
        check(bdi.length === 1 && /^🦄 & <img.*….*=2>$/.test(bdi[0][0]), "the emoji id is not cut with its whole as title");
        check((await page.textContent(".list")).includes("</script><script>wind..."), "a cut id in words is not marked");
        let rows = 0;
        const tabs = await page.$$(".list button[aria-pressed]");
        check(tabs.length === 2, `${tabs.length} lists`);
        for (const t of tabs) {
          await t.click();
          for (const row of await page.$$(".list button.link")) { await row.click(); rows++; }
          check((await page.$$eval("tr.why p bdi", (all) => all.map((x) => x.textContent))).includes(emoji),
            "the emoji id is not shown as it is when opened");
        }
        check(rows === 4, `${rows} rows were opened`);
        check((await page.$$("main script, main img, main b b")).length === 0, "markup from the data after clicks");
        check(await page.evaluate(() => window.hacked === undefined), "a script ran after clicks");
      }
      check(page.troubles.length === 0, page.troubles.join("; "));
      await page.context().close();
    }
  });

  await test("each_list_is_in_the_order_it_says_and_grows", async () => {
    const page = await open("fraud.html");
    const data = await dataOf(page);
    check(data.likely.length === 1000 && data.uncertain.length === 100, "lists of another length");
    const sure = data.uncertain.map((r) => r[2]), likely = data.likely.map((r) => r[2]);
    check(likely.every((x, i) => i === 0 || likely[i - 1] >= x), "the most likely are not first");
    check(sure.every((x, i) => i === 0 || sure[i - 1] <= x), "the least certain are not first");
    for (const [text, list, says] of [["Most likely fraud", data.likely, "the most likely first"],
      ["Least certain", data.uncertain, "the least certain first"], ["Most surprising", data.surprising, "disagrees"]]) {
      await tab(page, text);
      const pressed = await page.$$eval(".list button[aria-pressed=true]", (all) => all.map((x) => x.textContent));
      check(pressed.join() === text, "pressed: " + pressed);
      const n = Math.min(25, list.length);
      check((await column(page, 0)).join() === [...Array(n).keys()].map((i) => i + 1).join(), text + ": places");
      check((await column(page, 1)).join() === list.slice(0, n).map((r) => r[0]).join(), text + ": nodes");
      const shown = await column(page, 2);
      check(shown.length === n && shown.every((x, i) => Math.abs(plain(x) - list[i][2]) < .006), text + ": probabilities");
      check((await column(page, 3)).every((x, i) => x === ["none", "weak", "some", "strong"][list[i][3]]), text + ": evidence");
      check((await column(page, 4)).every((x, i) => x.endsWith(list[i][6]) && x.length > 5), text + ": why");
      check((await told(page)).includes(says) && (await told(page)).includes(`${n} of ${list.length.toLocaleString("en-US")} rows`),
        text + ": " + await told(page));
    }
    await tab(page, "Most likely");
    await page.click("text=Show 100 more");
    check((await column(page, 1)).join() === data.likely.slice(0, 125).map((r) => r[0]).join(), "no 125 rows");
    check((await page.evaluate(() => document.activeElement.textContent)) === data.likely[25][0], "the focus is not on the first new row");
    check((await told(page)).includes("125 of 1,000 rows"), await told(page));
    await page.context().close();
  });

  await test("lists_filter_and_say_how_many", async () => {
    const page = await open("fraud.html");
    const data = await dataOf(page);
    const id = (await column(page, 1))[3];
    await page.fill("input[type=search]", id);
    const left = await column(page, 1), words = await column(page, 4);
    check(left.length >= 1 && left.length < 25 && left.includes(id), "the row is not found");
    check(left.every((x, i) => x.includes(id) || words[i].includes(id)), "rows without the word");
    check((await told(page)).includes(`${left.length} of ${left.length} rows found among 1,000`), await told(page));
    await page.fill("input[type=search]", "no such thing");
    check((await column(page, 1)).length === 0, "rows for nonsense");
    check((await told(page)).includes("0 of 0 rows found among 1,000"), "the count is not told: " + await told(page));
    await page.fill("input[type=search]", "");
    const strong = data.likely.filter((r) => r[3] === 3).length;
    check(strong > 25 && strong < 1000, `${strong} rows of strong evidence try nothing`);
    await page.selectOption("select[aria-label=Evidence]", "3");
    check((await column(page, 3)).every((x) => x === "strong"), "rows of other evidence");
    check((await told(page)).includes(`25 of ${strong} rows found among 1,000`), await told(page));
    await page.context().close();
  });

  await test("lists_can_be_downloaded_as_they_are_filtered", async () => {
    const page = await open("fraud.html");
    const data = await dataOf(page);
    const fetched = async () => {
      const [file] = await Promise.all([page.waitForEvent("download"), page.click("text=Download csv")]);
      return [file.suggestedFilename(), readFileSync(await file.path(), "utf8").trim().split("\n")];
    };
    const [name, text] = await fetched();
    check(name === "kith-likely.csv", name);
    check(text.length === 1001, `${text.length} lines`);
    check(text[0] === "node,class,probability,evidence,label,links,why", text[0]);
    const r = data.likely[0];
    check(text[1].startsWith([r[0], "fraud", r[2], "strong", "fraud", r[5], '"linked to '].join()), text[1]);
    check(text[1].endsWith(`${r[6]}"`), text[1]);
    await tab(page, "Least certain");
    await page.fill("input[type=search]", data.uncertain[5][0]);
    const found = await column(page, 1), [other, less] = await fetched();
    check(other === "kith-uncertain.csv" && less.length === found.length + 1 && less.length < 101, `${other}: ${less.length} lines`);
    check(less.slice(1).map((l) => l.split(",")[0]).join() === found.join(), "other rows than are shown");
    await page.context().close();
  });

  await test("a_node_shows_its_neighbourhood_by_keyboard_too", async () => {
    const page = await open("fraud.html");
    const data = await dataOf(page);
    const link = (await page.$$(".list button.link"))[5];
    const id = await link.textContent();
    await link.focus();
    await page.keyboard.press("Enter");
    check(await link.getAttribute("aria-expanded") === "true", "not expanded");
    const why = `${ROWS}:nth-child(6) + tr.why`;
    const label = await page.getAttribute(`${why} svg.around`, "aria-label");
    check(label.startsWith(`Neighbourhood of ${id}: `), label);
    const E = data.details[data.likely[5][7]];
    check(E.node === id && E.neighbours.length > 1, "another node's reasons");
    const drawn = await page.$$eval(`${why} svg.around circle title`, (all) => all.map((x) => x.textContent));
    for (const [node, known] of [[id, ""]].concat(E.neighbours))
      check(drawn.includes(node + (known ? ", known: " + known : ", not known")), `${node} is not among ${drawn.join("; ")}`);
    check((await page.textContent(`${why} .sentences`)) === E.sentences && E.sentences.includes("fraud"), "no sentence");
    const codes = await page.$$eval(`${why} code`, (all) => all.map((x) => x.textContent));
    check(codes.length > 0 && codes.join() === E.reasons.map((x) => x[0]).join(), "reason codes: " + codes);
    await page.keyboard.press("Enter");
    check((await page.$$("tr.why")).length === 0 && await link.getAttribute("aria-expanded") === "false", "it does not close");
    await page.context().close();
  });

  await test("the_heat_maps_show_the_numbers_of_the_data", async () => {
    const heats = (page) => page.$$eval("table.heat", (t) => t.map((x) => [...x.querySelectorAll("td")].map((d) => d.textContent)));
    const page = await open("fraud.html");
    const data = await dataOf(page), shown = await heats(page);
    check(shown.length === 2, `${shown.length} heat maps`);
    const as = (m) => m.map((v) => (v > 0 ? "+" : "") + v.toFixed(3)).join();
    check(shown[0].join() === as(data.coupling_start), "start: " + shown[0]);
    check(shown[1].join() === as(data.coupling), "learnt: " + shown[1]);
    const many = await open("many.html");
    const J = (await dataOf(many)).judged, confusion = await heats(many);
    check(confusion.length === 1 && confusion[0].map(plain).join() === J.confusion.join(), "confusion");
    await page.context().close();
    await many.context().close();
  });

  await test("the_slider_moves_what_is_expected_the_cut_and_the_list", async () => {
    const page = await open("fraud.html");
    const data = await dataOf(page), R = data.review, J = data.judged, pos = data.positive;
    const table = ".card:has(h3:text-is('Right and wrong at the cut')) td";
    const at = async () => ({ k: plain((await page.textContent("output.big")).split(" of ")[0]),
      says: await page.textContent(".tile p[aria-live]"), cut: (await page.$$eval(table, (all) => all.map((x) => x.textContent))).map(plain),
      end: await page.$$eval(ROWS, (all) => all.findIndex((x) => x.classList.contains("end"))) });
    const fits = (now, p) => {
      check(now.k === p[0], `${now.k} for ${p[0]}`);
      const hit = p[3], alarm = p[2] - p[3], miss = R.positives - hit;
      check(now.cut.join() === [hit, alarm, miss, R.judged - R.positives - alarm].join(), "the cut: " + now.cut);
      check(now.cut.reduce((a, b) => a + b) === J.nodes, "not all judged nodes");
      check(now.cut[0] + now.cut[2] === J.confusion[2 * pos] + J.confusion[2 * pos + 1], "not all frauds");
      check(now.says.startsWith(`Expect ${Math.round(p[0] * p[3] / p[2]).toLocaleString("en-US")} (`) && now.says.includes("to be fraud"), now.says);
      check(now.end === (p[0] <= 25 ? p[0] - 1 : -1), `the list ends at ${now.end}`);
    };
    const first = R.points.filter((p) => p[1] >= .5).pop();
    await page.waitForSelector(table);
    fits(await at(), first);
    for (const p of [R.points.find((q) => q[0] >= 5 && q[2] > 0), R.points[R.points.length - 1]]) {
      await page.$eval("#cut", (x, v) => { x.value = v; x.dispatchEvent(new Event("input")); }, R.points.indexOf(p));
      fits(await at(), p);
      check((await page.getAttribute("#cut", "aria-valuetext")).includes(p[0].toLocaleString("en-US") + " nodes"), "what is read out");
    }
    await page.focus("#cut");
    await page.keyboard.press("ArrowLeft");
    check((await at()).k === R.points[R.points.length - 2][0], "the arrow keys do nothing");
    await page.context().close();
  });

  await test("long_names_are_cut_in_the_middle_and_told_whole", async () => {
    const page = await open("long.html");
    const heads = await page.$$eval("table.heat tbody th", (all) => all.map((x) => x.textContent));
    check(new Set(heads.slice(0, 12)).size === 12, "rows look alike: " + heads.slice(0, 3));
    const titles = await page.$$eval("table.heat thead bdi", (all) => all.map((x) => x.title));
    check(titles.length >= 12 && titles.every((t) => t.startsWith("Averyvery")), "heads without the name");
    check(await page.evaluate(() => document.documentElement.scrollHeight) < 6000, "a very tall page");
    await page.context().close();
  });

  await test("many_classes_are_the_largest_and_it_is_said", async () => {
    const page = await open("many.html");
    const text = await page.textContent("main");
    check(/The 12 largest of 60 classes; the others are counted together/.test(text), "confusion");
    check(/The choice: the 12 largest of 60 classes/.test(text), "one class");
    check(/The 12 largest of 60 classes\.(?! The)/.test(text), "classes");
    const data = await dataOf(page);
    check(data.judged.confusion.length === 13 * 13 && data.judged.confusion_of[12] === -1, "13 rows");
    check(data.judged.confusion.reduce((a, b) => a + b) === data.judged.nodes, "nodes are missing");
    const J = data.judged, choice = await page.$$eval("select[aria-label=Class] option", (all) => all.map((x) => x.textContent));
    check(choice.join() === J.confusion_of.slice(0, 12).map((c) => data.classes[c][0]).join(), "choice: " + choice);
    for (const k of [0, 7, 11]) {
      await page.selectOption("select[aria-label=Class]", String(k));
      const sum = (f) => J.confusion.reduce((a, x, i) => a + (f(i) ? x : 0), 0), hit = J.confusion[13 * k + k];
      const said = sum((i) => i % 13 === k), so = sum((i) => Math.floor(i / 13) === k);
      const shown = await page.$$eval("table.one tr", (all) => all.map((x) => x.lastChild.textContent));
      check(shown.join() === [`${hit} of ${said}`, `${hit} of ${so}`].join(), `class ${k}: ${shown}`);
    }
    await page.context().close();
  });

  await test("what_was_not_learnt_or_did_not_converge_is_said", async () => {
    const page = await open("long.html");
    const text = await page.textContent("main");
    check(text.includes("Coupling (given, not learnt)") && !text.includes("Coupling learnt"), "coupling");
    check(text.includes("method bp does not learn them"), "weights");
    check(text.includes("It had not converged when it stopped"), "convergence");
    await page.context().close();
  });

  await test("each_score_and_each_curve_has_its_own_name", async () => {
    const page = await open("fraud.html");
    const data = await dataOf(page), J = data.judged;
    const rows = await page.$$eval(".card:has(h3:text-is('Scores')) tbody tr", (all) => all.map((x) => [...x.children].map((y) => y.textContent)));
    const of = { "accuracy": J.accuracy, "AUC": J.auc, "average precision": J.average_precision, "macro-F1": J.macro_f1,
      "log-loss": J.log_loss, "ECE": [J.ece] };
    check(rows.map((r) => r[0]).sort().join() === Object.keys(of).sort().join(), "scores: " + rows.map((r) => r[0]));
    for (const [name, value, range] of rows) {
      check(near(value, of[name][0]), `${name} ${value} is ${of[name][0]}`);
      const ends = range.split(" to ");
      check(name === "ECE" ? range === "–" : near(ends[0], of[name][1]) && near(ends[1], of[name][2]), `${name}: ${range}`);
    }
    const chart = await page.$eval("svg[aria-label^='Precision and recall']", (svg) => ({
      lines: [...svg.querySelectorAll("path[fill=none]")].map((x) => [x.getAttribute("stroke"), x.getAttribute("stroke-dasharray"), x.getAttribute("d")]),
      bands: svg.querySelectorAll("path[fill-opacity]").length,
      legend: [...svg.parentNode.querySelectorAll(".legend li")].map((x) =>
        [x.textContent, x.querySelector("line").getAttribute("stroke"), x.querySelector("line").getAttribute("stroke-dasharray")]) }));
    check(chart.bands === 2, `${chart.bands} bands`);
    check(chart.legend.map((l) => l[0]).join("; ") === "of the list, so many are fraud; of all there are, so many are in it", "names: " + chart.legend);
    const points = data.review.points.filter((p) => p[2] > 0);
    const truth = [(p) => p[3] / p[2], (p) => p[3] / data.review.positives];
    chart.legend.forEach(([name, colour, dashes], i) => {
      const line = chart.lines.find((l) => l[0] === colour && l[1] === dashes);
      check(line, "no curve looks like that of: " + name);
      const y = line[2].split(/[ML]/).slice(1).map((p) => (224 - Number(p.split(" ")[1])) / 214);
      check(y.length === points.length && y.every((v, k) => Math.abs(v - truth[i](points[k])) < .001), "the curve is another's: " + name);
    });
    await page.context().close();
  });

  await test("a_chart_alone_does_not_grow_and_letters_can_be_read", async () => {
    for (const width of [360, 1280]) {
      const page = await open("many.html", { viewport: { width, height: 800 } });
      const widest = await page.$$eval("svg[role=img]", (all) => Math.max(...all.map((x) => x.getBoundingClientRect().width)));
      check(widest <= 460, `a chart of ${widest} px`);
      await page.context().close();
    }
    const page = await open("long.html");
    const contrast = await page.evaluate(() => {
      const light = (c) => { c /= 255; return c <= .03928 ? c / 12.92 : Math.pow((c + .055) / 1.055, 2.4); };
      const of = (hex) => [1, 3, 5].map((i) => light(parseInt(hex.slice(i, i + 2), 16)))
        .reduce((sum, x, i) => sum + x * [.2126, .7152, .0722][i], 0);
      const style = getComputedStyle(document.documentElement);
      const card = of(style.getPropertyValue("--card").trim());
      return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => (card + .05) / (of(style.getPropertyValue("--c" + i).trim()) + .05));
    });
    check(contrast.every((x) => x >= 4.5), "contrast " + contrast.map((x) => x.toFixed(2)));
    await page.context().close();
  });

  await test("charts_have_titles_and_an_explanation_says_its_sum", async () => {
    const page = await open("fraud.html");
    const bare = await page.$$eval("svg[role=img]", (all) => all.filter((x) => !x.querySelector("title") || !x.getAttribute("aria-label")).length);
    check(bare === 0, `${bare} charts without a title`);
    const names = await page.$$eval("svg[role=img]", (all) => all.map((x) => x.getAttribute("aria-label").split(/:| \(/)[0]));
    check(names.join("; ") === "Precision and recall against how many are reviewed; Reliability; Edge weights at the start; " +
      "Edge weights learnt; Convergence", "charts: " + names.join("; "));
    for (const name of ["What a longer list brings", "Do its percentages hold?"])
      check((await page.$$eval(".card:has(svg)", (all, n) => all.filter((x) => x.querySelector("h3").textContent === n &&
        x.querySelector(".hint")).length, name)) === 1, "it is not said how to read: " + name);
    const why = await open("fraud-why.html");
    check(/the parts sum to .*residual/.test(await why.textContent("#sum")), "no sum");
    check((await why.$$eval("svg[role=img]", (all) => all.filter((x) => !x.querySelector("title") || !x.getAttribute("aria-label")).length)) === 0 &&
      (await why.$$("svg.around[role=img]")).length === 1, "its neighbourhood without a title");
    await page.context().close();
    await why.context().close();
  });

  await test("the_paper_page_has_tables_charts_and_matrices_without_script", async () => {
    const page = await open("paper.html", { javaScriptEnabled: false });
    const text = readFileSync(at("paper.html"), "utf8");
    check(!/<script/i.test(text), "a script");
    check(text.includes("&lt;script&gt;window.hacked=1"), "the class's name is not there as text");
    const titles = await page.$$eval("svg[role=img]", (all) => all.map((x) => [x.getAttribute("aria-label"),
      x.querySelector("title") && x.querySelector("title").textContent]));
    check(titles.length >= 8 && titles.every(([a, t]) => a && a === t), "figures without titles: " + titles.length);
    check((await page.$$("svg.matrix")).length === 3, "matrices");
    check((await page.$$("svg.matrix:first-of-type rect")).length >= 49, "squares");
    const tables = await page.$$eval("table", (all) => all.map((t) => t.rows.length));
    check(tables[0] === 10, `table 1 has ${tables[0]} rows`);
    await page.context().close();
  });

  await test("the_paper_page_prints_dark_on_white", async () => {
    const page = await open("paper.html", { colorScheme: "dark" });
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    const [paper, ink] = await page.evaluate(() => {
      const s = getComputedStyle(document.body);
      return [s.backgroundColor, getComputedStyle(document.querySelector("td")).color];
    });
    check(paper === "rgb(255, 255, 255)", "paper " + paper);
    check(/rgb\((\d+), (\d+), (\d+)\)/.exec(ink).slice(1).every((x) => Number(x) < 128), "ink " + ink);
    check((await page.pdf()).length > 10000, "an empty print");
    await page.context().close();
  });

  await test("it_can_be_printed", async () => {
    const page = await open("fraud.html", { viewport: { width: 718, height: 1000 }, colorScheme: "dark" });
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    check(!(await page.$$eval(".controls, input, select, .noprint", (all) => all.some((x) => x.offsetHeight > 0))), "controls on paper");
    for (const what of [".headline", ".tile.trust", "output.big", ".list [role=status]", ".list table", "table.heat", "#details"])
      check(await page.isVisible(what), what + " is not on paper");
    check((await page.textContent(".list [role=status]")).includes("the most likely first. 25 of 1,000"), "which list is not said");
    check((await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)) <= 0, "wider than the paper");
    const [paper, ink] = await page.evaluate(() => ["backgroundColor", "color"].map((k) => getComputedStyle(document.body)[k]));
    check(paper === "rgb(255, 255, 255)" && ink === "rgb(0, 0, 0)", `${ink} on ${paper}`);
    const exact = await page.$eval(".bar", (x) => getComputedStyle(x).printColorAdjust);
    check(exact === "exact", "bars without their colour: " + exact);
    // the page's own listener is before this one
    await page.evaluate(() => window.addEventListener("beforeprint", () => {
      const seen = (e) => e.checkVisibility({ contentVisibilityAuto: true }) && e.getBoundingClientRect().height > 0;
      const all = [...document.querySelectorAll("main table, main svg[role=img], main pre")];
      window.onPaper = [all.length, all.filter(seen).length];
    }));
    check(!(await page.isVisible(".params")), "the details are open before");
    check((await page.pdf()).length > 10000, "an empty print");
    const printed = await page.evaluate(() => window.onPaper);
    check(printed && printed[0] >= 15 && printed[0] === printed[1], "not all tables and charts: " + printed);
    check(!(await page.isVisible(".params")), "the details are open afterwards");
    await page.context().close();
  });

  if (SHOTS)
    for (const [file, out, options] of [["fraud.html", "report-light.png", { viewport: { width: 960, height: 750 } }],
      ["fraud.html", "report-dark.png", { viewport: { width: 960, height: 750 }, colorScheme: "dark" }],
      ["fraud-why.html", "explain.png", { viewport: { width: 1000, height: 900 } }]]) {
      const page = await open(file, options);
      await page.screenshot({ path: join(SHOTS, out) });
      await page.context().close();
    }
} finally {
  await browser.close();
  rmSync(dir, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;

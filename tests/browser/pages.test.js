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
  kith("graph", "generate", "sbm", "--nodes", "3000", "--classes", "60", "--features", "200", "-q", "-o", "many");
  kith("classify", "many", "--split", "0", "--no-tune", "--method", "linbp", "-q", "--report", "many.html");
  makePaper();
  const pages = ["paper.html", "hostile.html", "hostile-why.html", "fraud.html", "fraud-why.html", "many.html",
    "long.html", "long-why.html"];
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
const column = (page, n) => page.$$eval(".rows tbody tr", (rows, k) => rows.map((r) => r.children[k].textContent), n);

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
      const text = await page.textContent("main");
      check(text.includes("🦄 & <img src=x onerror=window.hacked=2>"), "the emoji id is not shown as it is");
      if (file === "hostile.html") {
        for (const tab of await page.$$(".controls button[aria-pressed]")) {
          await tab.click();
          for (const row of await page.$$(".rows button.link")) await row.click();
        }
        check(await page.evaluate(() => window.hacked === undefined), "a script ran after clicks");
        check((await page.textContent("main")).includes("<b>bad</b>"), "the class is not text");
      }
      check(page.troubles.length === 0, page.troubles.join("; "));
      await page.context().close();
    }
  });

  await test("tables_sort_by_every_column_both_ways", async () => {
    const page = await open("fraud.html");
    for (const k of [0, 2, 4]) {
      const number = (t) => Number(t.replace(/,/g, ""));
      await page.click(`.rows thead th:nth-child(${k + 1}) button`);
      const up = (await column(page, k)).map(number);
      check(up.length === 100 && up.every((x, i) => i === 0 || up[i - 1] <= x), `column ${k} does not rise`);
      await page.click(`.rows thead th:nth-child(${k + 1}) button`);
      const down = (await column(page, k)).map(number);
      check(down.every((x, i) => i === 0 || down[i - 1] >= x), `column ${k} does not fall`);
      check(await page.getAttribute(`.rows thead th:nth-child(${k + 1})`, "aria-sort") === "descending", "aria-sort");
    }
    await page.context().close();
  });

  await test("tables_filter_and_say_how_many", async () => {
    const page = await open("fraud.html");
    const first = (await column(page, 0))[3];
    await page.fill("input[type=search]", first);
    const left = await column(page, 0);
    check(left.length >= 1 && left.length < 100 && left.includes(first), "the row is not found");
    await page.fill("input[type=search]", "no such thing");
    check((await column(page, 0)).length === 0, "rows for nonsense");
    check((await page.textContent("[role=status]")).includes("0 of 100 rows"), "the count is not told");
    await page.context().close();
  });

  await test("tables_can_be_downloaded", async () => {
    const page = await open("fraud.html");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Download")]);
    const text = readFileSync(await download.path(), "utf8").trim().split("\n");
    check(text.length === 101, `${text.length} lines`);
    check(text[0] === "node\tpredicted\tconfidence\tlabel\tneighbours", text[0]);
    await page.context().close();
  });

  await test("a_node_shows_its_neighbourhood_by_keyboard_too", async () => {
    const page = await open("fraud.html");
    const link = (await page.$$(".rows button.link"))[5];
    const id = await link.textContent();
    await link.focus();
    await page.keyboard.press("Enter");
    const label = await page.getAttribute("section[aria-live] svg", "aria-label");
    check(label === "Neighbourhood of " + id, label);
    check((await page.$$("section[aria-live] svg circle")).length > 1, "no neighbours");
    await page.context().close();
  });

  await test("the_heat_map_shows_the_numbers_of_the_data", async () => {
    const page = await open("fraud.html");
    const data = JSON.parse(await page.textContent("#data"));
    const shown = await page.$$eval("table.heat", (t) => t.map((x) => [...x.querySelectorAll("td")].map((d) => d.textContent)));
    check(shown.length === 3, `${shown.length} heat maps`);
    const as = (m) => m.map((v) => (v > 0 ? "+" : "") + v.toFixed(3)).join();
    check(shown[1].join() === as(data.coupling_start), "start: " + shown[1]);
    check(shown[2].join() === as(data.coupling), "learnt: " + shown[2]);
    check(shown[0].map((x) => Number(x.replace(/,/g, ""))).join() === data.judged.confusion.join(), "confusion");
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
    check(/The 8 largest of \d+ classes/.test(text), "curves");
    const data = JSON.parse(await page.textContent("#data"));
    check(data.judged.confusion.length === 13 * 13 && data.judged.confusion_of[12] === -1, "13 rows");
    check(data.judged.confusion.reduce((a, b) => a + b) === data.judged.nodes, "nodes are missing");
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

  await test("each_curve_has_the_area_of_its_own_name", async () => {
    const page = await open("fraud.html");
    const data = JSON.parse(await page.textContent("#data"));
    const shown = await page.$$eval(".legend", (all) => all.slice(0, 2).map((x) => x.textContent));
    check(shown[0].includes(`AUC ${data.judged.curves[0].auc.toFixed(3)}`), shown[0]);
    check(shown[1].includes(`AP ${data.judged.curves[0].average_precision.toFixed(3)}`), shown[1]);
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
    check((await page.$$("svg[role=img]")).length >= 6, "charts are missing");
    const why = await open("fraud-why.html");
    check(/the parts sum to .*residual/.test(await why.textContent("#sum")), "no sum");
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
    const page = await open("fraud.html");
    await page.emulateMedia({ media: "print" });
    check(!(await page.isVisible(".controls")), "controls on paper");
    check((await page.$$eval(".paper", (all) => all.filter((x) => x.offsetHeight > 0).length)) === 3, "not all tables");
    const exact = await page.$eval(".bar", (x) => getComputedStyle(x).printColorAdjust);
    check(exact === "exact", "bars without their colour: " + exact);
    check((await page.pdf()).length > 10000, "an empty print");
    await page.context().close();
  });

  if (SHOTS)
    for (const [file, out, height, options] of [["cora.html", "report-cora.png", 1500, {}],
      ["paper.html", "paper.png", 1500, {}],
      ["fraud.html", "report-fraud.png", 1500, { colorScheme: "dark" }], ["fraud-why.html", "explain.png", 900, {}]]) {
      if (!existsSync(at(file))) continue;
      const page = await open(file, { viewport: { width: 1000, height }, ...options });
      await page.screenshot({ path: join(SHOTS, out) });
      await page.context().close();
    }
} finally {
  await browser.close();
  rmSync(dir, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;

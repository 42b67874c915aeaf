import { createHmac } from "node:crypto";
import { load } from "cheerio";
import { describe, expect, test, vi } from "vitest";
import { defaultChoices } from "../../src/config/choices.ts";
import { defaultConfig } from "../../src/config/default-world.ts";
import { findLanguage } from "../../src/config/languages.ts";
import { type LoadedConfig, loadConfig } from "../../src/config/load.ts";
import { recordBody } from "../../src/journal/journal.ts";
import { parseJournal } from "../../src/journal/journal-lines.ts";
import type { JournalRecord, LoadRecord } from "../../src/journal/record.ts";
import { Redactor } from "../../src/journal/redact.ts";
import { type ReportSource, reportFacts, reportFileText, reportTexts } from "../../src/report/make-report.ts";
import { ReportedImports } from "../../src/report/reported-imports.ts";
import { harProblems } from "../rig/har.ts";
import { exchangeRecord, loginRecord } from "../rig/journal-lines.ts";
import { rawControls } from "../rig/output.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

/** What an app may put into any text: markup, ends of what it stands in, controls, other directions of reading. */
const hostile = `</style></pre></title>"'><script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:1) | \`a\` --> \u001b[2J\u202e\u2066\r\u0000\u009b漢 עברית`;
const { signal } = new AbortController();
const body = (text: string) => recordBody(Buffer.from(text));

async function loaded(): Promise<LoadedConfig> {
  using directory = makeTempDir();
  return await loadConfig({}, {}, directory.path);
}

async function textsOf(records: readonly JournalRecord[], changes: Partial<ReportSource> = {}) {
  const facts = await reportFacts({
    loaded: await loaded(),
    journal: records,
    records,
    command: null,
    reliedOn: null,
    notes: [],
    madeAt: "2026-01-02T03:04:05.000Z",
    version: "1.2.3",
    signal,
    ...changes,
  });
  const text = async (end: string) => [...(await reportFileText(`report.${end}`, facts, signal))].join("");
  return { html: await text("html"), har: await text("har"), ndjson: await text("ndjson"), md: await text("md") };
}

const hostileRecords: readonly JournalRecord[] = [
  exchangeRecord("7h2k", {
    module: hostile,
    startedAt: hostile,
    request: { method: hostile, url: `http://a/${hostile}`, headers: [[hostile, hostile]], body: body(hostile) },
    response: { status: 500, headers: [[hostile, hostile]], body: body(hostile) },
    check: { run: 1, subject: hostile, id: hostile, role: hostile },
  }),
  exchangeRecord(hostile, { response: null, outcome: { kind: "undecodable", encoding: hostile, detail: hostile } }),
  loginRecord("login", { outcome: "denied", deniedBy: hostile, reason: hostile, user: { id: 1, role: hostile } }),
  {
    type: "oauth",
    id: "oauth",
    at: hostile,
    step: "authorize",
    client: hostile,
    user: null,
    outcome: "refused",
    error: hostile,
    reason: hostile,
    hint: hostile,
    warnings: [hostile],
    exchange: hostile,
  },
  {
    type: "foreign",
    id: "foreign",
    at: "2026-01-02T03:04:05.000Z",
    count: 1,
    method: hostile,
    path: hostile,
    origin: hostile,
  },
];
const hostileStrings = (text: string) => ({
  strings: [{ uniqId: hostile, identifier: hostile, text, [hostile]: hostile }],
});
const hostileJob = { sourceLanguage: { id: hostile }, targetLanguages: [], ...hostileStrings(hostile) };
const pictured: readonly JournalRecord[] = [
  exchangeRecord("job", {
    purpose: "post-import",
    request: { method: "POST", url: "http://a/", headers: [], body: body(JSON.stringify(hostileJob)) },
    response: { status: 200, headers: [], body: body(JSON.stringify({ data: hostileStrings(`${hostile} x`) })) },
  }),
  exchangeRecord("delivery", {
    purpose: "webhook",
    request: { method: "POST", url: "http://a/", headers: [["X-Platform-Signature", hostile]], body: body(hostile) },
  }),
];
const hostileCommand = { line: hostile, exitCode: 1, text: [hostile], warnings: [hostile] };

describe("whatever an app says", () => {
  test("S14 S15 is text in the page: no element, attribute, style or control character", async () => {
    const { html } = await textsOf([...pictured, ...hostileRecords], { command: hostileCommand, notes: [hostile] });
    expect(rawControls(html)).toEqual([]);
    const $ = load(html);
    expect([$(".strings").length, $("article ol").length]).toEqual([1, 1]);
    const elements = new Set(
      $("*")
        .get()
        .map((element) => $(element).prop("tagName")?.toLowerCase() ?? ""),
    );
    const own =
      "a article bdi body caption code dd del details div dl dt footer g h1 h2 h3 h4 head header html ins li main meta nav ol p path polyline pre rect section span strong style summary svg text table tbody td th thead title tr ul";
    expect([...elements].filter((name) => !own.split(" ").includes(name))).toEqual([]);
    const attributes = new Set(
      $("*")
        .get()
        .flatMap((element) => Object.keys($(element).attr() ?? {})),
    );
    const allowed =
      "aria-hidden aria-label aria-labelledby charset class content d data-of dir height href http-equiv id lang name open points preserveAspectRatio role scope tabindex viewBox width x y";
    expect([...attributes].filter((name) => !allowed.split(" ").includes(name))).toEqual([]);
    expect($("style")).toHaveLength(1);
    expect(
      $("a")
        .get()
        .filter(({ attribs }) => !/^#[\w-]+$/.test(attribs.href ?? "")),
    ).toEqual([]);
    expect($("pre").text()).toContain("<script>alert(1)</script>");
    const policy = $("meta[http-equiv=Content-Security-Policy]").attr("content");
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'$/);
  });

  test("S14 S15 is text in the summary: no markup, no control character", async () => {
    const { md } = await textsOf(hostileRecords, { command: hostileCommand, notes: [hostile] });
    expect(rawControls(md)).toEqual([]);
    const markup = md.replaceAll(/\\[\\`*_{}[\]<>|#@!~$]/g, "");
    expect(markup.split("\n").filter((line) => /[<>[\]`]/.test(line))).toEqual(["<!-- app-sim report -->"]);
    const cells = markup
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .map((line) => line.split("|").length);
    expect(new Set(cells)).toEqual(new Set([5, 6]));
  });

  test("S15 is data in the archive and the journal, which stay valid", async () => {
    const { har, ndjson } = await textsOf(hostileRecords.slice(1));
    expect(harProblems(JSON.parse(har))).toEqual([]);
    expect(rawControls(har + ndjson)).toEqual([]);
    expect(parseJournal(Buffer.from(ndjson))).toMatchObject({ unreadable: 0, torn: false });
    expect(parseJournal(Buffer.from(ndjson)).records).toHaveLength(4);
  });
});

test("S27 secrets are hidden in every format", async () => {
  const [app] = defaultConfig.apps;
  const secret = app?.clientSecret ?? "";
  const token = "eyJhbGciOiJIUzI1NiJ9.eyJhdWQiOiJhIn0.canary-signature";
  const headers = [
    ["Authorization", `Bearer ${token}`],
    ["Cookie", "session=canary-cookie"],
    ["X-Platform-Signature", "canary-of-webhooks"],
  ] as const;
  const issued = body('{"access_token":"canary-issued-token"}');
  const leak = `${secret} canary-signature canary-of-webhooks canary-issued-token`;
  const records = [
    exchangeRecord("token", { purpose: "token", response: { status: 200, headers: [], body: issued } }),
    exchangeRecord("7h2k", {
      request: { ...exchangeRecord("x").request, headers, url: "http://a/?code=canary-code" },
      response: { status: 200, headers: [["X-Echo", leak]], body: body(leak) },
    }),
    loginRecord("login", { outcome: "denied", reason: leak, exchanges: ["7h2k"] }),
  ];
  const command = { line: `app-sim guard ${secret}`, exitCode: 1, text: [leak], warnings: [leak] };
  const texts = await textsOf(records, { command });
  const bodies = parseJournal(Buffer.from(texts.ndjson)).records.flatMap((record) =>
    record.type === "exchange" ? [Buffer.from(record.response?.body.base64 ?? "", "base64").toString()] : [],
  );
  for (const text of [...Object.values(texts), ...bodies]) {
    expect(text).not.toContain("canary");
    expect(text).not.toContain(secret);
  }
});

test("the page says what was run, how it ended, what failed, and each exchange", async () => {
  const records = [
    exchangeRecord("good", {}),
    exchangeRecord("bad", { response: { status: 503, headers: [], body: body("") } }),
    loginRecord("login", { outcome: "denied", deniedBy: "office", reason: "Not now.", exchanges: ["bad"] }),
  ];
  const command = { line: "app-sim guard", exitCode: 1, text: ["Access denied"], warnings: ["careful"] };
  const { html, md } = await textsOf(records, { command, reliedOn: ["guard.timeout.final"] });
  const $ = load(html);
  expect($("html").attr("lang")).toBe("en");
  expect($("h1").text()).toBe("app-sim guard");
  expect($(".outcome").text()).toBe("Not as expected (exit code 1)");
  const heads = $("h2")
    .get()
    .map((head) => $(head).text());
  expect(heads).toEqual(["Summary", "What needs attention", "What was printed", "Exchanges", "Choices", "Versions"]);
  for (const link of $("nav a").get()) expect($(link.attribs.href ?? "")).toHaveLength(1);
  expect(
    $("#failures ~ table tbody tr")
      .get()
      .map((row) => $(row).find("th").text()),
  ).toEqual(["login as member", "guard office"]);
  expect($("article")).toHaveLength(3);
  expect($("article details[open]")).toHaveLength(1);
  expect($("#choices ~ table").text()).toContain("guard.timeout.final");
  expect(md).toContain("## app-sim: ✗ Not as expected (exit code 1)");
  expect(md).toMatch(/^\| login as member \| denied \| Not now\. \| login \|$/m);
});

test("names the apps that were called, not those configured now", async () => {
  const request = { method: "POST", url: "http://127.0.0.1:8090/ext/guard", headers: [], body: body("{}") };
  const { html } = await textsOf([exchangeRecord("7h2k", { purpose: "guard", request })]);
  expect(load(html)("dt:contains(App) + dd").first().text()).toBe("http://127.0.0.1:8090");
  const { html: without } = await textsOf([]);
  expect(load(without)("dt:contains(App) + dd").first().text()).toBe("http://127.0.0.1:3000");
});

test("the page redacts each exchange once, because that takes most of its time", async () => {
  const response = { status: 500, headers: [], body: body("{}") };
  const records = [exchangeRecord("7h2k"), exchangeRecord("9m4p", { response })];
  const source = { journal: records, records, command: null, reliedOn: null, notes: [], madeAt: "", version: "1.2.3" };
  const facts = await reportFacts({ ...source, loaded: await loaded(), signal });
  const redact = vi.spyOn(facts.redactor, "exchange");
  expect(
    load([...(await reportFileText("report.html", facts, signal))].join(""))("#failures + table tbody tr"),
  ).toHaveLength(1);
  expect(redact.mock.calls.map(([{ id }]) => id)).toEqual(["7h2k", "9m4p"]);
});

test("a format that only shows the records judges nothing, because that would take most of the time", async () => {
  const records = [exchangeRecord("7h2k"), loginRecord("login")];
  const source = { journal: records, records, command: null, reliedOn: null, notes: [], madeAt: "", version: "1.2.3" };
  const [onJudging, onWriting] = [vi.fn(), vi.fn()];
  const textOf = reportTexts({ ...source, loaded: await loaded(), signal }, onJudging, onWriting);
  const text = async (file: string) => [...(await textOf(file))].join("");
  const { har, ndjson, md } = await textsOf(records, { madeAt: "" });
  expect([await text("a.har"), await text("a.ndjson")]).toEqual([har, ndjson]);
  expect(onJudging).not.toHaveBeenCalled();
  expect([await text("a.md"), await text("b.md"), await text("b.har")]).toEqual([md, md, har]);
  expect(onJudging).toHaveBeenCalledOnce();
  expect(onWriting.mock.calls.flat()).toEqual(["a.har", "a.ndjson", "a.md", "b.md", "b.har"]);
});

test("the signature of a delivery is derived in the page, step by step and without its key", async () => {
  const sent = body('{"events":[]}');
  const delivery = (key: string, id: string) => {
    const signature = createHmac("sha256", key).update('{"events":[]}').digest("hex");
    const headers = [["X-Platform-Signature", signature]] as const;
    return exchangeRecord(id, {
      ...{ purpose: "webhook", module: "events" },
      request: { method: "POST", url: "http://127.0.0.1:3000/events", headers, body: sent },
    });
  };
  const [right, wrong] = [
    delivery("app-sim-app-secret", "right"),
    delivery("app-sim-client-secret-long-enough-for-HS256", "wrong"),
  ];
  const { html } = await textsOf([right, wrong]);
  const $ = load(html);
  expect([...$("article strong:contains(signature)").map((_, verdict) => $(verdict).text())]).toEqual([
    "✓ The signature matches: the app must acknowledge this delivery",
    "✗ The signature does not match: it was made with the client secret",
  ]);
  expect($("article ol").first().find("li").length).toBeGreaterThan(5);
  expect($("article ol").first().text()).toContain('{"events":[]}');
  expect(html).not.toMatch(/app-sim-(app|client)-secret/);
  expect(html).not.toContain(right.request.headers[0]?.[1]);
});

test("the latency of a load is drawn, with its numbers in a table and links to examples of its failures", async () => {
  const latency = { p50: 4, p95: 20, p99: 40, max: 60 };
  const { html } = await textsOf([exchangeRecord("slow"), loadRecord([0, 1000, 2000], latency)]);
  const $ = load(html);
  const points = $(".curve .p99 polyline").first().attr("points")?.split(" ") ?? [];
  expect(points).toHaveLength(3);
  expect(new Set(points.map((point) => point.split(",")[1])).size).toBe(1);
  expect($(".curve .failures")).toHaveLength(2);
  expect($(".event tbody tr:last-child").text()).toBe("total300154 ms20 ms40 ms60 ms");
  expect($(".event a").text()).toBe("slow");
  // Of a load of less than a moment a line is seen as well.
  const short = load((await textsOf([loadRecord([0], latency)])).html)(".curve .p50 polyline")
    .first()
    .attr("points");
  expect(short?.split(" ")).toHaveLength(2);
  const none = load((await textsOf([loadRecord([], null)])).html);
  expect(none(".event svg")).toHaveLength(0);
});

function loadRecord(starts: readonly number[], latency: LoadRecord["latency"]): LoadRecord {
  return {
    ...{ type: "load", id: "load", at: "2026-01-02T03:04:06.000Z", outcome: "failed", reason: null, latency },
    ...{ sent: 300, failed: 15, notSent: 0, seconds: 3, rate: 100, exchanges: ["slow"] },
    curve: starts.map((fromMs) => ({ fromMs, count: 100, failed: fromMs / 200, latency })),
  };
}

test("what an import made of its strings is a table in the page, word by word, without the app's markup", async () => {
  const language = findLanguage("en");
  const job = {
    ...{ jobType: "file-post-import", file: { id: 1, name: "a.json", content: "e30=" }, sourceLanguage: language },
    organization: { id: 1, domain: "acme", baseUrl: "http://a", apiBaseUrl: "http://a" },
    ...{ project: { id: 1, identifier: "p", name: "P" }, targetLanguages: [findLanguage("ar")] },
    strings: [
      {
        ...{ uniqId: "1", identifier: "<b>welcome", text: "Hi {name}" },
        translations: { ar: { text: "{name} مرحبا بكم" } },
      },
      { uniqId: "2", identifier: "same", text: "Same" },
    ],
  };
  const [first, second] = job.strings;
  const strings = [{ ...first, text: "Hi", translations: { ar: { text: "{name} مرحبا معكم" } } }, second];
  const record = exchangeRecord("7h2k", { purpose: "post-import", module: "tidy" });
  const sent = { ...record.request, body: body(JSON.stringify(job)) };
  const came = { status: 200, headers: [], body: body(JSON.stringify({ data: { strings } })) };
  const $ = load((await textsOf([{ ...record, request: sent, response: came }])).html);
  expect($("article details[open] li").text()).toContain(
    'warning import.text.placeholders: "<b>welcome" (data.strings[0].text) no longer has {name}',
  );
  expect($("#failures ~ table tbody").text()).toContain("200, with findings");
  const table = $("article table.strings");
  expect(table.find("tbody th").text().trim()).toBe("<b>welcome");
  expect(table.find('td[data-of="en"] del').text()).toBe("Hi {name}");
  expect(table.find('td[data-of="en"]').text()).toContain("no longer has {name}");
  const arabic = table.find('td[data-of="ar"] p[lang=ar][dir=rtl]');
  expect([arabic.find("del").text(), arabic.find("ins").text()]).toEqual(["بكم", "معكم"]);
  expect($("article").text()).toContain("1 came back unchanged.");
  const unchanged = { ...came, body: body(JSON.stringify({ data: { strings: job.strings } })) };
  expect(
    load((await textsOf([{ ...record, request: sent, response: unchanged }])).html)("article :is(li, .strings)"),
  ).toHaveLength(0);
});

test("an import is shown with its own files, and those of others are not read", () => {
  const exchange = (id: string, purpose: "post-import" | "file", url: string, sent: object, came: string) =>
    exchangeRecord(id, {
      ...{ purpose, module: "tidy" },
      request: { method: "POST", url, headers: [], body: body(JSON.stringify(sent)) },
      response: { status: 200, headers: [], body: body(came) },
    });
  const line = (text: string) => JSON.stringify({ uniqId: "1", identifier: "a", text });
  const records = [1, 2, 3].flatMap((number) => {
    const job = { stringsUrl: `http://platform/files/${number}.ndjson`, sourceLanguage: findLanguage("en") };
    const answer = JSON.stringify({ data: { strings: [JSON.parse(line(`came ${number}`))] } });
    return [
      exchange(`job${number}`, "post-import", "http://app/", { ...job, targetLanguages: [] }, answer),
      exchange(`file${number}`, "file", `http://proxy/files/${number}.ndjson`, {}, line(`sent ${number}`)),
    ];
  });
  const redactor = new Redactor([]);
  const redact = vi.spyOn(redactor, "exchange");
  const imports = new ReportedImports(records, defaultChoices, redactor);
  const [, , second] = records;
  if (second === undefined) throw new Error("no record");
  expect(imports.of(second, second)?.strings?.strings).toMatchObject([
    { texts: [{ before: "sent 2", after: "came 2" }] },
  ]);
  expect(redact.mock.calls.map(([{ id }]) => id)).toEqual(["file2"]);
});

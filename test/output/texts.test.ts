import { Chalk } from "chalk";
import { describe, expect, it } from "vitest";
import type { GuardResult } from "../../src/guard/guard-result.ts";
import { guardText } from "../../src/guard/guard-text.ts";
import { manifestText } from "../../src/manifest/manifest-text.ts";
import { jsonText } from "../../src/output/json.ts";
import { paintWith } from "../../src/output/paint.ts";
import { rightOnlyLine } from "../../src/output/text.ts";
import { importText } from "../../src/post-import/text/import-text.ts";
import { webhookText } from "../../src/webhook/webhook-text.ts";
import { type CallHandler, guardEntry, importEntry, manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import { rawControls } from "../rig/output.ts";
import { always, assemble, jobWith, record } from "../rig/simulation.ts";

const paint = paintWith(new Chalk({ level: 0 }), Number.POSITIVE_INFINITY);
const evil = "a\u001b[31mb\u202ec\u2028d\re\u009bf";
const none = () => [];

const guarded = manifestOf({ guards: [guardEntry("office"), guardEntry("vpn")] });

async function loginText(answer: CallHandler, serves: unknown = guarded): Promise<string[]> {
  await using app = await startFakeApp({ manifest: serves });
  app.answer(answer);
  const sim = await assemble({ app: { url: app.url } });
  return guardText(await sim.guard(), none, paint);
}

describe("S15: any text of an app is one harmless line of a text report", () => {
  it("login", async () => {
    const lines = await loginText(always({ success: false, message: evil }));
    expect(rawControls(lines.join("\n"))).toEqual([]);
    expect(lines.filter((line) => line.includes("[31mb"))).toEqual([
      expect.stringMatching(/^Access denied by office: /),
    ]);
  });

  it("import: identifiers, fields, languages, values and the paths of findings", async () => {
    await using app = await startFakeApp({ manifest: manifestOf({ imports: [importEntry("tidy")] }) });
    const sim = await assemble({ app: { url: app.url } });
    const job = jobWith([record("1", "Save", { identifier: evil })]);
    const translated = record("1", evil, { identifier: evil, translations: { uk: { text: evil } } });
    const texts = [];
    for (const answer of [
      { data: { strings: [translated] } },
      { data: { strings: [{ ...translated, translations: { [evil]: { text: 5 } } }] } },
      { error: { message: evil } },
    ]) {
      app.answer(always(answer));
      texts.push(importText(await sim.postImport({ name: evil, job }), none, paint, true).join("\n"));
    }
    expect(texts.flatMap(rawControls)).toEqual([]);
    expect(texts[0]).toMatch(/\n +\+ uk: a␛\[31mb/);
    expect(texts[1]).toMatch(/fault: data\.strings\[0\] "a␛\[31mb.*", translations\.a␛\[31mb.*import\.string\.shape/);
    expect(texts[2]).toMatch(/failed: a␛\[31mb/);
  });

  it("webhook and manifest", async () => {
    const webhooks = [webhookEntry("hook", ["project.approved", evil])];
    const imports = [importEntry("tidy", { fileName: evil })];
    await using app = await startFakeApp({
      manifest: manifestOf({ webhooks, imports, guards: [{ ...guardEntry("office"), key: evil, name: evil }] }),
    });
    app.answer((call) => call.send("", { status: 302, headers: { location: "/a\u009bb" } }));
    const sim = await assemble({ app: { url: app.url } });
    const delivered = webhookText(await sim.webhook([evil, "project.approved"]), none, paint);
    const read = manifestText(await sim.manifest(), paint);
    expect(rawControls([...delivered, ...read].join("\n"))).toEqual([]);
    expect(read.some((line) => line.includes("a␛[31mb"))).toBe(true);
  });
});

describe("a reason of any length", () => {
  const long = "long ".repeat(1000).trim();

  it("is cut at 500 characters as text, and whole as JSON: login", async () => {
    await using app = await startFakeApp({ manifest: guarded });
    app.answer(always({ success: false, message: long }));
    const result = await (await assemble({ app: { url: app.url } })).guard();
    const shown = guardText(result, none, paint).filter((line) => line.includes("long long"));
    expect(shown).toEqual([expect.stringMatching(/^Access denied by office: .{499}…$/)]);
    expect(JSON.parse(jsonText(result)).reason).toBe(long);
  });

  it("is cut at 500 characters as text, and whole as JSON: import", async () => {
    await using app = await startFakeApp({ manifest: manifestOf({ imports: [importEntry("tidy")] }) });
    app.answer(always({ error: { message: long } }));
    const result = await (await assemble({ app: { url: app.url } })).postImport({ name: "job", job: jobWith([]) });
    const shown = importText(result, none, paint, true).filter((line) => line.includes("long long"));
    expect(shown).toEqual([expect.stringMatching(/failed: .{499}…$/)]);
    expect(JSON.parse(jsonText(result)).jobs[0].error).toBe(long);
  });
});

describe("the last word of a login", () => {
  const deniedBy = async (serves: unknown, apps: 1 | 2): Promise<{ lines: string[]; result: GuardResult }> => {
    await using one = await startFakeApp({ manifest: serves });
    await using two = await startFakeApp({ manifest: serves });
    one.answer(always({ success: true }));
    two.answer(always({ success: false, message: "Not today." }));
    const urls = apps === 1 ? [two.url] : [one.url, two.url];
    const result = await (await assemble({ apps: urls.map((url) => ({ url })) })).guard();
    return { lines: guardText(result, none, paint), result };
  };

  it("is the reason of a denial, which is nowhere else", async () => {
    const { lines } = await deniedBy(guarded, 1);
    expect(lines.filter((line) => line.includes("Not today."))).toEqual(["Access denied by office: Not today."]);
  });

  it("names the app if several have guards", async () => {
    const { lines, result } = await deniedBy(manifestOf({ guards: [guardEntry("office")] }), 2);
    const { app } = result.stages.find(({ result: end }) => end === "denied") ?? {};
    expect(lines).toContain(`Access denied by office of ${app}: Not today.`);
    expect(app).toBe(result.stages.at(-1)?.app);
  });

  it("says that there was no guard to ask", async () => {
    const lines = await loginText(always({ success: true }), manifestOf({}));
    expect(lines.join("\n")).toMatch(/^Login failed: no auth-guard module is declared: nothing was checked$/m);
    expect(await loginText(always({ success: true }))).toContain("Access granted");
  });

  it("shows the hint of a failed guard once", async () => {
    const lines = await loginText((call) => call.send("", { status: 401 }));
    expect(lines.filter((line) => line.includes("CLIENT_SECRET"))).toHaveLength(1);
  });

  it("is not preceded by warnings that say the same", async () => {
    await using app = await startFakeApp({ manifest: guarded });
    app.answer(always({ success: true }));
    const granted = await (await assemble({ app: { url: app.url } })).guard();
    const shown = (warning: string, reason: string | null, hint: string | null) => {
      const stages = granted.stages.map((each) => (each.module === "office" ? { ...each, warnings: [warning] } : each));
      return guardText({ ...granted, stages, outcome: "needs-user", reason, hint }, none, paint).join("\n");
    };
    const cases = [
      [
        "a callback was not accepted: It has no state. (hint)",
        "the guard callback was refused with 400: It has no state.",
        null,
      ],
      [
        "a script of the page failed: x is null",
        "the time is over",
        "a script of the page failed: x is null; and more",
      ],
      ["the page could not load http://a/b: 404", "the app answered 404 (GET http://a/b)", null],
    ] as const;
    for (const [warning, reason, hint] of cases) {
      expect(shown(warning, reason, hint)).not.toContain("warning: ");
      expect(shown(warning, "something else", null)).toContain(`warning: ${warning}`);
    }
  });

  it("of an interrupted login is that nobody was let in", async () => {
    await using app = await startFakeApp({ manifest: guarded });
    const stop = new AbortController();
    const sim = await assemble({ app: { url: app.url } }, { signal: stop.signal });
    const login = sim.guard();
    await app.nextCall();
    stop.abort();
    const lines = guardText(await login, none, paint);
    expect(lines).toContain("Interrupted: access was not granted");
    expect(lines.some((line) => line.startsWith("Access "))).toBe(false);
  });
});

it("S15: a report of any number of modules is limited, and shows the failed ones", async () => {
  const keys = Array.from({ length: 300 }, (_, index) => String(index));
  await using app = await startFakeApp({
    manifest: manifestOf({
      guards: keys.map((key) => guardEntry(`g${key}`)),
      webhooks: keys.map((key) => webhookEntry(`w${key}`)),
    }),
  });
  app.answer((call) =>
    call.path.startsWith("/g")
      ? call.reply({ success: call.path !== "/g299", message: "not today" })
      : call.reply({}, { status: call.path === "/w299" ? 500 : 204 }),
  );
  const sim = await assemble({ app: { url: app.url } });
  const text = [
    ...guardText(await sim.guard(), none, paint),
    ...manifestText(await sim.manifest(), paint),
    ...webhookText(await sim.webhook(["project.translated"]), none, paint),
  ].join("\n");
  expect(text.split("\n").length).toBeLessThan(600);
  expect(text).toContain("… and 201 more stages; --format json has all");
  expect(text).toContain("… and 500 more modules; --format json has all");
  expect(text).toContain("… and 200 more deliveries; --format json has all");
  expect(text).toMatch(/guard g299 .* denied/);
  expect(text).toMatch(/webhook w299\n.*500/);
});

it.each([
  ["guard --role admin --app http://127.0.0.1:1 --tls", "--app http://127.0.0.1:1 --tls"],
  ["guard --tls --cert a.pem --key=b.pem --verbose", "--tls --cert a.pem --key=b.pem"],
  ["guard --choose a=b --choose c=d --ip 198.51.100.7", "--choose a=b --choose c=d"],
])("names the command that tries wrong requests, on the same platform: %s", (typed, flags) => {
  const [line] = rightOnlyLine("guard --tamper", { paint, typed: typed.split(" ") });
  expect(line).toMatch(new RegExp(`: app-sim guard --tamper ${flags}$`));
});

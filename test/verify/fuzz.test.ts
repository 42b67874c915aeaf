import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CheckResult, VerifyResult } from "../../src/checking/verify-result.ts";
import { languageIds } from "../../src/config/language-ids.ts";
import { randomJob, recordsOf, sentenceJob } from "../../src/fuzz-checks/random/jobs.ts";
import { anySpelling, spelledJson } from "../../src/fuzz-checks/random/json.ts";
import { knownLanguage } from "../../src/import-checks/call.ts";
import type { VerifyOptions } from "../../src/index.ts";
import { type ImportJob, stringRecordSchema } from "../../src/protocol/import-job.ts";
import { type CallHandler, guardEntry, importEntry, manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { startSimulation } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const serves = manifestOf({
  guards: [guardEntry("door")],
  imports: [importEntry("import")],
  webhooks: [webhookEntry("hook")],
});
const SEED = 4;

/** An app that imports every job as it is, but as the test says otherwise. */
const importing =
  (strange: (job: ImportJob) => { readonly status: number } | ImportJob["strings"] | null): CallHandler =>
  (call) => {
    const job = call.json() as ImportJob;
    const answer = strange(job);
    if (answer !== null && answer !== undefined && "status" in answer) return call.send("", answer);
    return call.reply({ data: { strings: answer ?? job.strings } });
  };

const textsOf = ({ strings = [] }: ImportJob) => strings.map(({ text }) => String(text));
const astral = /[\u{10000}-\u{10ffff}]/u;

/** What one check finds in an app that answers so. */
async function found(id: string, answer: CallHandler, options: VerifyOptions = {}): Promise<CheckResult> {
  await using run = await startSimulation({ serves, answer });
  const { checks } = await run.sim.verify({ only: [id], fuzz: 150, seed: SEED, ...options });
  expect(checks.map((check) => check.id)).toEqual([id]);
  return checks[0] as CheckResult;
}

const shownIn = ({ reason }: CheckResult) => reason?.split("; the smallest case: ")[1] ?? "";

describe("a random case that fails", () => {
  test("is shrunk to the smallest, shown, saved and found again by the commands that are printed", async () => {
    using directory = makeTempDir();
    await using app = await startFakeApp({ manifest: serves });
    app.answer(importing((job) => (textsOf(job).some((text) => astral.test(text)) ? { status: 500 } : null)));
    const run = (line: string) => runLine([...line.split(" "), "--port", "0"], { cwd: directory.path });
    const first = await run(
      `verify --only import.fuzz.answered --fuzz 100 --seed ${SEED} --app ${app.url} --format json`,
    );
    expect(first).toMatchObject({ code: 1, stderr: "" });
    const { checks }: VerifyResult = JSON.parse(first.stdout);
    const [check] = checks as [CheckResult];
    expect(check).toMatchObject({
      result: "fail",
      reason: expect.stringMatching(/^the app answered 500; the smallest case: \[/),
    });
    expect(check.exchanges).toHaveLength(1);

    const [saved, again, whole] = (check.hint ?? "").split("\n");
    const file = join(directory.path, "app-sim-found/import.fuzz.answered-import.json");
    expect(saved).toBe(`saved as ${file}`);
    const job: ImportJob = JSON.parse(readFileSync(file, "utf8"));
    expect(job.strings).toHaveLength(1);
    expect([...(textsOf(job)[0] ?? "")]).toEqual([expect.stringMatching(astral)]);

    expect(again).toBe(`app-sim post-import ${file} --details --app ${app.url}`);
    expect(await run(again?.replace("app-sim ", "") ?? "")).toMatchObject({ code: 1, stderr: "" });
    // The same once more, in text; what is there is not replaced.
    expect(whole).toBe(
      `app-sim verify --only import.fuzz.answered --module import --fuzz 100 --seed ${SEED} --app ${app.url}`,
    );
    const text = await run(whole?.replace("app-sim ", "") ?? "");
    expect(text.code).toBe(1);
    expect(text.stdout).toContain(shownIn(check));
    expect(text.stdout).toContain("import.fuzz.answered-import-2.json");
    expect(text.stdout).toMatch(/again {2}saved as [\s\S]*app-sim post-import/);
    expect(readdirSync(join(directory.path, "app-sim-found"))).toHaveLength(2);
  });

  test("is a job with the number of strings that is too many", async () => {
    using directory = makeTempDir();
    const answer = importing(({ strings = [] }) => (strings.length > 100 ? { status: 400 } : null));
    const check = await found("import.fuzz.accepted", answer, { found: directory.path });
    expect(check).toMatchObject({ result: "warn" });
    expect(shownIn(check)).toMatch(/^\[\{"uniqId":/);
    const job: ImportJob = JSON.parse(readFileSync(join(directory.path, "import.fuzz.accepted-import.json"), "utf8"));
    expect(job.strings).toHaveLength(101);
  });

  test("is a delivery with bytes other than the signed ones, as an event file", async () => {
    using directory = makeTempDir();
    const acknowledges: CallHandler = (call) =>
      call.send("", { status: /[\u0080-\uffff]/.test(call.body.toString()) ? 401 : 204 });
    const check = await found("webhook.fuzz.acknowledged", acknowledges, { found: directory.path });
    expect(check.reason).toMatch(
      /^the app answered 401 to a correctly signed delivery; the smallest case: \{"events":/,
    );
    const file = join(directory.path, "webhook.fuzz.acknowledged-hook.json");
    const { events } = JSON.parse(readFileSync(file, "utf8"));
    expect(events).toHaveLength(1);
    await using app = await startFakeApp({ manifest: serves });
    app.answer(acknowledges);
    const [, again = ""] = check.hint?.split("\n") ?? [];
    const args = again.replace("app-sim ", "").replace(/--app \S+/, `--app ${app.url} --port 0`);
    expect(await runLine(args.split(" "), { cwd: directory.path })).toMatchObject({ code: 1, stderr: "" });
  });

  test("is a login that a command repeats if its user is configured", async () => {
    const answer: CallHandler = (call) => {
      const { ipAddress } = call.json() as { readonly ipAddress: string };
      return ipAddress.includes(":") ? call.reply({}, { status: 400 }) : call.reply({ success: true });
    };
    const check = await found("guard.fuzz.answered", answer);
    expect(check.reason).toMatch(/^the app answered 400; the smallest case: \{"userId":\d+,/);
    expect(check.hint).toMatch(/^app-sim guard --module door --user member --ip \S*:\S* --yes --app http/);
  });

  test("brings the app down only as often as it comes back", async () => {
    await using app = await startFakeApp({ manifest: serves });
    app.answer(
      importing((job) => {
        if (textsOf(job).every((text) => !astral.test(text))) return null;
        void app.close();
        return { status: 500 };
      }),
    );
    const args = ["verify", "--only", "import.fuzz.answered", "--fuzz", "100", "--seed", "4", "--wait", "0.2"];
    const line = await runLine([...args, "--app", app.url, "--port", "0", "--format", "json"]);
    const { checks }: VerifyResult = JSON.parse(line.stdout);
    expect(checks).toMatchObject([{ result: "fail", hint: expect.stringContaining("saved as ") }]);
  });
});

describe("a run", () => {
  const right: CallHandler = (call) => {
    if (call.path === "/door") return call.reply({ success: true });
    return call.path === "/hook" ? call.send("", { status: 204 }) : importing(() => null)(call);
  };

  test("sends nothing random by default, and says how to enable it", async () => {
    await using run = await startSimulation({ serves, answer: right });
    const { checks } = await run.sim.verify({ only: ["import.fuzz"] });
    for (const check of checks) {
      expect(check).toMatchObject({
        result: "skip",
        reason: "it sends random requests",
        hint: "app-sim verify --fuzz 100",
      });
    }
    expect(run.app.calls).toEqual([]);
  });

  test("sends the same for the same seed, and other things for another", async () => {
    const sent = async (seed: number) => {
      await using run = await startSimulation({ serves, answer: right });
      await run.sim.verify({ only: ["import.fuzz.accepted"], fuzz: 10, seed });
      return run.app.calls.map((call) => JSON.stringify((call.json() as ImportJob).strings)).join("\n");
    };
    const first = await sent(1);
    expect(await sent(1)).toBe(first);
    expect(await sent(2)).not.toBe(first);
  });

  test("ends immediately when its time is over, or when it is interrupted", async () => {
    const interruption = new AbortController();
    await using run = await startSimulation({ serves, answer: right, signal: interruption.signal });
    const options = { only: ["import.fuzz"], fuzz: 100_000 };
    expect(await run.sim.verify({ ...options, timeout: 1000 })).toMatchObject({ failure: "timed-out" });
    const ended = run.sim.verify(options);
    run.app.answer((call) => {
      interruption.abort();
      return right(call);
    });
    expect(await ended).toMatchObject({ failure: "interrupted" });
  });
});

describe("random cases", () => {
  const some = fc.oneof(randomJob, sentenceJob);

  test("are legal jobs, for every language", () => {
    const property = fc.property(some, fc.constantFrom(...languageIds), (job, source) => {
      const records = recordsOf(job, knownLanguage(source), job.targets.map(knownLanguage));
      const ids = new Set(records.map(({ uniqId }) => uniqId));
      expect(ids.size).toBe(records.length);
      for (const each of records) {
        expect(stringRecordSchema.safeParse(each).success).toBe(true);
        // No NUL, no half of a character, and no sign that one was broken before.
        expect(JSON.stringify(each)).not.toMatch(/\\u0000|\\ud[89a-f]|\ufffd/);
        if (typeof each.text === "object")
          expect(Object.keys(each.text)).toEqual(knownLanguage(source).pluralCategoryNames);
      }
    });
    fc.assert(property, { numRuns: 50 });
  });

  test("are the same JSON in every spelling", () => {
    const property = fc.property(fc.jsonValue(), anySpelling, (value, spelling) => {
      const shuffled = { a: value, b: ['é \u{1F389} \\ " \n'] };
      expect(JSON.parse(spelledJson(shuffled, spelling).toString())).toEqual(JSON.parse(JSON.stringify(shuffled)));
    });
    fc.assert(property);
  });
});

import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { startSampleApp } from "../../examples/sample-app/app.js";
import { type ImportJob, type StringRecord, startSimulator } from "../../src/index.ts";
import { importEntry, manifestOf, unusedPort } from "../rig/fake-app.ts";
import { realJobs } from "../rig/real-jobs.ts";
import { onlyCall, record, startSimulation } from "../rig/simulation.ts";

const jobs = realJobs().map((file) => ({ file, name: basename(file) }));
const issued = {
  clientId: "app-sim-client",
  clientSecret: "app-sim-client-secret-long-enough-for-HS256",
  appSecret: "app-sim-app-secret",
};

function stringsOf(file: string): StringRecord[] {
  return (JSON.parse(readFileSync(file, "utf8")) as ImportJob).strings ?? [];
}

const texts = ({ text }: StringRecord) => (typeof text === "string" ? [text] : Object.values(text));
const isTrimmed = (string: StringRecord) => texts(string).every((text) => text === text.trim());

/** The same text, in each plural category, with an ending. */
function withEnding(text: StringRecord["text"], ending: string): StringRecord["text"] {
  if (typeof text === "string") return text + ending;
  return Object.fromEntries(Object.entries(text).map(([category, form]) => [category, form + ending]));
}

/** The record with every default of interface 2.5 written out. */
function writtenOut(string: StringRecord): StringRecord {
  const translations = Object.entries(string.translations ?? {}).map(([language, translation]) => [
    language,
    { ...translation, status: translation.status ?? "translated" },
  ]);
  const defaults = { context: "", maxLength: null, isHidden: null, hasPlurals: false, labels: [] };
  return { ...defaults, ...string, translations: Object.fromEntries(translations) };
}

/** The record without the fields that have their default. */
function leftOut(string: StringRecord): StringRecord {
  const defaults = ["null", "false", "[]", "{}"];
  const given = Object.entries(string).filter(([, value]) => !defaults.includes(JSON.stringify(value)));
  return { ...Object.fromEntries(given), uniqId: string.uniqId, identifier: string.identifier, text: string.text };
}

describe.skipIf(jobs.length === 0)("real jobs", () => {
  const vias = ["inline", "url"] as const;
  const eachWay = jobs.flatMap((job) => vias.map((via) => ({ ...job, via })));

  it.each(eachWay)("the sample app tidies $name sent by $via", async ({ file, via }) => {
    const port = await unusedPort();
    const app = await startSampleApp({ ...issued, authUrl: `http://127.0.0.1:${port}` });
    await using sim = await startSimulator({ app: { url: app.url }, port });
    const [job] = (await sim.postImport(file, { via })).jobs;
    await app.close();
    expect(job?.sent).toMatchObject({ via, contentVia: via });
    const sent = stringsOf(file);
    const untrimmed = sent.filter((string) => !isTrimmed(string)).map(({ uniqId }) => uniqId);
    const { changed, added, removed, unchanged, strings } = job?.changes ?? { strings: [] };
    expect(job).toMatchObject({ module: "tidy-strings", error: null, findings: [], sent: { strings: sent.length } });
    expect(job?.outcome).toBe(changed === 0 ? "not-modified" : "imported");
    expect([added, removed, (changed ?? 0) + (unchanged ?? 0)]).toEqual([0, 0, sent.length]);
    expect(strings).toHaveLength(changed ?? -1);
    expect(strings.map(({ uniqId }) => uniqId)).toEqual(expect.arrayContaining(untrimmed));
    for (const { uniqId, fields } of strings) {
      expect(fields.some(({ field }) => field === "text")).toBe(untrimmed.includes(uniqId));
      expect(["text", "isHidden", "labels"]).toEqual(expect.arrayContaining(fields.map(({ field }) => field)));
      expect(fields.find(({ field }) => field === "labels")?.after).toContain("reviewed-by-app");
    }
  });

  it.each(jobs)("an app's changes to $name are counted exactly", async ({ file }) => {
    const sent = stringsOf(file);
    const isChanged = (index: number) => index % 7 === 6;
    const dropped = 3;
    const added = [record("new 1", "Added by the app"), record("new 2", "Added as well")];
    await using run = await startSimulation({
      serves: manifestOf({ imports: [importEntry("suffix")] }),
      answer(call) {
        const strings = (call.json() as ImportJob).strings ?? [];
        const changed = strings.map((string, index) => {
          if (isChanged(index)) return { ...string, text: withEnding(string.text, " ✓") };
          return index % 2 === 0 ? writtenOut(string) : leftOut(string);
        });
        call.reply({ data: { strings: [...changed.toSpliced(dropped, 1), ...added] } });
      },
    });
    const [job] = (await run.sim.postImport(file)).jobs;
    const body = Buffer.from(JSON.stringify(JSON.parse(readFileSync(file, "utf8"))));
    expect(onlyCall(run.app).body.equals(body)).toBe(true);
    const changed = sent.filter((_, index) => isChanged(index));
    expect(job).toMatchObject({
      outcome: "imported",
      sent: { strings: sent.length, bytes: body.length },
      received: { strings: sent.length + 1 },
      changes: { changed: changed.length, added: 2, removed: 1, unchanged: sent.length - changed.length - 1 },
    });
    const of = (change: string) => job?.changes.strings.filter((string) => string.change === change) ?? [];
    expect(of("removed").map(({ uniqId }) => uniqId)).toEqual([sent[dropped]?.uniqId]);
    expect(of("added").map(({ uniqId }) => uniqId)).toEqual(["new 1", "new 2"]);
    expect(of("changed").map(({ uniqId, fields }) => ({ uniqId, fields }))).toEqual(
      changed.map(({ uniqId, text }) => ({
        uniqId,
        fields: [{ field: "text", before: text, after: withEnding(text, " ✓") }],
      })),
    );
  });
});

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { startSampleApp } from "../../examples/sample-app/app.js";
import { type ImportJob, type ImportOptions, type StringRecord, startSimulator } from "../../src/index.ts";
import type { ImportedJob } from "../../src/post-import/import-result.ts";
import { importEntry, manifestOf, startFakeApp, unusedPort } from "../rig/fake-app.ts";
import { realJobs } from "../rig/real-jobs.ts";
import { exchangesOf, jobWith, record } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

// Issue 5: inline and by URL are the same import, whatever the size.

const LIMIT_BYTES = 5_242_880;

/** The credentials that app-sim issues by default. */
const issued = {
  clientId: "app-sim-client",
  clientSecret: "app-sim-client-secret-long-enough-for-HS256",
  appSecret: "app-sim-app-secret",
};

type Via = NonNullable<ImportOptions["via"]>;

/** Has the sample app import a job, or the job in a file, once in each of these ways. */
async function importInto(job: ImportJob | string, ...ways: readonly Via[]): Promise<ImportedJob[]> {
  const port = await unusedPort();
  await using sim = await startSimulator({ app: { url: `http://127.0.0.1:${port}` } });
  const app = await startSampleApp({ ...issued, authUrl: sim.url, port });
  const imported: ImportedJob[] = [];
  try {
    for (const via of ways) {
      const source = typeof job === "string" ? job : { name: "job", job };
      imported.push(...(await sim.postImport([source], { via })).jobs);
    }
  } finally {
    await app.close();
  }
  return imported;
}

/** What an import comes to, however its job travelled; how near its payloads came to the limit is no part of it. */
function outcomeOf({ outcome, error, failure, changes, findings, received }: ImportedJob) {
  const lasting = findings.filter(({ check }) => check !== "import.size.near-limit");
  return { outcome, error, failure, changes, findings: lasting, received: received.strings };
}

/** The same job with so long a context that its JSON has this many bytes. */
function padded(job: ImportJob, bytes: number): ImportJob {
  const [first, ...others] = job.strings ?? [];
  if (first === undefined) throw new Error("a job without strings");
  const withContext = (context: string) => ({ ...job, strings: [{ ...first, context }, ...others] });
  const missing = bytes - Buffer.byteLength(JSON.stringify(withContext("")));
  return withContext("x".repeat(missing));
}

const jobs = realJobs().map((file) => ({ file, name: basename(file) }));

describe.skipIf(jobs.length === 0)("real jobs", () => {
  it.each(jobs)("$name is the same import inline and by URL", async ({ file }) => {
    const [inline, byUrl] = (await importInto(file, "inline", "url")) as [ImportedJob, ImportedJob];
    expect([inline.sent.via, inline.sent.contentVia]).toEqual(["inline", "inline"]);
    expect([byUrl.sent.via, byUrl.sent.contentVia]).toEqual(["url", "url"]);
    expect(byUrl.sent.strings).toBe(inline.sent.strings);
    expect(outcomeOf(byUrl)).toEqual(outcomeOf(inline));
    expect(inline).toMatchObject({ error: null, findings: [] });
  });

  /** Real strings, repeated until they fill a job of a little less than 5 MB. */
  function largeJob(file: string): ImportJob {
    using directory = makeTempDir();
    const lines = join(directory.path, "strings.ndjson");
    const envelope = join(directory.path, "job.json");
    const bytes = LIMIT_BYTES - 400_000;
    const options = ["--job", "1", "--bytes", `${bytes}`, "--out", lines, "--envelope", envelope];
    const program = join(file, "../make-large.mjs");
    execFileSync(process.execPath, [program, ...options, "--strings-url", "http://127.0.0.1/"], { stdio: "pipe" });
    const { stringsUrl: _, ...job } = JSON.parse(readFileSync(envelope, "utf8")) as ImportJob;
    const strings = readFileSync(lines, "utf8").trimEnd().split("\n");
    return { ...job, strings: strings.map((line) => JSON.parse(line) as StringRecord) };
  }

  let large: ImportJob;
  beforeAll(() => {
    large = largeJob(jobs[0]?.file ?? expect.fail());
  });

  it("of exactly 5 MB are the same import inline, by URL and by auto", async () => {
    const job = padded(large, LIMIT_BYTES);
    const imported = await importInto(job, "inline", "url", "auto");
    const [inline, byUrl, auto] = imported as [ImportedJob, ImportedJob, ImportedJob];
    expect([inline, auto].map(({ sent }) => [sent.via, sent.bytes])).toEqual(Array(2).fill(["inline", LIMIT_BYTES]));
    expect(byUrl.sent.via).toBe("url");
    expect(inline).toMatchObject({ outcome: "imported", error: null, changes: { added: 0, removed: 0 } });
    expect(inline.changes.changed).toBeGreaterThan(0);
    expect([byUrl, auto].map(outcomeOf)).toEqual(Array(2).fill(outcomeOf(inline)));
  });

  it("of 5 MB and 1 byte are sent by URL, or not at all", async () => {
    const job = padded(large, LIMIT_BYTES + 1);
    const imported = await importInto(job, "auto", "url", "inline");
    const [auto, byUrl, inline] = imported as [ImportedJob, ImportedJob, ImportedJob];
    expect(auto).toMatchObject({ outcome: "imported", error: null, sent: { via: "url", contentVia: "inline" } });
    expect(outcomeOf(byUrl)).toEqual(outcomeOf(auto));
    expect(auto.received.strings).toBe(job.strings?.length);
    expect(inline).toMatchObject({
      outcome: "failed",
      error: "the job is 5,242,881 bytes, over the limit of 5 MiB for a request",
      exchanges: [],
      sent: { bytes: LIMIT_BYTES + 1 },
    });
  });
});

it("20,000 strings by URL are counted one by one", async () => {
  const isUntidy = (index: number) => index % 5 === 0;
  const strings = Array.from({ length: 20_000 }, (_, index) =>
    record(`f00d::${index}`, isUntidy(index) ? ` Text ${index}` : `Text ${index}`),
  );
  const [job] = await importInto(jobWith(strings), "url");
  expect(job).toMatchObject({
    outcome: "imported",
    findings: [],
    sent: { strings: 20_000, via: "url" },
    received: { strings: 20_000, via: "url" },
    changes: { changed: 4000, unchanged: 16_000, added: 0, removed: 0, relabelled: 4000 },
  });
  expect(job?.changes.strings.map(({ uniqId }) => uniqId)).toEqual(
    strings.filter((_, index) => isUntidy(index)).map(({ uniqId }) => uniqId),
  );
});

describe("a hosted file that the app leaves early", () => {
  // More than the sockets in between hold, so that the rest is still on its way when the app leaves.
  const large = padded(jobWith([record("1", "Save")]), 20_000_000);

  it("is complete when it is fetched again", async () => {
    await using app = await startFakeApp({ manifest: manifestOf({ imports: [importEntry("import")] }) });
    let fetchedAgain = "";
    app.answer(async (call) => {
      const { stringsUrl } = call.json() as { stringsUrl: string };
      const { body } = await fetch(stringsUrl);
      const reader = body?.getReader();
      await reader?.read();
      await reader?.cancel();
      fetchedAgain = await (await fetch(stringsUrl)).text();
      call.reply({ data: { strings: [] } });
    });
    await using sim = await startSimulator({ app: { url: app.url } });
    const { jobs } = await sim.postImport({ name: "job", job: large }, { via: "url" });
    expect(jobs).toMatchObject([{ outcome: "imported", error: null }]);
    expect(JSON.parse(fetchedAgain)).toEqual(large.strings?.[0]);
    expect(exchangesOf(sim, "file").map(({ outcome }) => outcome.kind)).toEqual(["disconnected", "answered"]);
  });
});

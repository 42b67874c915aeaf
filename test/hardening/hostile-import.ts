import { expect } from "vitest";
import { type Exchange, startSimulator } from "../../src/index.ts";
import type { ImportedJob } from "../../src/post-import/import-result.ts";
import { noChanges } from "../../src/post-import/run/imported-job.ts";
import { type CallHandler, importEntry, manifestOf, startFakeApp } from "../rig/fake-app.ts";
import { type End, type HostileAnswer, job, type Place, sound } from "./hostile-answer.ts";
import { hostileContent } from "./hostile-content.ts";
import { hostileHttp } from "./hostile-http.ts";

/** Of each call, in milliseconds: for answers that never end, and for those that do, which come nowhere near it. */
const LIMIT_MS = { endless: 300, ending: 110_000 };
const ANSWER_LIMIT_BYTES = 5_242_880;
/** Nothing more is read of what is not read to its end, however much an app sends. */
const READ_AT_MOST_BYTES = 20_000_000;
/** Texts of changes may have 16 MiB in all, and the last one comes on top. */
const LARGEST_RESULT_CHARACTERS = 36_000_000;

/** The manifest of an app with one post-import module, at `/import`. */
export const manifest = manifestOf({ imports: [importEntry("import")] });

/** The hostile answers that an app can give in this place. */
export function hostileAnswersIn(place: Place): HostileAnswer[] {
  return [...hostileHttp, ...hostileContent].filter(({ ends }) => ends[place] !== undefined);
}

/** An app at this address that is in order but for its answer in one place. */
export function hostileApp(url: string, place: Place, play: HostileAnswer["play"]): CallHandler {
  const { strings } = JSON.parse(sound.answer).data;
  const naming = {
    stringsUrl: { stringsUrl: `${url}/stringsUrl` },
    previewUrl: { strings, previewUrl: `${url}/previewUrl` },
  };
  return (call) => {
    if (place === "answer" || call.path !== "/import") return play(call, sound[place]);
    call.reply({ data: naming[place] });
  };
}

/** Imports into an app with a hostile answer, and expects the end that it is to have. */
export async function expectEnd(hostile: HostileAnswer, place: Place): Promise<void> {
  const { play, ends, isEndless, fileLimit = ANSWER_LIMIT_BYTES } = hostile;
  const end = ends[place] as End;
  await using app = await startFakeApp({ manifest });
  app.answer(hostileApp(app.url, place, play));
  const limitMs = isEndless === true ? LIMIT_MS.endless : LIMIT_MS.ending;
  await using sim = await startSimulator({
    app: { url: app.url },
    choices: {
      "postImport.timeout": limitMs,
      "postImport.fetch.timeout": limitMs,
      "postImport.fetch.size": fileLimit,
    },
  });
  const { jobs } = await sim.postImport({ name: "job", job });
  // No answer leaves a connection behind.
  await Promise.all(app.calls.map(({ closed }) => closed));

  expect(jobs).toHaveLength(1);
  const [imported] = jobs as [ImportedJob];
  expect(JSON.stringify(imported).length).toBeLessThan(LARGEST_RESULT_CHARACTERS);
  if (end.reason === null) expectTaken(imported, end);
  else expectNothingApplied(imported, end, end.reason);

  const isFile = place !== "answer";
  expect(app.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "POST /import",
    ...(isFile ? [`GET /${place}`] : []),
  ]);
  const exchanges = sim.journal.list().filter((entry): entry is Exchange => entry.type === "exchange");
  expect(exchanges.map(({ purpose, outcome }) => `${purpose} ${outcome.kind}`)).toEqual([
    "manifest answered",
    ...(isFile ? ["post-import answered", `import-file ${end.outcome}`] : [`post-import ${end.outcome}`]),
  ]);
  expect(imported.exchanges).toEqual(exchanges.slice(1).map(({ id }) => id));
  const last = exchanges.at(-1);
  if (end.outcome !== "answered") expect(last?.response?.body.size ?? 0).toBeLessThan(READ_AT_MOST_BYTES);
  expect(last?.timings.totalMs).toBeLessThan(limitMs + 1000);
}

function expectTaken({ outcome, error, failure, changes, findings }: ImportedJob, { check }: End): void {
  expect({ outcome, error, failure }).toEqual({ outcome: "imported", error: null, failure: null });
  expect(changes).not.toEqual(noChanges);
  // That such an answer leaves strings out is what makes it small.
  const others = findings.filter((finding) => finding.check !== "import.string.removed");
  expect(others.map(({ check: id, result }) => `${result} ${id}`)).toEqual(check === null ? [] : [`warn ${check}`]);
}

function expectNothingApplied(job: ImportedJob, { outcome, check }: End, reason: RegExp): void {
  expect(job).toMatchObject({
    outcome: "failed",
    failure: outcome === "timed-out" ? "timed-out" : "other",
    preview: null,
    expected: null,
  });
  expect(job.error).toMatch(reason);
  // App-supplied text is harmless, and one line.
  expect(job.error).toMatch(/^[^\p{Cc}\p{Cf}]{3,400}$/u);
  expect(job.changes).toEqual(noChanges);
  const faults = job.findings.filter(({ result }) => result === "fail");
  expect(faults.length).toBeLessThanOrEqual(102);
  expect(faults[0]?.check ?? null).toBe(check);
}

import { expect, it } from "vitest";
import { importEntry, manifestOf } from "../rig/fake-app.ts";
import { always, jobWith, record, startSimulation } from "../rig/simulation.ts";

// S23: patterns come from the app, and a catastrophic one must not stop the platform.

const strings = [record("1", "Save")];
const evil = "^(a+)+$";
const job = jobWith(strings, { file: { id: 1, name: `${"a".repeat(40)}!`, content: "" } });

it("S23 the platform answers while a catastrophic pattern is tried, and the next module gets the job", async () => {
  await using run = await startSimulation({
    serves: manifestOf({ imports: [importEntry("evil", { fileName: evil }), importEntry("next")] }),
    answer: always({ data: { strings } }),
    choices: { "guard.jwt.algorithm": "ES256" },
  });
  let isDone = false;
  const importing = run.sim.postImport({ name: "the job", job }).finally(() => {
    isDone = true;
  });
  const answers: number[] = [];
  while (!isDone) answers.push((await fetch(`${run.sim.url}/.well-known/jwks.json`)).status);
  expect((await importing).jobs).toMatchObject([{ module: "next", outcome: "imported" }]);
  expect(new Set(answers)).toEqual(new Set([200]));
  expect(answers.length).toBeGreaterThan(10);
});

it("S23 simultaneous jobs each find their module", async () => {
  const modules = Array.from({ length: 5 }, (_, index) => importEntry(`m${index}`, { fileName: `^m${index}\\.` }));
  await using run = await startSimulation({
    serves: manifestOf({ imports: [importEntry("evil", { fileContent: evil }), ...modules] }),
    answer: always({ data: { strings } }),
  });
  const bait = Buffer.from(job.file.name).toString("base64");
  const results = await Promise.all(
    modules.map(({ key }, index) => {
      const file = { id: 1, name: `${key}.json`, content: index === 2 ? bait : "" };
      return run.sim.postImport({ name: key, job: jobWith(strings, { file }) });
    }),
  );
  expect(results.flatMap(({ jobs }) => jobs.map(({ module }) => module))).toEqual(modules.map(({ key }) => key));
});

it("S23 if no module fits, each says why", async () => {
  const serves = manifestOf({
    imports: [
      importEntry("evil", { fileName: evil }),
      importEntry("flagged", { fileName: "(?i)a" }),
      importEntry("anchored", { fileName: "\\Aa" }),
      importEntry("xml", { fileName: "\\.xml$" }),
    ],
  });
  await using run = await startSimulation({ serves });
  const { jobs } = await run.sim.postImport({ name: "the job", job });
  const name = `"${job.file.name}"`;
  expect(jobs).toMatchObject([{ module: null, outcome: "skipped" }]);
  expect(jobs[0]?.error?.split("; ")).toEqual([
    `no module fits the file: evil: its fileName ${evil} takes more than 1000 ms on ${name}`,
    "flagged: its fileName (?i)a is not a valid regular expression: (?i) is not JavaScript: write out what the flag means, such as [aA] for either case",
    `anchored: its fileName \\Aa does not match ${name} (\\A is not JavaScript: write ^ for the beginning)`,
    `xml: its fileName \\.xml$ does not match ${name}`,
  ]);
});

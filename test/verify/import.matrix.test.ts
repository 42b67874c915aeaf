import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Chalk } from "chalk";
import { describe, expect, test } from "vitest";
import { paintWith } from "../../src/output/paint.ts";
import { noEvidence } from "../../src/platform/result-evidence.ts";
import { verifyText } from "../../src/verify/text/verify-text.ts";
import { importEntry, manifestOf } from "../rig/fake-app.ts";
import { startSimulation } from "../rig/simulation.ts";
import { type Edit, startEditedApp } from "./edited-app.ts";
import { faultsOf, variationsOf } from "./faults.ts";

/** No correct app is kept waiting so long; a fault may be that nothing ever comes. */
const quick = { choices: { "postImport.timeout": 2000 } };
/** What takes an app some seconds to answer on a busy machine. */
const LARGE = /large|limit/;

const patterned = (patterns: string) => [
  {
    file: "app.js",
    from: '{ key: "tidy-strings", url: "/post-import" }',
    to: `{ key: "tidy-strings", url: "/post-import", signaturePatterns: ${patterns} }`,
  },
];

describe("the import of the sample app", () => {
  test("passes every check", async () => {
    await using edited = await startEditedApp([]);
    const { checks } = await edited.sim.verify({ only: ["import"] });
    expect(checks.filter(({ result }) => result !== "pass" && result !== "skip")).toEqual([]);
    const skipped = checks
      .filter(({ result, id }) => result === "skip" && !id.startsWith("import.fuzz."))
      .map(({ id }) => id);
    // Its tokens are signed with a secret and name no key: there is no public key to misuse. And what has to time out or expire takes long.
    // Its previews stand in its answers, and it asks for files without compression.
    expect(skipped.toSorted()).toEqual([
      "import.answer.preview-type",
      "import.content-host.hangs",
      "import.strings-host.hangs",
      "import.strings-host.packed",
      "import.token.expired-again",
      "import.token.hs256-with-public-key",
      "import.token.kid-missing",
    ]);
  });
});

describe("faults of imports", () => {
  test.concurrent.each(faultsOf("import"))("$id: $says", async ({ edits, checks: expected }) => {
    await using edited = await startEditedApp(edits, expected.some((id) => LARGE.test(id)) ? {} : quick);
    const { checks } = await edited.sim.verify({ only: expected, slow: true });
    const found = checks.filter(({ result }) => result === "fail" || result === "warn").map(({ id }) => id);
    for (const id of expected) expect(found).toContain(id);
  });
});

test("an app that is stuck after an error gets a finding about that, in whichever order checks run", async () => {
  const edits = faultsOf("import").find(({ id }) => id === "import-stuck")?.edits ?? [];
  for (const seed of [1, 2, 3]) {
    await using edited = await startEditedApp(edits, quick);
    const { checks } = await edited.sim.verify({ only: ["import.errors", "import.request"], seed });
    expect(checks.filter(({ result }) => result === "fail").map(({ id }) => id)).toEqual(["import.errors.recovers"]);
  }
});

describe("ways to write imports", () => {
  test.concurrent.each(variationsOf("import"))("right too: $id: $says", async ({ edits }) => {
    await using edited = await startEditedApp(edits);
    const { checks } = await edited.sim.verify({ only: ["import"], skip: ["import.token.*", "import.limit"] });
    expect(checks.filter(({ result }) => result !== "pass" && result !== "skip")).toEqual([]);
  });

  test("an app that normalizes texts to NFKC gets a warning that names characters", async () => {
    const edits = faultsOf("import").find(({ id }) => id === "import-compatible-characters")?.edits ?? [];
    await using edited = await startEditedApp(edits);
    const { checks } = await edited.sim.verify({ only: ["import.text"] });
    expect(
      checks.filter(({ result }) => result !== "pass").map(({ id, result, reason }) => [id, result, reason]),
    ).toEqual([["import.text.encoding", "warn", 'the text of "astral" was normalized to NFKC: \u{1D538} became A']]);
  });

  test("an app that accepts imports without any token gets one finding", async () => {
    const edits = faultsOf("import").find(({ id }) => id === "import-any-token")?.edits ?? [];
    await using edited = await startEditedApp(edits);
    const { checks } = await edited.sim.verify({ only: ["import.token"] });
    expect(checks.filter(({ result }) => result !== "skip").map(({ id, result }) => [id, result])).toEqual([
      ["import.token.missing", "warn"],
    ]);
    expect(checks.find(({ id }) => id === "import.token.expired")?.reason).toBe(
      "the app accepts imports without any token",
    );
  });
});

test("an app that answers jobs by URL with nothing valid gets one finding, and no false ones", async () => {
  await using run = await startSimulation({
    serves: manifestOf({ imports: [importEntry("import")] }),
    answer: (call) => {
      const { strings } = JSON.parse(call.body.toString() || "{}") ?? {};
      call.reply({ data: { strings } });
    },
  });
  const only = ["import.same", "import.lines", "import.parallel", "import.limit.by-url", "import.strings-host"];
  const result = await run.sim.verify({ only: [...only, "import.request.unreadable-strings"] });
  const found = result.checks.filter(({ result: end }) => end === "fail" || end === "warn");
  expect(found.map(({ id }) => id)).toEqual(["import.same.by-url"]);
  const resting = result.checks.filter(({ result: end }) => end === "inconclusive");
  expect(resting.length).toBeGreaterThan(20);
  expect(new Set(resting.map(({ reason }) => reason))).toEqual(
    new Set(["the app gives no valid answer to a plain job with stringsUrl, too: see import.same.by-url"]),
  );
  const text = verifyText(result, noEvidence, paintWith(new Chalk({ level: 0 }), Number.POSITIVE_INFINITY));
  expect(text.join("\n")).toMatch(/^\? inconclusive \d+ checks that depend on what import\.same\.by-url is about\n/m);
  expect(text.join("\n")).toContain("fix    first fix what import.same.by-url reports: until then");
});

test("an app that never requests stringsUrl gets one finding that says so, and no false ones", async () => {
  await using run = await startSimulation({
    serves: manifestOf({ imports: [importEntry("import")] }),
    answer: (call) => {
      const { strings = [] } = JSON.parse(call.body.toString() || "{}") ?? {};
      call.reply({ data: { strings } });
    },
  });
  const only = ["import.same.by-url", "import.lines", "import.strings-host"];
  const { checks } = await run.sim.verify({ only });
  const found = checks.filter(({ result: end }) => end === "fail" || end === "warn");
  expect(found.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([
    expect.stringMatching(
      /^import\.same\.by-url: the app never requested stringsUrl: .* is in only one of the two answers$/,
    ),
  ]);
  const others = checks.filter(({ result }) => result === "inconclusive").map(({ reason }) => reason);
  expect(new Set(others)).toEqual(new Set(["the app never requests stringsUrl: see import.same.by-url"]));
});

test("an app that accepts no job by URL gets one finding; other checks by URL are inconclusive", async () => {
  const edits = faultsOf("import").find(({ id }) => id === "import-no-strings-by-url")?.edits ?? [];
  await using edited = await startEditedApp(edits);
  const { checks } = await edited.sim.verify({
    only: ["import.same", "import.lines", "import.parallel", "import.limit.by-url"],
  });
  expect(checks.filter(({ result }) => result === "fail" || result === "warn").map(({ id }) => id)).toEqual([
    "import.same.by-url",
  ]);
  const inconclusive = checks.filter(({ result }) => result === "inconclusive");
  expect(inconclusive.map(({ id }) => id).toSorted()).toEqual([
    "import.limit.by-url",
    "import.lines.long",
    "import.lines.multi-byte",
    "import.lines.separators",
    "import.parallel.unmixed",
    "import.same.many-by-url",
    "import.same.plurals-by-url",
  ]);
  expect(inconclusive.every(({ reason }) => reason?.endsWith("see import.same.by-url"))).toBe(true);
});

describe("the job of verify", () => {
  test("matches the patterns of the module", async () => {
    await using edited = await startEditedApp(
      patterned(String.raw`{ fileName: "^strings_[a-z]+\\.(json|jsonc)$", fileContent: '"greeting"' }`),
    );
    const { checks } = await edited.sim.verify({ only: ["import.job"] });
    expect(checks.filter(({ result }) => result !== "pass")).toEqual([]);
  });

  test("is a fixture if none of its own matches, and is requested otherwise", async () => {
    const edits = patterned(String.raw`{ fileName: "(?<=special)\\.cfg$" }`);
    await using edited = await startEditedApp(edits);
    const { checks, outcome } = await edited.sim.verify({ only: ["import.job"] });
    expect(outcome).toBe("failed");
    expect(checks.every(({ result, hint }) => result === "skip" && hint?.includes('"fixtures"'))).toBe(true);

    const directory = await mkdtemp(path.join(tmpdir(), "verify-"));
    const fixture = path.join(directory, "special.json");
    const file = { name: "special.cfg", content: Buffer.from("a=A").toString("base64") };
    await writeFile(fixture, JSON.stringify({ file, strings: [{ identifier: "a", text: "A" }] }));
    await using told = await startEditedApp(edits, { verify: { fixtures: [fixture] } });
    const { checks: found } = await told.sim.verify({ only: ["import.job"] });
    await rm(directory, { recursive: true });
    expect(found.filter(({ result }) => result !== "pass")).toEqual([]);
  });
});

describe("the job of verify.fixtures", () => {
  /** What an app is there to change, and no job of verify has. */
  const strings = [
    {
      identifier: "wait",
      text: "HOLD: wait ",
      labels: ["web", "web"],
      translations: { uk: { text: "Чекайте...", status: "approved" }, de: { text: "Warten" } },
    },
    { identifier: "files", hasPlurals: true, text: { one: " HOLD: {n} file", other: "{n} files" } },
    { identifier: "bye", text: "Bye" },
  ];

  /** The findings about the answers to this job, if the app treats its strings so. */
  async function findingsAfter(change: string, others: readonly Edit[] = []) {
    const directory = await mkdtemp(path.join(tmpdir(), "verify-"));
    const fixture = path.join(directory, "own.json");
    const file = { name: "own.json", content: Buffer.from("{}").toString("base64") };
    await writeFile(fixture, JSON.stringify({ file, targetLanguages: ["uk", "de"], strings }));
    const own = `if (JSON.stringify(string.text).includes("HOLD")) return ${change};`;
    const begin = '  const forms = typeof string.text === "string"';
    const edits = [{ file: "strings.js", from: begin, to: `  ${own}\n${begin}` }, ...others];
    await using edited = await startEditedApp(edits, { verify: { fixtures: [fixture] } });
    const { checks } = await edited.sim.verify({ only: ["import.answer"] });
    await rm(directory, { recursive: true });
    return checks.filter(({ result }) => result !== "pass" && result !== "skip").map(({ id, reason }) => [id, reason]);
  }

  test.concurrent.each([
    [
      "{ ...string, translations: { uk: { ...string.translations?.uk, text: 'x', status: 'changed' } } }",
      "import.answer.strings",
      /^in its answer to the correct job, data\.strings\[0\]\.translations\.uk\.status /,
    ],
    ["{ ...string, labels: ['', ''] }", "import.answer.values", /^in its answer to the correct job, .*labels/],
    ["{ ...string, translations: { fr: { text: 'x' } } }", "import.answer.languages", /translations\.fr/],
  ])("gets findings about its answer: %s", async (change, id, reason) => {
    expect(await findingsAfter(change)).toContainEqual([id, expect.stringMatching(reason)]);
  });

  test.concurrent.each([
    ["string"],
    ["{ ...string }"],
    ["{ ...string, isHidden: true }"],
    ["{ ...string, context: 'new' }"],
    ["{ ...string, translations: {} }"],
    ["{ ...string, labels: [...new Set([...(string.labels ?? []), 'todo'])] }"],
    ["{ uniqId: string.uniqId, identifier: string.identifier, hasPlurals: string.hasPlurals, text: string.text }"],
  ])("gets none about a correct answer: %s", async (change) => {
    expect(await findingsAfter(change)).toEqual([]);
  });

  test("gets none about an answer by URL, either", async () => {
    const byUrl = variationsOf("import").find(({ id }) => id === "always-by-url")?.edits ?? [];
    expect(await findingsAfter("{ ...string, labels: ['todo'] }", byUrl)).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import type { ImportJob } from "../../src/index.ts";
import { importEntry, manifestOf } from "../rig/fake-app.ts";
import { always, exchangesOf, jobWith, onlyCall, record, startSimulation } from "../rig/simulation.ts";

// Interface 8: limits of a post-import call. The time limits are in test/simulator, which counts no seconds.

const serves = manifestOf({ imports: [importEntry("tidy")] });
const limits = { "5MiB": 5_242_880, "5MB": 5_000_000 } as const;
const choices = ["5MiB", "5MB"] as const;

/** The value with its padding so long that its JSON has this many bytes. */
function padded<T>(bytes: number, make: (padding: string) => T): T {
  const value = make("a".repeat(bytes - Buffer.byteLength(JSON.stringify(make("")))));
  expect(Buffer.byteLength(JSON.stringify(value))).toBe(bytes);
  return value;
}

const jobOf = (bytes: number): ImportJob =>
  padded(bytes, (padding) => jobWith([record("1", "Grüße", { context: padding })]));
const answerOf = (bytes: number) =>
  padded(bytes, (padding) => ({ data: { strings: [record("1", "Grüße", { context: padding })] } }));

async function importing(
  size: keyof typeof limits,
  job: ImportJob,
  answer: unknown = { data: { strings: job.strings } },
) {
  await using run = await startSimulation({ serves, answer: always(answer), choices: { "limits.size": size } });
  const result = await run.sim.postImport({ name: "big", job });
  return { imported: result.jobs[0], result, calls: run.app.calls, exchanges: exchangesOf(run.sim, "post-import") };
}

describe.each(choices)("8 maximum request payload, read as %s", (size) => {
  it("a job of just that size is sent whole", async () => {
    const { imported, calls } = await importing(size, jobOf(limits[size]));
    expect(imported).toMatchObject({ outcome: "imported", sent: { bytes: limits[size] } });
    expect(onlyCall({ calls }).body).toHaveLength(limits[size]);
  });

  it("a byte more and it is not sent, and the import fails", async () => {
    const { imported, calls, exchanges, result } = await importing(size, jobOf(limits[size] + 1));
    expect(imported).toMatchObject({
      outcome: "failed",
      error: expect.stringContaining("over the limit of"),
      sent: { bytes: limits[size] + 1 },
      exchanges: [],
    });
    expect([calls, exchanges]).toEqual([[], []]);
    expect(result.choices).toEqual(expect.arrayContaining(["limits.size", "postImport.overLimit"]));
  });
});

describe.each(choices)("8 maximum response payload, read as %s", (size) => {
  it("an answer of just that size is taken", async () => {
    const { imported } = await importing(size, jobWith([record("1", "Grüße")]), answerOf(limits[size]));
    expect(imported).toMatchObject({ outcome: "imported", received: { strings: 1, bytes: limits[size] } });
  });

  it("a byte more and the import fails, and nothing is changed", async () => {
    const job = jobWith([record("1", "Grüße")]);
    const { imported, exchanges, result } = await importing(size, job, answerOf(limits[size] + 1));
    expect(imported).toMatchObject({
      outcome: "failed",
      error: expect.stringContaining("larger than"),
      changes: { changed: 0, added: 0, removed: 0 },
    });
    expect(exchanges.map(({ outcome }) => outcome.kind)).toEqual(["too-large"]);
    expect(result.choices).toContain("postImport.overLimit");
  });
});

describe("8 between the two readings of 5 MB", () => {
  it("a payload is warned of", async () => {
    const { imported } = await importing("5MiB", jobOf(5_000_000), { data: { strings: [] } });
    expect(imported?.findings).toContainEqual(
      expect.objectContaining({ check: "import.size.near-limit", result: "warn", path: "request" }),
    );
  });

  it("one byte below, it is not", async () => {
    const { imported } = await importing("5MiB", jobOf(4_999_999), { data: { strings: [] } });
    expect(imported?.findings.map(({ check }) => check)).not.toContain("import.size.near-limit");
  });
});

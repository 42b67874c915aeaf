import { describe, expect, it } from "vitest";
import type { ImportJob, ImportOptions, SimulatorOptions } from "../../src/index.ts";
import type { AppCall, CallHandler } from "../rig/fake-app.ts";
import { addressIn, byUrl, importing as importingWith, linesOf, returning } from "../rig/imports.ts";
import { always, exchangesOf, jobWith, onlyCall, record } from "../rig/simulation.ts";

// Interface 8: limits of a post-import call.

const limits = { "5MiB": 5_242_880, "5MB": 5_000_000 } as const;
const sizes = ["5MiB", "5MB"] as const;

/** The value with its padding so long that its JSON has this many bytes. */
function padded<T>(bytes: number, make: (padding: string) => T): T {
  const value = make("a".repeat(bytes - Buffer.byteLength(JSON.stringify(make("")))));
  expect(Buffer.byteLength(JSON.stringify(value))).toBe(bytes);
  return value;
}

const jobOf = (bytes: number): ImportJob =>
  padded(bytes, (padding) => jobWith([record("1", "Grüße", { context: padding })]));
const answerOf = (bytes: number) => padded(bytes, (padding) => returning([record("1", "Grüße", { context: padding })]));

async function importing(
  job: ImportJob,
  answer: CallHandler,
  choices: SimulatorOptions["choices"],
  options: ImportOptions = { via: "inline" },
) {
  const { imported, result, calls, journal } = await importingWith(job, answer, options, { choices: choices ?? {} });
  return { imported, result, calls, exchanges: exchangesOf({ journal }, "post-import") };
}

const small = jobWith([record("1", "Grüße")]);
const unchanged = { changed: 0, added: 0, removed: 0, unchanged: 0 };

describe.each(sizes)("8 maximum request payload, read as %s", (size) => {
  const choices = { "limits.size": size };

  it.each(["inline", "auto"] as const)("a job of exactly that size is sent whole: via %s", async (via) => {
    const job = jobOf(limits[size]);
    const { imported, calls } = await importing(job, always({ data: { strings: job.strings } }), choices, { via });
    expect(imported).toMatchObject({ outcome: "imported", sent: { via: "inline", bytes: limits[size] } });
    expect(onlyCall({ calls }).body).toHaveLength(limits[size]);
  });

  it("one byte more is not sent inline: the import fails, and the hint says what to do", async () => {
    const { imported, calls, exchanges, result } = await importing(jobOf(limits[size] + 1), always({}), choices);
    expect(imported).toMatchObject({
      outcome: "failed",
      error: expect.stringContaining("over the limit of"),
      hint: expect.stringMatching(/stringsUrl and contentUrl/),
      sent: { bytes: limits[size] + 1 },
      exchanges: [],
    });
    expect([calls, exchanges]).toEqual([[], []]);
    expect(result.choices).toContain("limits.size");
  });

  it("with one byte more, the large parts are sent by URL", async () => {
    const job = jobOf(limits[size] + 1);
    let fetched = "";
    const answer: CallHandler = async (call) => {
      fetched = await (await fetch((call.json() as ImportJob).stringsUrl ?? "")).text();
      call.send("", { status: 304 });
    };
    const { imported, calls } = await importing(job, answer, choices, {});
    expect(imported).toMatchObject({ outcome: "not-modified", sent: { via: "url", contentVia: "inline" } });
    expect(fetched).toBe(linesOf(job.strings ?? []));
    expect(onlyCall({ calls }).body.length).toBeLessThan(5000);
  });
});

/** The answer without its length: the end of the connection is its end. */
function withoutLength(call: AppCall, value: unknown): void {
  call.raw(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n${JSON.stringify(value)}`);
}

describe.each(sizes)("8 maximum response payload, read as %s", (size) => {
  const choices = { "limits.size": size };
  const ways: [string, (value: unknown) => CallHandler][] = [
    ["with Content-Length", always],
    ["without Content-Length", (value) => (call) => withoutLength(call, value)],
  ];

  it.each(ways)("an answer of exactly that size is accepted: %s", async (_, answering) => {
    const { imported } = await importing(small, answering(answerOf(limits[size])), choices);
    expect(imported).toMatchObject({ outcome: "imported", received: { strings: 1, bytes: limits[size] } });
  });

  it.each(ways)("S20 with one byte more the import fails, and nothing is changed: %s", async (_, answering) => {
    const answer = answering(answerOf(limits[size] + 1));
    const { imported, exchanges } = await importing(small, answer, choices);
    expect(imported).toMatchObject({
      outcome: "failed",
      error: expect.stringContaining("larger than"),
      hint: expect.stringContaining("data.stringsUrl"),
      changes: unchanged,
    });
    expect(exchanges.map(({ outcome }) => outcome.kind)).toEqual(["too-large"]);
  });

  it("the file at data.stringsUrl may be larger", async () => {
    const { strings } = answerOf(limits[size] + 1).data;
    const { imported } = await importing(small, byUrl(linesOf(strings)), choices);
    expect(imported).toMatchObject({ outcome: "imported", received: { strings: 1, via: "url" } });
  });
});

describe("8 between the two readings of 5 MB", () => {
  it.each(["request", "response"])("a %s gets a warning", async (path) => {
    const [job, answer] = path === "request" ? [jobOf(5_000_000), returning([])] : [small, answerOf(5_000_000)];
    const { imported } = await importing(job, always(answer), {});
    expect(imported.findings).toContainEqual(
      expect.objectContaining({
        ...{ check: "import.size.near-limit", section: "8", result: "warn", path, value: 5_000_000 },
      }),
    );
  });

  it.each(["request", "response"])("a %s one byte below is not", async (path) => {
    const [job, answer] = path === "request" ? [jobOf(4_999_999), returning([])] : [small, answerOf(4_999_999)];
    const { imported } = await importing(job, always(answer), {});
    expect(imported.findings.map(({ check }) => check)).not.toContain("import.size.near-limit");
  });
});

describe("8 wait timeout, turned down", () => {
  const choices = { "postImport.timeout": 200 };

  it.each<[string, CallHandler, string]>([
    ["never answers", (call) => call.hang(), "connected, but no answer came"],
    ["S19 drips its head", (call) => call.dripHeaders(20), "connected, but no answer came"],
    ["S19 drips its answer", (call) => call.drip(" ", 20), "its answer began, but did not end"],
  ])("an app that %s ends the import, and nothing is changed", async (_, answer, phase) => {
    const { imported, exchanges } = await importing(small, answer, choices);
    expect(imported).toMatchObject({
      outcome: "failed",
      failure: "timed-out",
      error: `the app took longer than 0.2 s: ${phase}`,
      changes: unchanged,
    });
    expect(exchanges).toMatchObject([{ outcome: { kind: "timed-out", limitMs: 200 } }]);
    expect(imported.choices).toContain("postImport.timeout");
  });

  it.each(["stringsUrl", "previewUrl"] as const)(
    "and so does a file at data.%s, with a separate limit",
    async (field) => {
      const answer: CallHandler = (call) =>
        call.method === "GET"
          ? call.hang()
          : call.reply({
              data: { ...(field === "previewUrl" ? { strings: [] } : {}), [field]: addressIn(call, "/file") },
            });
      const { imported } = await importing(small, answer, { "postImport.fetch.timeout": 200 });
      expect(imported).toMatchObject({
        outcome: "failed",
        failure: "timed-out",
        error: `data.${field}: the app took longer than 0.2 s: connected, but no answer came`,
        changes: unchanged,
      });
      expect(imported.choices).toContain("postImport.fetch.timeout");
    },
  );
});

import { describe, expect, it } from "vitest";
import type { CallHandler } from "../rig/fake-app.ts";
import { byUrl, firstJob, importing, linesOf, oneImport, returning } from "../rig/imports.ts";
import { always, jobWith, record, startSimulation } from "../rig/simulation.ts";

const html = "<!doctype html><p>Зберегти";
const base64 = Buffer.from(html).toString("base64");
const strings = [record("1", "Save")];
const plural = record("1", { one: "file", other: "files" }, { hasPlurals: true });
const withPreview = (preview: unknown, received: readonly unknown[] = strings) => ({
  data: { ...returning(received).data, preview },
});
const previewByUrl = (file: string | CallHandler, received: readonly unknown[] = strings) =>
  byUrl(file, "previewUrl", returning(received).data);

describe("2.4 a preview", () => {
  it.each([
    ["inline", always(withPreview(base64)), 1],
    ["inline", always(withPreview(base64.replace(/=+$/, ""))), 1],
    ["url", previewByUrl(html), 2],
  ] as const)("is taken %s", async (via, answer, calls) => {
    const { imported, calls: made } = await importing(strings, answer);
    expect(imported).toMatchObject({
      outcome: "imported",
      preview: { via, bytes: Buffer.byteLength(html), url: null },
      changes: { unchanged: 1 },
      findings: [],
    });
    expect(made).toHaveLength(calls);
    expect(imported.exchanges).toHaveLength(calls);
  });

  it.each([
    ["inline", always(withPreview(base64))],
    ["url", previewByUrl(html)],
  ] as const)("is shown at an address of the platform on request: %s", async (_, answer) => {
    await using run = await startSimulation({ serves: oneImport, answer });
    const { preview } = firstJob(await run.sim.postImport({ name: "job", job: jobWith(strings) }, { preview: true }));
    expect(preview?.url).toContain(`${run.sim.url}/previews/`);
    expect((await fetch(preview?.url ?? "")).status).toBe(200);
  });

  it("may be returned with strings by URL", async () => {
    const answer: CallHandler = (call) =>
      call.method === "GET"
        ? call.send(linesOf(strings))
        : call.reply({ data: { stringsUrl: `http://${call.header("host")}/lines`, preview: base64 } });
    const { imported } = await importing(strings, answer);
    expect(imported).toMatchObject({ outcome: "imported", received: { via: "url" }, preview: { via: "inline" } });
  });

  it.each([
    ["data.preview", always(withPreview(base64, [plural]))],
    ["data.previewUrl", previewByUrl(html, [plural])],
  ] as const)("with plural strings is omitted, with a warning: %s", async (path, answer) => {
    const { imported } = await importing([plural], answer, { preview: true });
    expect(imported).toMatchObject({ outcome: "imported", preview: null, changes: { unchanged: 1 } });
    expect(imported.findings).toMatchObject([
      {
        check: "import.preview.plurals",
        section: "2.4",
        result: "warn",
        path,
        message: "is ignored, because there are plural strings",
      },
    ]);
  });

  it("with plural strings by URL, unread, is omitted, too", async () => {
    const answer: CallHandler = (call) =>
      call.method === "GET"
        ? call.send(linesOf([record("0", "a"), plural]))
        : call.reply({ data: { stringsUrl: `http://${call.header("host")}/lines`, preview: base64 } });
    const { imported } = await importing([record("0", "a"), plural], answer);
    expect(imported).toMatchObject({ preview: null, findings: [{ check: "import.preview.plurals" }] });
    const text = record("0", 'not "hasPlurals":true, only said so');
    const said = await importing([text], (call) => (call.method === "GET" ? call.send(linesOf([text])) : answer(call)));
    expect(said.imported).toMatchObject({ preview: { via: "inline" }, findings: [] });
  });

  it.each([
    ["<p>hello</p>", /^is HTML, and not the base64 of it/],
    [`data:text/html;base64,${base64}`, /leave out the prefix data:text\/html;base64,$/],
  ])("that is not base64 is recognized: %j", async (preview, message) => {
    const { imported } = await importing(strings, always(withPreview(preview)));
    expect(imported.findings).toMatchObject([{ path: "data.preview", message: expect.stringMatching(message) }]);
  });

  it.each(["", "<b>no base64</b>", "PGI+PC9iP", "PGI+ PC9i", "PGI-PC9i", "===="])(
    "that is not base64 fails the import: %j",
    async (preview) => {
      const { imported } = await importing(strings, always(withPreview(preview)));
      expect(imported).toMatchObject({ outcome: "failed", preview: null, changes: { unchanged: 0 } });
      expect(imported.findings).toMatchObject([
        { check: "import.preview.content", section: "2.4", result: "fail", path: "data.preview", value: preview },
      ]);
    },
  );

  it.each<[string, CallHandler, string]>([
    ["is not there", (call) => call.send("", { status: 404 }), "import.file.fetched"],
    ["redirects", (call) => call.send("", { status: 302, headers: { location: "/x" } }), "import.file.fetched"],
    ["is over 5 MiB", (call) => call.send(Buffer.alloc(5_242_881, "a")), "import.file.fetched"],
  ])("whose file %s fails the import", async (_, file, check) => {
    const { imported } = await importing(strings, previewByUrl(file));
    expect(imported).toMatchObject({ outcome: "failed", preview: null, changes: { unchanged: 0 } });
    expect(imported.findings).toMatchObject([{ check, result: "fail", path: "data.previewUrl" }]);
    expect(imported.error).toMatch(/^data\.previewUrl: /);
  });

  it.each(["https://example.com/preview", "file:///etc/passwd", "http://169.254.169.254/"])(
    "S21 at an address that is not the app's own is never fetched: %s",
    async (previewUrl) => {
      const { imported, calls } = await importing(strings, always({ data: { strings, previewUrl } }));
      expect(imported).toMatchObject({
        outcome: "failed",
        findings: [{ check: "import.file.address", path: "data.previewUrl", value: previewUrl }],
      });
      expect(calls).toHaveLength(1);
    },
  );

  it("does not hide what is wrong with the strings", async () => {
    const { imported } = await importing(strings, always(withPreview("", [{ ...record("1", "a"), uniqId: 1 }])));
    expect(imported).toMatchObject({ outcome: "failed", error: expect.stringContaining("data.strings[0].uniqId") });
    expect(imported.findings.map(({ check }) => check)).toEqual(["import.string.shape", "import.preview.content"]);
  });
});

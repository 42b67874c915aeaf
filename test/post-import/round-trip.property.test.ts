import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findLanguage } from "../../src/config/languages.ts";
import type { ImportJob } from "../../src/index.ts";
import type { CallHandler } from "../rig/fake-app.ts";
import { addressIn, firstJob, linesOf, oneImport, returning } from "../rig/imports.ts";
import { jobWith, startSimulation } from "../rig/simulation.ts";
import { legalStrings } from "../rig/strings.ts";

// Any legal set of strings survives both transports, there and back, unchanged.

const languages = ["en", "uk", "pl", "ar"].flatMap((id) => findLanguage(id) ?? []);
const [source, ...targets] = languages;
const hardText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.string({ unit: "grapheme", maxLength: 8 }),
  fc.constantFrom("", "\ud800", "\udc00\ud800", "\u2028\u2029", "\ufeff", "\0\r\n\t", "\\", '"', "__proto__", "😀"),
);
const strings = legalStrings({
  maxLength: 6,
  texts: hardText,
  source: source?.pluralCategoryNames ?? [],
  targets: Object.fromEntries(targets.map(({ id, pluralCategoryNames }) => [id, pluralCategoryNames])),
});

/** Gives back exactly what it got. */
function echoing(answerVia: "inline" | "url"): CallHandler {
  let lines = "";
  return async (call) => {
    if (call.method === "GET") return call.send(lines);
    const { strings: inline, stringsUrl } = call.json() as ImportJob;
    lines = inline === undefined ? await (await fetch(stringsUrl ?? "")).text() : linesOf(inline);
    const values = lines
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    call.reply(answerVia === "inline" ? returning(values) : { data: { stringsUrl: addressIn(call, "/lines") } });
  };
}

describe("a legal set of strings comes back as it is", () => {
  it.each([
    ["inline", "inline"],
    ["inline", "url"],
    ["url", "inline"],
    ["url", "url"],
  ] as const)("sent %s, answered %s", async (via, answerVia) => {
    await using run = await startSimulation({ serves: oneImport, answer: echoing(answerVia) });
    await fc.assert(
      fc.asyncProperty(strings, async (sent) => {
        const job = jobWith(sent, { targetLanguages: targets });
        const imported = firstJob(await run.sim.postImport({ name: "job", job }, { via }));
        expect(imported).toMatchObject({
          outcome: "imported",
          error: null,
          sent: { strings: sent.length, via },
          received: { strings: sent.length, via: answerVia },
          changes: { changed: 0, added: 0, removed: 0, unchanged: sent.length, strings: [] },
        });
        expect(imported.findings).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  it("and in the app the same strings arrive, however they travel", async () => {
    const got: unknown[] = [];
    await using run = await startSimulation({
      serves: oneImport,
      async answer(call) {
        const { strings: inline, stringsUrl } = call.json() as ImportJob;
        const text = stringsUrl === undefined ? linesOf(inline ?? []) : await (await fetch(stringsUrl)).text();
        got.push(text);
        call.send("", { status: 304 });
      },
    });
    await fc.assert(
      fc.asyncProperty(strings, async (sent) => {
        for (const via of ["inline", "url"] as const)
          await run.sim.postImport({ name: "job", job: jobWith(sent) }, { via });
        expect(got.splice(0)).toEqual([linesOf(sent), linesOf(sent)]);
      }),
      { numRuns: 10 },
    );
  });
});

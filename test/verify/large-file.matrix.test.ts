import { describe, expect, test } from "vitest";
import type { Edit } from "./edited-app.ts";
import { startEditedApp } from "./edited-app.ts";

/** An app that hosts a file only if its answer would be too large. */
const hostsLargeOnly: Edit = {
  file: "post-import.js",
  from: "  const file = await files.host(tidyLines());",
  to: `  const all = [];
  for await (const line of tidyLines()) all.push(line);
  const reply = dataReply({ strings: all.map((line) => JSON.parse(line)) }, null);
  if (isChanged && isSmallEnough(reply)) return reply;
  const file = await files.host(inFile(all));`,
};

const lineOf: Edit["from"] = "/** JSON.stringify escapes line breaks, so no text can break the line. */\n";

/** The app with another content of its files. */
const withFile = (inFile: string): Edit[] => [
  hostsLargeOnly,
  { file: "post-import.js", from: lineOf, to: `const inFile = (lines) => ${inFile};\n\n${lineOf}` },
];

const only = ["import.limit.by-url", "import.answer.address"];

async function verdicts(edits: readonly Edit[]) {
  await using edited = await startEditedApp(edits);
  const { checks } = await edited.sim.verify({ only });
  const of = (id: string) => checks.find((check) => check.id === id);
  return { byUrl: of("import.limit.by-url"), address: of("import.answer.address") };
}

describe("an app that hosts only large answers", () => {
  test.each([
    ["as they are", "lines"],
    ["without a final line feed", "[lines.join('').trimEnd()]"],
    ["with CR LF", "lines.map((line) => line.replace('\\n', '\\r\\n'))"],
    ["with CR LF between them", "[lines.join('').trimEnd().replaceAll('\\n', '\\r\\n')]"],
    ["with a number each", "lines.map((line, index) => line.replace('{', '{\"count\":' + index + ','))"],
    ["in reverse order", "lines.toReversed()"],
    ["with a string of its own", '[...lines, \'{"uniqId":"own::1","identifier":"own","text":"Own"}\\n\']'],
  ])("passes if its file has all strings, %s", async (_, inFile) => {
    const { byUrl, address } = await verdicts(withFile(inFile));
    expect([byUrl?.result, byUrl?.reason, address?.result]).toEqual(["pass", null, "pass"]);
  });

  test.each([
    ["only the first 5,000 strings", "lines.slice(0, 5000)", "fail", /only 5,000 of [\d,]+ similar strings came back/],
    ["only the first 500 strings", "lines.slice(0, 500)", "fail", /only 500 of [\d,]+ similar strings came back/],
    ["every string but the last", "lines.slice(0, -1)", "fail", /only [\d,]+ of [\d,]+ similar strings came back/],
    ["its last line cut off", "[lines.join('').slice(0, -3)]", "fail", /the last line is cut off/],
    ["100,000 bytes", "[Buffer.from(lines.join('')).subarray(0, 100_000)]", "fail", /data\.stringsUrl line \d+/],
    ["2,000,000 bytes", "[Buffer.from(lines.join('')).subarray(0, 2_000_000)]", "fail", /the last line is cut off/],
    [
      "only 5,000 strings with a number each",
      "lines.slice(0, 5000).map((line, index) => line.replace('{', '{\"count\":' + index + ','))",
      "fail",
      /bytes are too few for [\d,]+ strings/,
    ],
    [
      "other uniqIds",
      "lines.map((line) => line.replace('large::', 'own::'))",
      "fail",
      /none of the first [\d,]+ strings/,
    ],
    ["a string twice", "[lines[0], ...lines]", "fail", /is also that of/],
    [
      "its texts in Latin-1",
      "lines.map((line) => Buffer.from(Buffer.from(line).toString('latin1')))",
      "fail",
      /was decoded as Latin-1/,
    ],
    [
      "its texts with question marks",
      "lines.map((line) => line.replaceAll(/[^\\0-\\x7f]/g, '?'))",
      "fail",
      /non-ASCII/,
    ],
    [
      "no text",
      "lines.map((line) => JSON.stringify({ ...JSON.parse(line), text: '' }) + '\\n')",
      "warn",
      /text is empty now/,
    ],
  ])("gets a finding if its file has %s", async (_, inFile, result, reason) => {
    const { byUrl } = await verdicts(withFile(inFile));
    expect([byUrl?.result, byUrl?.reason]).toEqual([result, expect.stringMatching(reason)]);
  });

  test("gets a warning if the addresses of its files can be guessed", async () => {
    const { byUrl, address } = await verdicts([
      ...withFile("lines"),
      {
        file: "hosted-files.js",
        from: "  const working = new Set();\n",
        to: "  const working = new Set();\n  let count = 0;\n",
      },
      { file: "hosted-files.js", from: "unguessable()}`;", to: "++count}.ndjson`;" },
    ]);
    expect([byUrl?.result, address?.result]).toEqual(["pass", "warn"]);
    expect(address?.reason).toMatch(/^the varying part of 2 addresses has at most \d bits of entropy$/);
  });
});

test("an app that says why it fails a large import gets a warning; one that does not say it fails", async () => {
  const refusing = (refusal: string): Edit => ({
    file: "post-import.js",
    from: "  const file = await files.host(tidyLines());",
    to: `  let size = 0;
  for await (const line of tidyLines()) size += line.length;
  if (size > 1_000_000) ${refusal};
  const file = await files.host(tidyLines());`,
  });
  const said = await verdicts([refusing('throw new Refusal(413, "This file is too large.")')]);
  expect(said.byUrl?.result).toBe("warn");
  expect(said.byUrl?.reason).toContain('with the error "This file is too large." to a file of 6 MB at stringsUrl');
  expect((await verdicts([refusing("return { status: 413 }")])).byUrl?.result).toBe("fail");
  expect((await verdicts([refusing('throw new Error("too large")')])).byUrl?.result).toBe("fail");
});

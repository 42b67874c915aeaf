import type { Evidence } from "../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { StringRecord } from "../protocol/import-job.ts";
import {
  comparison,
  type ImportCheck,
  type ImportFacts,
  importCheck,
  submitByUrl,
  submitPlainByUrl,
  submitServed,
  unreadByUrl,
  untakenByUrl,
} from "./check.ts";
import { readImport, sentJob } from "./reading.ts";
import { skippedRecord, submitInvalidRecords } from "./skipped-records.ts";
import { alikeStrings, linesOfStrings, recordsOfTexts } from "./strings.ts";
import type { ImportTools, ServedFile } from "./tools.ts";

const lost =
  "Strings of the file are lost without notice. Strings that do not come back may be removed from the project.";

/** Strings that an app most likely changes, including the last one. */
const strings = () =>
  recordsOfTexts({
    first: " First text",
    second: "Second text ",
    third: "Größe – їжак \u{1F994} ",
    fourth: "  Fourth text",
    last: "Last text  ",
  });

/** A way to write newline-delimited JSON. */
interface Framing {
  /** The file, in words. */
  readonly what: string;
  readonly write: (records: readonly StringRecord[]) => string | Uint8Array;
  /** Whether an error message is right as well. */
  readonly mayFail: boolean;
  /** How the file is served, if not as usual. */
  readonly served?: Omit<ServedFile, "content">;
  /** The strings of the file; default those that an app most likely changes. */
  readonly records?: () => readonly StringRecord[];
}

function framing(facts: ImportFacts, { what, write, mayFail, served, records = strings }: Framing): ImportCheck {
  return comparison(facts, {
    strings: records,
    what,
    mayFail,
    needsUrl: true,
    other: (tools, role) => submitServed(tools, role, { content: write(records()), ...served }),
  });
}

const reader = "Split only at LF, accept a last line without one, and skip blank lines.";

const framings: readonly ImportCheck[] = [
  framing(
    {
      id: "import.lines.no-final-newline",
      title: "The last line of stringsUrl counts even without a line feed",
      why: lost,
      fix: reader,
    },
    {
      what: "a file of strings without a final line feed",
      write: (records) => linesOfStrings(records).trimEnd(),
      mayFail: true,
    },
  ),
  framing(
    { id: "import.lines.crlf", title: "Lines of stringsUrl may end with CR LF", why: lost, fix: reader },
    {
      what: "a file of strings whose lines end with CR LF",
      write: (records) => linesOfStrings(records).replaceAll("\n", "\r\n"),
      mayFail: true,
    },
  ),
  framing(
    { id: "import.lines.blank", title: "Blank lines in stringsUrl lose no strings", why: lost, fix: reader },
    {
      what: "a file of strings with blank lines between them",
      // Not before the first string: an app that reads up to there may report a file without strings.
      write: (records) => linesOfStrings(records).replaceAll("\n", "\n\n"),
      mayFail: true,
    },
  ),
  framing(
    {
      id: "import.lines.bom",
      title: "A byte order mark at the start of stringsUrl loses no strings",
      why: lost,
      fix: "Skip U+FEFF at the very start, or answer with an error.",
    },
    {
      what: "a file of strings with a byte order mark",
      write: (records) => `\ufeff${linesOfStrings(records)}`,
      mayFail: true,
    },
  ),
  framing(
    {
      id: "import.lines.separators",
      title: "Only LF ends a line of stringsUrl: not U+2028, U+2029, U+0085",
      section: "RFC 8259, 7",
      why: "These characters occur unescaped in texts. An app that splits there sees broken lines, and fails the file or loses strings.",
      fix: "Split bytes at 0x0A; functions that split text into lines split at more (such as splitlines).",
    },
    {
      what: "a file of strings with U+2028, U+2029 and U+0085 in their texts",
      write: linesOfStrings,
      mayFail: false,
      records: () =>
        recordsOfTexts({
          one: " One\u2028line",
          two: "Two\u2029paragraphs ",
          three: "Three\u0085next ",
          last: "Last ",
        }),
    },
  ),
  framing(
    {
      id: "import.lines.multi-byte",
      title: "Multi-byte characters survive wherever the file is split into packets",
      why: "A file arrives in chunks, and a chunk may end in the middle of a character. Decoded separately, both halves become U+FFFD.",
      fix: "Decode the bytes of a whole line, or use a streaming decoder.",
    },
    {
      what: "a long file of strings with many multi-byte characters",
      write: linesOfStrings,
      mayFail: false,
      served: { packets: 9 },
      records: () =>
        Array.from({ length: 20 }, (_, index) => ({
          uniqId: `mb::${index}`,
          identifier: `k${index}`,
          text: `${"їжа 🦔 ".repeat(250)}${index} `,
        })),
    },
  ),
];

const plainText: ImportCheck = framing(
  {
    id: "import.lines.plain-text",
    title: "A stringsUrl of type text/plain without a charset is read as UTF-8",
    section: "RFC 8259, 8.1",
    severity: "should",
    why: "JSON is UTF-8, whatever its file host calls it. HTTP clients that go by the type read such a file as ISO-8859-1: letters with accents come back as two others.",
    fix: "Decode the bytes as UTF-8 yourself, instead of asking the HTTP client for the text.",
  },
  {
    what: "a file of strings of type text/plain",
    write: linesOfStrings,
    mayFail: true,
    served: { headers: { "content-type": "text/plain" } },
  },
);

/** Lines longer than the buffers of line readers in many languages: 8 KB, 16 KB, 64 KB. */
const LONG_LINES = [9000, 17_000, 66_000];

const longLines: ImportCheck = framing(
  {
    id: "import.lines.long",
    title: "Lines of stringsUrl that are longer than 64 KB come back as they do from the job itself",
    why: "Line readers often have a buffer of 8 or 64 KB, and truncate or refuse longer lines. One long text then fails the file, or is lost.",
    fix: "Read up to LF, however long the line: line readers have a parameter or a buffer for the maximum length.",
  },
  {
    what: "a file of strings with long lines",
    write: linesOfStrings,
    mayFail: false,
    records: () =>
      LONG_LINES.map((length, index) => ({
        uniqId: `long::${index}`,
        identifier: `k${index}`,
        text: `${"A sentence. ".repeat(length / 12)} `,
      })),
  },
);

/** The number of the bad line, and how many there are. */
const [BAD_LINE, LINES] = [500, 1000];

/** The other lines are ASCII, which is the same in every encoding. */
const LATIN_1_LINE = JSON.stringify({ uniqId: "latin::1", identifier: "latin", text: "Fran\u00e7ais" });

/** What else a check of an invalid line sends, and what is wrong with the answers to that; null: nothing. */
interface FurtherFiles {
  readonly send: (tools: ImportTools) => Promise<void>;
  readonly fault: (evidence: Evidence) => string | null;
}

/** A check that a file of strings with an invalid line is not mistaken for a complete one. */
function badLine(
  facts: ImportFacts,
  what: string,
  spoil: (lines: string[]) => string | Uint8Array,
  further: FurtherFiles = { send: async () => {}, fault: () => null },
): ImportCheck {
  const check: ImportCheck = importCheck(facts, {
    run: async (tools) => {
      const lines = linesOfStrings(alikeStrings(LINES)).trimEnd().split("\n");
      await submitByUrl(tools, "bad", spoil(lines));
      await further.send(tools);
      await submitPlainByUrl(tools);
    },
    judge: (evidence) => {
      const answered = readImport(evidence, "bad");
      if (answered === null || sentJob(answered.exchange) === null) return skipVerdict("it was not sent");
      const { kind, says } = answered.reply;
      if (kind === "refused") {
        const fault = further.fault(evidence);
        return fault === null ? (untakenByUrl(evidence, answered.reply) ?? PASSED) : faulty(check, fault);
      }
      const reason = kind === "accepted" ? `the app ${says} all the same: ${what}` : `${what}: the app ${says}`;
      return untakenByUrl(evidence, answered.reply) ?? unreadByUrl(evidence) ?? faulty(check, reason);
    },
  });
  return check;
}

const partial =
  "If a part of the file is mistaken for the whole, missing strings may be removed from the project without notice. A failure without error.message tells the user nothing either.";
const whole = "Answer error.message with the line number, without any strings.";

function faultOfSkipped(evidence: Evidence): string | null {
  const skipped = skippedRecord(evidence);
  return skipped === null ? null : `the app answered with all strings except for ${skipped}, which it left out`;
}

const badLines: readonly ImportCheck[] = [
  badLine(
    {
      id: "import.lines.bad-line",
      title: "A line of stringsUrl that is not JSON fails the import",
      why: partial,
      fix: whole,
    },
    `line ${BAD_LINE} of ${LINES} is not JSON`,
    (lines) => `${lines.with(BAD_LINE - 1, '{"uniqId": "broken').join("\n")}\n`,
  ),
  badLine(
    {
      id: "import.lines.cut-line",
      title: "A truncated last line of stringsUrl fails the import",
      why: partial,
      fix: whole,
    },
    "the last line is truncated",
    (lines) => lines.join("\n").slice(0, -25),
  ),
  badLine(
    {
      id: "import.lines.no-record",
      title:
        "A line of stringsUrl that is not a string record fails the import, and no record is left out without notice",
      severity: "should",
      why: partial,
      fix: "Answer error.message, without any strings, and name the line, or the record's place in `strings`.",
    },
    `line ${BAD_LINE} of ${LINES} is a number`,
    (lines) => `${lines.with(BAD_LINE - 1, "42").join("\n")}\n`,
    { send: submitInvalidRecords, fault: faultOfSkipped },
  ),
  badLine(
    {
      id: "import.lines.bad-utf8",
      title: "A line of stringsUrl that is not UTF-8 fails the import",
      section: "RFC 8259, 8.1",
      severity: "should",
      why: "JSON is UTF-8. If invalid bytes are replaced, a text comes back with characters that nobody wrote, without notice.",
      fix: "Decode strictly, and answer error.message with the line number.",
    },
    `the text of line ${BAD_LINE} of ${LINES} is in Latin-1`,
    (lines) => Buffer.from(`${lines.with(BAD_LINE - 1, LATIN_1_LINE).join("\n")}\n`, "latin1"),
  ),
  badLine(
    {
      id: "import.lines.html",
      title: "An HTML page at stringsUrl fails the import",
      why: "Proxies and login pages answer 200 with HTML, which must not be mistaken for a file without strings.",
      fix: whole,
    },
    "stringsUrl is an HTML page",
    () => "<!doctype html>\n<title>Log in</title>\n<form method=post></form>\n",
  ),
];

/** Checks of how an app reads newline-delimited JSON (interface 2.3; hardening I3). */
export const importLineChecks: readonly ImportCheck[] = [...framings, longLines, plainText, ...badLines];

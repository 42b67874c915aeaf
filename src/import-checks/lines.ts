import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { StringRecord } from "../protocol/import-job.ts";
import {
  comparison,
  type ImportCheck,
  type ImportFacts,
  importCheck,
  submitByUrl,
  submitPlainByUrl,
  untakenByUrl,
} from "./check.ts";
import { readImport, sentJob } from "./reading.ts";
import { alikeStrings, linesOfStrings, recordsOfTexts } from "./strings.ts";

const lost =
  "Strings of the file are lost, and nothing says so. What does not come back may be removed from the project.";

/** Strings that an app most likely does something to, the last one too. */
const strings = () =>
  recordsOfTexts({
    first: " First text",
    second: "Second text ",
    third: "Größe – їжак \u{1F994} ",
    fourth: "  Fourth text",
    last: "Last text  ",
  });

/** A way to write newline-delimited JSON, and whether an error message is right as well. */
function framing(
  facts: ImportFacts,
  what: string,
  write: (records: readonly StringRecord[]) => string | Uint8Array,
  mayFail: boolean,
  records: () => readonly StringRecord[] = strings,
): ImportCheck {
  return comparison(facts, {
    strings: records,
    what,
    mayFail,
    needsUrl: true,
    other: (tools, role) => submitByUrl(tools, role, write(records())),
  });
}

const reader = "Split at LF alone, take the last line without one too, and pass over blank lines.";

const framings: readonly ImportCheck[] = [
  framing(
    {
      id: "import.lines.no-final-newline",
      title: "The last line of stringsUrl counts without an end, too",
      why: lost,
      mend: reader,
    },
    "a file of strings whose last line has no end",
    (records) => linesOfStrings(records).trimEnd(),
    true,
  ),
  framing(
    { id: "import.lines.crlf", title: "Lines of stringsUrl may end with CR LF", why: lost, mend: reader },
    "a file of strings whose lines end with CR LF",
    (records) => linesOfStrings(records).replaceAll("\n", "\r\n"),
    true,
  ),
  framing(
    { id: "import.lines.blank", title: "Blank lines in stringsUrl lose no strings", why: lost, mend: reader },
    "a file of strings with blank lines",
    (records) => `\n${linesOfStrings(records).replaceAll("\n", "\n\n")}`,
    true,
  ),
  framing(
    {
      id: "import.lines.bom",
      title: "A byte order mark at the beginning of stringsUrl loses no strings",
      why: lost,
      mend: "Drop U+FEFF at the very beginning, or answer with an error.",
    },
    "a file of strings with a byte order mark",
    (records) => `\ufeff${linesOfStrings(records)}`,
    true,
  ),
  framing(
    {
      id: "import.lines.separators",
      title: "Only LF ends a line of stringsUrl: not U+2028, U+2029, U+0085",
      section: "RFC 8259, 7",
      why: "These characters stand in texts as they are. An app that splits there sees broken lines, and fails the file or loses strings.",
      mend: "Split bytes at 0x0A; functions that split text into lines split at more (such as splitlines).",
    },
    "a file of strings with U+2028, U+2029 and U+0085 in their texts",
    linesOfStrings,
    false,
    () =>
      recordsOfTexts({ one: " One\u2028line", two: "Two\u2029paragraphs ", three: "Three\u0085next ", last: "Last " }),
  ),
  framing(
    {
      id: "import.lines.multi-byte",
      title: "Characters of several bytes survive wherever the file is cut into packets",
      why: "A file arrives in pieces, and a piece may end in the middle of a character. Decoded by themselves, both halves become U+FFFD.",
      mend: "Decode the bytes of a whole line, or use a decoder that streams.",
    },
    "a long file of strings of many characters of several bytes",
    linesOfStrings,
    false,
    () =>
      Array.from({ length: 20 }, (_, index) => ({
        uniqId: `mb::${index}`,
        identifier: `k${index}`,
        text: `${"їжа 🦔 ".repeat(250)}${index} `,
      })),
  ),
];

/** Lines longer than the buffers that readers of lines have in many languages: 8 KB, 16 KB, 64 KB. */
const LONG_LINES = [9000, 17_000, 66_000];

const longLines: ImportCheck = framing(
  {
    id: "import.lines.long",
    title: "Lines of stringsUrl that are longer than 64 KB come back as from the job itself",
    why: "Readers of lines often have a buffer of 8 or 64 KB, and cut or refuse what is longer. One long text then fails the file, or is lost.",
    mend: "Read up to LF, however far away that is: functions for reading lines have a parameter or a buffer for their longest line.",
  },
  "a file of strings with long lines",
  linesOfStrings,
  false,
  () =>
    LONG_LINES.map((length, index) => ({
      uniqId: `long::${index}`,
      identifier: `k${index}`,
      text: `${"A sentence. ".repeat(length / 12)} `,
    })),
);

/** The number of the bad line, and how many there are. */
const [BAD_LINE, LINES] = [500, 1000];

/** The other lines are ASCII, which is the same in every encoding. */
const LATIN_1_LINE = JSON.stringify({ uniqId: "latin::1", identifier: "latin", text: "Fran\u00e7ais" });

/** A check that a file of strings with a line that is none is not taken for a whole one. */
function badLine(facts: ImportFacts, what: string, spoil: (lines: string[]) => string | Uint8Array): ImportCheck {
  const check: ImportCheck = importCheck(facts, {
    run: async (tools) => {
      const lines = linesOfStrings(alikeStrings(LINES)).trimEnd().split("\n");
      await submitByUrl(tools, "bad", spoil(lines));
      await submitPlainByUrl(tools);
    },
    judge: (evidence) => {
      const answered = readImport(evidence, "bad");
      if (answered === null || sentJob(answered.exchange) === null) return skipVerdict("it was not sent");
      const { kind, says } = answered.reply;
      if (kind === "refused") return PASSED;
      if (kind === "accepted") return faulty(check, `the app ${says} all the same: ${what}`);
      return untakenByUrl(evidence, answered.reply) ?? faulty(check, `the app ${says} to ${what}`);
    },
  });
  return check;
}

const partial =
  "Where a part of the file passes for the whole, what is missing may be removed from the project, and nobody is told. A failure without error.message tells the user nothing either.";
const whole = "Answer error.message with the number of the line, and nothing of the strings.";

const badLines: readonly ImportCheck[] = [
  badLine(
    {
      id: "import.lines.bad-line",
      title: "A line of stringsUrl that is no JSON fails the import",
      why: partial,
      mend: whole,
    },
    `line ${BAD_LINE} of ${LINES} is no JSON`,
    (lines) => `${lines.with(BAD_LINE - 1, '{"uniqId": "broken').join("\n")}\n`,
  ),
  badLine(
    {
      id: "import.lines.cut-line",
      title: "A last line of stringsUrl that is cut off fails the import",
      why: partial,
      mend: whole,
    },
    "the last line is cut off",
    (lines) => lines.join("\n").slice(0, -25),
  ),
  badLine(
    {
      id: "import.lines.no-record",
      title: "A line of stringsUrl that is no string record fails the import",
      severity: "should",
      why: partial,
      mend: whole,
    },
    `line ${BAD_LINE} of ${LINES} is a number`,
    (lines) => `${lines.with(BAD_LINE - 1, "42").join("\n")}\n`,
  ),
  badLine(
    {
      id: "import.lines.bad-utf8",
      title: "A line of stringsUrl that is no UTF-8 fails the import",
      section: "RFC 8259, 8.1",
      severity: "should",
      why: "JSON is UTF-8. Where bytes that are none are replaced, a text comes back with marks that nobody wrote, and nobody is told.",
      mend: "Decode strictly, and answer error.message with the number of the line.",
    },
    `the text of line ${BAD_LINE} of ${LINES} is in Latin-1`,
    (lines) => Buffer.from(`${lines.with(BAD_LINE - 1, LATIN_1_LINE).join("\n")}\n`, "latin1"),
  ),
  badLine(
    {
      id: "import.lines.html",
      title: "A page of HTML at stringsUrl fails the import",
      why: "Proxies and login pages answer 200 with HTML. It must not pass for a file without strings.",
      mend: "Answer error.message where a line is no JSON.",
    },
    "stringsUrl is a page of HTML",
    () => "<!doctype html>\n<title>Log in</title>\n<form method=post></form>\n",
  ),
];

/** Checks of how an app reads newline-delimited JSON (interface 2.3; hardening I3). */
export const importLineChecks: readonly ImportCheck[] = [...framings, longLines, ...badLines];

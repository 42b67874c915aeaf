import { encodeRequest, type RequestParts, withMembers } from "../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { bodyBytes } from "../journal/journal.ts";
import { readableBody } from "../journal/readable-body.ts";
import type { StringRecord } from "../protocol/import-job.ts";
import { IMPORT_LIMIT_BYTES } from "../protocol/limits.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { type ImportCheck, type ImportFacts, importCheck } from "./check.ts";
import { largeFileCheck } from "./large-file.ts";
import { brokenFile, isCut, readImport, STRINGS_OF } from "./reading.ts";
import { recordsOfTexts, SENTENCE } from "./strings.ts";
import type { ImportTools } from "./tools.ts";

/** The request with strings up to exactly this many bytes. */
async function requestOf(tools: ImportTools, bytes: number): Promise<RequestParts> {
  const record = (index: number): StringRecord => ({
    uniqId: `size::${index}`,
    identifier: `key.${index}`,
    text: SENTENCE,
  });
  const base = await tools.request((job) => ({ ...job, strings: [record(0)] }));
  const { json } = base.body as { readonly json: Readonly<Record<string, unknown>> };
  const sizeOf = (strings: readonly StringRecord[]) =>
    encodeRequest({ ...base, body: { json: { ...json, strings } } }).body.length;
  const perString = Buffer.byteLength(JSON.stringify(record(10_000))) + 1;
  const count = Math.floor((bytes - sizeOf([record(0)]) - 1000) / perString);
  const strings = Array.from({ length: count }, (_, index) => record(10_000 + index));
  const last = { uniqId: "size::last", identifier: "last", text: "" };
  const padding = bytes - sizeOf([...strings, last]);
  return { ...base, body: { json: { ...json, strings: [...strings, { ...last, text: "x".repeat(padding) }] } } };
}

const large = "The platform sends jobs of up to 5 MB. Otherwise even files of moderate size cannot be imported.";

/** A check of a request of this size. */
function sizeCheck(facts: ImportFacts, bytes: number, isTaken: boolean): ImportCheck {
  const check: ImportCheck = importCheck(
    { section: "8", ...facts },
    {
      run: async (tools) => {
        await tools.submitPatiently("large", await requestOf(tools, bytes));
      },
      judge: (evidence) => {
        const exchange = evidence.steps.find(({ role }) => role === "large")?.exchange;
        if (exchange === undefined) return skipVerdict("it was not sent");
        if (exchange.outcome.kind === "too-large") {
          return faulty(check, "the answer is larger than 5 MB: send larger ones by URL (data.stringsUrl)");
        }
        const { kind, says } = evidence.read(exchange);
        const answered = readImport(evidence, "large", []);
        const broken = answered && brokenFile(answered);
        if (broken) return faulty(check, `in its answer, ${broken}`);
        const size = withCommas(bytes);
        if (isTaken) return kind === "accepted" ? PASSED : faulty(check, `the app ${says} to a job of ${size} bytes`);
        // Servers close the connection on bodies that are too large, which may look like a reset.
        const isCrash = kind === "broken" && exchange.response !== null;
        return isCrash ? faulty(check, `the app ${says} to a job of ${size} bytes`) : PASSED;
      },
    },
  );
  return check;
}

const LONG_TEXT = 4_000_000;

const longText: ImportCheck = importCheck(
  {
    id: "import.limit.long-text",
    title: "A text of 4 MB comes back complete",
    section: "8",
    why: "In some formats a string is a whole document. Otherwise it loses its end, or cannot be imported.",
    fix: "Do not truncate texts, and answer by URL if an answer would be larger than 5 MB.",
  },
  {
    run: async (tools) => {
      const strings = recordsOfTexts({ document: "x".repeat(LONG_TEXT) });
      const request = await tools.request();
      await tools.submitPatiently("long", withMembers(request, { strings }) ?? request);
    },
    judge: (evidence) => {
      const exchange = evidence.steps.find(({ role }) => role === "long")?.exchange;
      if (exchange === undefined) return skipVerdict("it was not sent");
      if (exchange.outcome.kind === "too-large") return faulty(longText, "the answer is larger than 5 MB");
      const { kind, says } = evidence.read(exchange);
      if (kind !== "accepted") return faulty(longText, `the app ${says}`);
      const answered = readImport(evidence, "long", []);
      const file = evidence.steps.find(({ role }) => role === `long${STRINGS_OF}`)?.exchange;
      const holder = file ?? exchange;
      // An app may answer 304, or only with its changes; a returned string must have all its bytes.
      const { response } = holder;
      const body = response === null ? null : readableBody(response.headers, response.body);
      const hasString = body !== null && bodyBytes(body).includes("xxxxxxxx");
      const isWhole = (body?.size ?? 0) >= LONG_TEXT;
      if (!hasString || isWhole || answered?.verdict?.kind === "not-modified") return PASSED;
      return isCut(holder) || answered !== null ? faulty(longText, "only a part of it came back") : PASSED;
    },
  },
);

/** Checks of the limits (interface 8; hardening I5, I6). */
export const importLimitChecks: readonly ImportCheck[] = [
  sizeCheck(
    {
      id: "import.limit.request",
      title: "The app accepts a job of 5,000,000 bytes, and answers with no more than 5 MB",
      why: large,
      fix: "Raise the framework's limit for bodies to 5 MiB, and answer by URL if an answer would be larger: in bytes, not in characters.",
    },
    IMPORT_LIMIT_BYTES["5MB"],
    true,
  ),
  sizeCheck(
    {
      id: "import.limit.over",
      title: "A job of one byte more than 5 MiB does not crash the app",
      severity: "should",
      why: "Anybody may send more than the platform does. The app must refuse before it runs out of memory.",
      fix: "Answer 413 to bodies of more than 5 MiB.",
    },
    IMPORT_LIMIT_BYTES["5MiB"] + 1,
    false,
  ),
  largeFileCheck,
  longText,
];

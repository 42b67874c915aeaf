import { encodeRequest, type RequestParts, withMembers } from "../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { StringRecord } from "../protocol/import-job.ts";
import { IMPORT_LIMIT_BYTES } from "../protocol/limits.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { knownLanguage } from "./call.ts";
import { type ImportCheck, type ImportFacts, importCheck, TOO_LARGE } from "./check.ts";
import { largeFileCheck } from "./large-file.ts";
import { brokenFile, isCut, keptContent, readImport, STRINGS_OF } from "./reading.ts";
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
          return faulty(check, `the answer ${TOO_LARGE}`);
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

/** A word that JSON never escapes, by which the passages of a long text can be counted. */
const PASSAGE_WORD = "zqpassagexv";
/**
 * Letters that some JSON libraries escape, and characters of tags, which others do: three or six times as many bytes. So an
 * answer that is measured before it is written becomes larger than 5 MB.
 */
const PASSAGE = `<p><b><i>${PASSAGE_WORD}</i></b> <u>&lt;Уривок документа, дуже довгий&gt;</u></p> `;
const LONG_TEXT = 3_000_000;
const PASSAGES = Math.ceil(LONG_TEXT / Buffer.byteLength(PASSAGE));

const longText: ImportCheck = importCheck(
  {
    id: "import.limit.long-text",
    title: "A text of 3 MB comes back complete, in an answer of no more than 5 MB",
    section: "8",
    why: "In some formats a string is a whole document. Otherwise it loses its end, or cannot be imported.",
    fix: "Do not truncate texts, and answer by URL if an answer would be larger than 5 MB: as it is sent, with all escapes of its JSON.",
  },
  {
    run: async (tools) => {
      // Among plural strings there is no preview, which would count as a part of the text.
      const strings = recordsOfTexts({
        document: PASSAGE.repeat(PASSAGES),
        pages: { one: "%d page", other: "%d pages" },
      });
      const request = await tools.request();
      const job = { sourceLanguage: knownLanguage("en"), strings };
      await tools.submitPatiently("long", withMembers(request, job) ?? request);
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
      // An app may answer 304, or only with its changes; a returned string must have all its passages.
      const isWhole = hasAllPassages(holder) || answered?.verdict?.kind === "not-modified";
      if (isWhole) return PASSED;
      return isCut(holder) || answered !== null ? faulty(longText, "only a part of it came back") : PASSED;
    },
  },
);

/** How much less than all its passages a complete text may seem to have: the size is that of the whole answer. */
const ROUGHLY = 0.99;

/** Whether an answer is long enough for all passages, as they are written at its beginning, or has none of them. */
function hasAllPassages(exchange: Exchange): boolean {
  const { bytes, size } = keptContent(exchange);
  const kept = bytes.toString();
  const [start, end] = [kept.indexOf(PASSAGE_WORD), kept.lastIndexOf(PASSAGE_WORD)];
  if (start < 0 || size === null) return true;
  const count = kept.split(PASSAGE_WORD).length - 2;
  return count > 0 && size >= ((ROUGHLY * Buffer.byteLength(kept.slice(start, end))) / count) * PASSAGES;
}

/** Few enough for a preview, and so long that with a preview, in base64, they are more than 5 MB. */
const PREVIEWED = { strings: 300, characters: 8000 };

const withPreview: ImportCheck = importCheck(
  {
    id: "import.limit.preview",
    title: "An answer with a preview has no more than 5 MB, too",
    section: "8",
    why: "The preview holds all texts once more, in base64. Strings that fit alone no longer do so with it, and the whole import fails.",
    fix: "Measure the complete answer, and name the preview by previewUrl, or omit it, if the answer would be too large.",
  },
  {
    run: async (tools) => {
      const texts = Array.from({ length: PREVIEWED.strings }, (_, index) => {
        const text = `Paragraph ${index} of a long page. `.padEnd(PREVIEWED.characters, "Words and words. ");
        // Trailing spaces make most apps change them.
        return [`page.${index}`, `${text}  `] as const;
      });
      const request = await tools.request();
      const strings = recordsOfTexts(Object.fromEntries(texts));
      await tools.submitPatiently("previewed", withMembers(request, { strings }) ?? request);
    },
    judge: (evidence) => {
      const exchange = evidence.steps.find(({ role }) => role === "previewed")?.exchange;
      if (exchange === undefined) return skipVerdict("it was not sent");
      if (exchange.outcome.kind === "too-large")
        return faulty(withPreview, "with the preview, the answer is larger than 5 MB");
      const { kind, says } = evidence.read(exchange);
      return kind === "accepted" ? PASSED : skipVerdict(`the app ${says}: see import.limit.request`);
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
      fix: "Raise the framework's limit for bodies to 5 MiB, and answer by URL if an answer would be larger than 5 MB: in bytes, not in characters.",
    },
    IMPORT_LIMIT_BYTES["5MB"],
    true,
  ),
  sizeCheck(
    {
      id: "import.limit.over",
      title: "The app survives a job of 5 MiB and one byte, whether it accepts or refuses it",
      severity: "should",
      why: "Read as 5 MiB, the limit of 5 MB is 5,242,880 bytes: the platform sends no more, but anybody else may. The app should refuse before it runs out of memory.",
      fix: "Answer 413 to bodies of more than 5 MiB.",
    },
    IMPORT_LIMIT_BYTES["5MiB"] + 1,
    false,
  ),
  largeFileCheck,
  longText,
  withPreview,
];

import { isDeepStrictEqual } from "node:util";
import { withHeader } from "../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { ImportJob, StringRecord } from "../protocol/import-job.ts";
import { alikeTextsCheck } from "./alike-texts.ts";
import { knownLanguage } from "./call.ts";
import { BY_URL, comparison, type ImportCheck, importCheck, ofAnotherFile, submitByUrl, withFileAt } from "./check.ts";
import { shortText } from "./effect.ts";
import { equalTextsCheck } from "./equal-texts.ts";
import { fileLaterCheck, inLargeFileCheck } from "./in-large-file.ts";
import { manyStringChecks } from "./many-strings.ts";
import { maxLengthCheck, textMaxLengthCheck } from "./max-length.ts";
import { readImport } from "./reading.ts";
import { idsOf, linesOfStrings, mixedStrings, pluralStrings, translated } from "./strings.ts";
import type { ImportTools } from "./tools.ts";
import { forTranslation, someVariedStrings, stringsForTranslation, variedStrings } from "./varied-strings.ts";

const sameWork =
  "The platform chooses how to send a job only by its size. A file must not give a different result because it has grown.";
const unlike = "Users get a different result than before, for no apparent reason.";

/** The same in a new source file: an app may leave translations as they are. */
const forUpload = (job: ImportJob): ImportJob => ({ ...job, sourceLanguage: knownLanguage("en"), targetLanguages: [] });
const uploaded = () => variedStrings(knownLanguage("en"), []);
const someOfUploaded = () => someVariedStrings(knownLanguage("en"), []);

const transports: readonly ImportCheck[] = [
  comparison(
    {
      id: BY_URL,
      title: "Strings give the same result in the job and at stringsUrl",
      why: sameWork,
      fix: "Read the strings first, from either place, and process them with the same code.",
      isCause: true,
    },
    {
      strings: mixedStrings,
      what: "the same strings at stringsUrl",
      other: (tools, role) => submitByUrl(tools, role, linesOfStrings(mixedStrings())),
    },
  ),
  comparison(
    {
      id: "import.same.plurals-by-url",
      title: "Plural strings and translations give the same result in the job and at stringsUrl, with all their fields",
      why: sameWork,
      fix: "Read the strings first, from either place, and process them with the same code.",
    },
    {
      strings: stringsForTranslation,
      base: forTranslation,
      what: "the same strings at stringsUrl",
      needsUrl: true,
      other: (tools, role) => submitByUrl(tools, role, linesOfStrings(stringsForTranslation()), forTranslation),
    },
  ),
  comparison(
    {
      id: "import.same.content-by-url",
      title: "A file gives the same result in the job and at contentUrl",
      why: sameWork,
      fix: "Read the file from `content` or `contentUrl`, whichever exists.",
    },
    { strings: mixedStrings, what: "the same file at contentUrl", other: submitContentByUrl },
  ),
];

/** The first job, with its file at an address. */
async function submitContentByUrl(tools: ImportTools, role: string): Promise<void> {
  const inline = await tools.request((job) => ({ ...job, strings: mixedStrings() }));
  const { file } = (inline.body as { readonly json: ImportJob }).json;
  if (file.content === undefined) return;
  await tools.serving(role, { content: Buffer.from(file.content, "base64") }, async (contentUrl) => {
    await tools.submit(role, withFileAt(inline, contentUrl));
  });
}

/** Sends a job with the file of these strings that is changed otherwise. */
const submitChanged =
  (change: (job: ImportJob) => ImportJob, strings = mixedStrings) =>
  async (tools: ImportTools, role: string) => {
    const request = await tools.request((job) => ({ ...job, strings: strings() }));
    const { json } = request.body as { readonly json: ImportJob };
    await tools.submit(role, { ...request, body: { json: change(json) } });
  };

/** Languages of a multilingual file. */
const severalLanguages = () => ["uk", "pt-BR", "de"].map(knownLanguage);
const multilingual = (job: ImportJob): ImportJob => ({
  ...forTranslation(job),
  targetLanguages: severalLanguages(),
});
const multilingualStrings = () => [
  ...translated(mixedStrings(), severalLanguages()),
  ...pluralStrings(knownLanguage("en"), severalLanguages()).filter(({ hasPlurals }) => hasPlurals === true),
];

/** The same languages the other way round, in the job and in each string. */
const reversedLanguages = (job: ImportJob): ImportJob => ({
  ...multilingual(job),
  targetLanguages: severalLanguages().toReversed(),
  strings: multilingualStrings().map((record) => ({
    ...record,
    translations: Object.fromEntries(Object.entries(record.translations ?? {}).toReversed()),
  })),
});

const relations: readonly ImportCheck[] = [
  comparison(
    {
      id: "import.same.order",
      title: "Strings give the same result in another order",
      severity: "should",
      why: unlike,
      fix: "Keep no state from one string to the next, and look strings up by uniqId.",
    },
    {
      strings: stringsForTranslation,
      base: forTranslation,
      what: "the same strings in reverse order",
      other: submitChanged(
        (job) => ({ ...forTranslation(job), strings: stringsForTranslation().toReversed() }),
        stringsForTranslation,
      ),
    },
  ),
  comparison(
    {
      id: "import.same.language-order",
      title: "Translations give the same result with the target languages in another order",
      severity: "should",
      why: "A multilingual file has no first language. An app that works on one of them alone leaves the others as they were.",
      fix: "Go through all of `targetLanguages`, and look translations up by the id of their language.",
    },
    {
      strings: multilingualStrings,
      base: multilingual,
      what: "the same languages in reverse order",
      other: submitChanged(reversedLanguages, multilingualStrings),
    },
  ),
  comparison(
    {
      id: "import.same.file-id",
      title: "Strings give the same result in a file that the app has not seen before",
      severity: "should",
      why: "A file keeps its id when it is updated. An app that caches its last result for the file answers the new strings with the old result.",
      fix: "Process the strings of each job, and cache nothing under the file's id.",
    },
    {
      strings: mixedStrings,
      what: "another file id",
      other: async (tools, role) => {
        await submitChanged(ofAnotherFile(tools))(tools, role);
      },
    },
  ),
  comparison(
    {
      id: "import.same.alone",
      title: "Strings give the same result among fewer others",
      severity: "should",
      why: unlike,
      fix: "Keep no state from one string to the next.",
    },
    {
      strings: uploaded,
      base: forUpload,
      only: idsOf(someOfUploaded()),
      what: "only some of the strings",
      other: submitChanged((job) => ({ ...forUpload(job), strings: someOfUploaded() }), uploaded),
    },
  ),
  comparison(
    {
      id: "import.same.extra-fields",
      title: "Fields that the app does not know make no difference",
      severity: "should",
      section: "9",
      why: "Interfaces grow. An app that fails on a new field stops working on the day it appears.",
      fix: "Read the fields that the app knows, and ignore others.",
    },
    {
      strings: mixedStrings,
      what: "additional fields in job, languages and strings",
      other: submitChanged((job) => ({
        ...job,
        jobId: "app-sim",
        file: { ...job.file, path: "/verify", type: "auto" },
        project: { ...job.project, visibility: "private" },
        sourceLanguage: { ...job.sourceLanguage, textDirection: "ltr" },
        strings: mixedStrings().map((record) => ({ ...record, revision: 3, fields: { "app-sim": [1, null] } })),
      })),
    },
  ),
  comparison(
    {
      id: "import.same.spelling",
      title: "The same JSON, re-serialized, makes no difference",
      section: "RFC 8259",
      why: "White space, escapes and the order of members mean nothing in JSON. An app that relies on them breaks with the next version of the platform.",
      fix: "Let a JSON library parse the job.",
    },
    {
      strings: mixedStrings,
      what: "the same JSON with white space, escapes and another order of members",
      other: async (tools, role) => {
        const request = await tools.request((job) => ({ ...job, strings: mixedStrings() }));
        const { json } = request.body as { readonly json: ImportJob };
        const reversed = Object.fromEntries(Object.entries(json).toReversed());
        const escaped = JSON.stringify(reversed, null, 2)
          .replaceAll("/", "\\/")
          .replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
        await tools.submit(role, { ...request, body: { bytes: Buffer.from(escaped) } });
      },
    },
  ),
  comparison(
    {
      id: "import.same.charset",
      title: "A content type that names its charset makes no difference",
      severity: "should",
      section: "RFC 9110, 8.3.1",
      why: "HTTP libraries add a charset to the type of JSON. An app that compares the whole header refuses files with the next version of the platform.",
      fix: "Compare only the media type, without parameters.",
    },
    {
      strings: mixedStrings,
      what: "charset=utf-8 in the content type",
      other: async (tools, role) => {
        const request = await tools.request((job) => ({ ...job, strings: mixedStrings() }));
        await tools.submit(role, withHeader(request, "Content-Type", "application/json; charset=utf-8"));
      },
    },
  ),
];

const REPEATS = 3;

const repeated: ImportCheck = importCheck(
  {
    id: "import.same.repeated",
    title: "The same job returns the same strings when it is sent again",
    section: "2.4",
    severity: "should",
    why: "A file is imported again on every update. Strings that come back only the first time are lost the second time, and one that changes each time loses its translations.",
    fix: "Keep nothing of a job after answering it, and make what the app writes into a string from the string alone.",
  },
  {
    run: async (tools) => {
      for (const [index] of Array.from({ length: REPEATS }).entries()) {
        await tools.submit(`job-${index}`, await tools.request((job) => ({ ...job, strings: mixedStrings() })));
      }
    },
    judge: (evidence) => {
      const answers = Array.from({ length: REPEATS }, (_, index) => readImport(evidence, `job-${index}`));
      if (answers.some((answered) => answered?.strings == null)) return skipVerdict("it did not get strings each time");
      const kinds = new Set(answers.map((answered) => answered?.verdict?.kind));
      const [first = new Map<string, Readonly<Record<string, unknown>>>(), ...others] = answers.map((answered) =>
        lastingParts(answered?.strings ?? []),
      );
      const ids = [...first.keys()];
      const haveSameIds = others.every((parts) => parts.size === ids.length && ids.every((id) => parts.has(id)));
      if (kinds.size > 1 || !haveSameIds)
        return faulty(repeated, "not all answers to the same job have the same strings");
      const changed = ids.find((id) => !others.every((parts) => isDeepStrictEqual(parts.get(id), first.get(id))));
      if (changed === undefined) return PASSED;
      const fields = Object.entries(first.get(changed) ?? {});
      const [field] = fields.find(([name, value]) =>
        others.some((parts) => !isDeepStrictEqual(parts.get(changed)?.[name], value)),
      ) ?? ["text"];
      return faulty(
        repeated,
        `${field} of the string ${shortText(changed)} is not the same in all answers to the same job`,
      );
    },
  },
);

/**
 * The parts of each string that are the same on every import, by uniqId. Labels and contexts may hold the time of the
 * import or how often it came, and translations may come from a machine that translates differently each time.
 */
function lastingParts(strings: readonly StringRecord[]): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  return new Map(
    strings.map(({ uniqId, identifier, text, hasPlurals, isHidden, maxLength }) => [
      uniqId,
      {
        identifier,
        text,
        hasPlurals: hasPlurals ?? false,
        isHidden: isHidden ?? null,
        maxLength: maxLength ?? null,
      },
    ]),
  );
}

/** Relations between answers, independent of what the app does (hardening I7, I8). */
export const importRelationChecks: readonly ImportCheck[] = [
  ...transports,
  ...relations,
  ...manyStringChecks,
  alikeTextsCheck,
  equalTextsCheck,
  inLargeFileCheck,
  fileLaterCheck,
  maxLengthCheck,
  textMaxLengthCheck,
  repeated,
];

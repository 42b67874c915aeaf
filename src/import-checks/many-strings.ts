import type { Evidence, Verdict } from "../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { ImportJob, StringRecord } from "../protocol/import-job.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { knownLanguage } from "./call.ts";
import { type ImportCheck, importCheck, NOT_WHOLE, submitByUrl, submitPlainByUrl, untakenByUrl } from "./check.ts";
import { effectOf, type ImportEffect } from "./effect.ts";
import { brokenFile, readImport } from "./reading.ts";
import { alikeStrings, idsOf, linesOfStrings } from "./strings.ts";
import type { ImportTools } from "./tools.ts";

const MANY = 1200;
/** The same kinds of strings in a job that is small for every app. */
const FEW = 20;
/** Every so many strings one is plural. */
const PLURAL_STEP = 10;

/** Strings that differ only in their number and in whether they are plural: an app should treat each kind alike. */
function manyStrings(count: number): StringRecord[] {
  return alikeStrings(count).map((record, index) => {
    if (index % PLURAL_STEP !== PLURAL_STEP - 1) return record;
    const { uniqId, identifier, text } = record;
    return { uniqId, identifier, hasPlurals: true, text: { one: `One: ${String(text)}`, other: String(text) } };
  });
}

/** A job in English, the language of the plural forms, with this many strings. */
const inEnglish = (count: number) => (job: ImportJob) => ({
  ...job,
  sourceLanguage: knownLanguage("en"),
  strings: manyStrings(count),
});

const isPlural = ({ hasPlurals }: StringRecord) => hasPlurals === true;
const kinds = [
  { of: "similar strings", isOfKind: (record: StringRecord) => !isPlural(record) },
  { of: "similar plural strings", isOfKind: isPlural },
] as const;

const many: ImportCheck = importCheck(
  {
    id: "import.same.many",
    title: `The app treats ${withCommas(MANY)} similar strings alike`,
    why: "Files of a thousand strings are common. Omitted strings may be removed from the project.",
    fix: "Process all strings, and answer by URL if there are too many for one answer.",
  },
  {
    run: async (tools) => {
      await submitFew(tools);
      await tools.submit("many", await tools.request(inEnglish(MANY)));
    },
    judge: (evidence) => manyVerdict(many, evidence),
  },
);

const manyByUrl: ImportCheck = importCheck(
  {
    id: "import.same.many-by-url",
    title: `The app treats ${withCommas(MANY)} similar strings at stringsUrl alike`,
    section: "2.3",
    why: "Strings come by URL because there are many of them. Omitted strings may be removed from the project.",
    fix: "Read the file at stringsUrl to its end, however many lines it has.",
  },
  {
    run: async (tools) => {
      await submitFew(tools);
      await submitByUrl(tools, "many", linesOfStrings(manyStrings(MANY)), inEnglish(0));
      await submitPlainByUrl(tools);
    },
    judge: (evidence) => manyVerdict(manyByUrl, evidence),
  },
);

async function submitFew(tools: ImportTools): Promise<void> {
  await tools.submit("few", await tools.request(inEnglish(FEW)));
}

function manyVerdict(check: ImportCheck, evidence: Evidence): Verdict {
  const sent = manyStrings(MANY);
  const answered = readImport(evidence, "many", sent);
  if (answered === null) return skipVerdict("it was not sent");
  const { reply } = answered;
  const few = readImport(evidence, "few", manyStrings(FEW));
  if (few?.reply.kind === "refused") return skipVerdict(`the app ${few.reply.says} to ${FEW} such strings, too`);
  if (reply.kind !== "accepted") {
    return untakenByUrl(evidence, reply) ?? faulty(check, `the app ${reply.says} to ${MANY} strings`);
  }
  const broken = brokenFile(answered);
  if (broken !== null) return faulty(check, `in its answer, ${broken}`);
  const effect = effectOf(answered, sent);
  if (effect === null) return skipVerdict(NOT_WHOLE);
  const fault = unlikeStrings(effect, sent) ?? lostKind(few && effectOf(few, manyStrings(FEW)), effect);
  return fault === null ? PASSED : faulty(check, fault);
}

/** Which strings of the same kind were not treated alike, as a sentence; null: none. */
function unlikeStrings({ omitted, changed, returned }: ImportEffect, sent: readonly StringRecord[]): string | null {
  for (const { of, isOfKind } of kinds) {
    const ids = [...idsOf(sent.filter(isOfKind))];
    const missing = ids.filter((id) => omitted?.has(id) === true).length;
    const altered = ids.filter((id) => changed.has(id)).length;
    // An app may return only what it changed, and leave one kind as it is.
    const isAll = missing === 0 || missing === ids.length || returned === changed.size;
    if (!isAll) return `${missing} of ${ids.length} ${of} did not come back`;
    if (altered > 0 && altered < ids.length) return `${altered} of ${ids.length} ${of} were changed`;
  }
  return null;
}

/** The kind of strings that came back changed from a small job, but is missing in the answer to a large one. */
function lostKind(few: ImportEffect | null, many: ImportEffect): string | null {
  // An app may leave a large job as it is.
  if (few === null || many.returned === 0) return null;
  for (const { of, isOfKind } of kinds) {
    const idsIn = (count: number) => [...idsOf(manyStrings(count).filter(isOfKind))];
    const isChanged = idsIn(FEW).every((id) => few.changed.has(id));
    // Or it returns unchanged strings from both.
    const isKept = few.omitted?.size === 0 && many.returned > many.changed.size;
    const isLost = idsIn(MANY).every((id) => many.omitted?.has(id) === true);
    if ((isChanged || isKept) && isLost) return `no ${of} came back, although those among only ${FEW} did`;
  }
  return null;
}

/** The checks of many similar strings, inline and by URL: none may be lost or treated differently (hardening I7). */
export const manyStringChecks: readonly ImportCheck[] = [many, manyByUrl];

import type { Evidence, Verdict } from "../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { StringRecord } from "../protocol/import-job.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { type ImportCheck, importCheck, submitByUrl, submitPlainByUrl, untakenByUrl } from "./check.ts";
import { effectOf } from "./effect.ts";
import { brokenFile, readImport } from "./reading.ts";
import { alikeStrings, linesOfStrings } from "./strings.ts";

const MANY = 1200;

const many: ImportCheck = importCheck(
  {
    id: "import.same.many",
    title: `The app treats ${withCommas(MANY)} similar strings alike`,
    why: "Files of a thousand strings are common. Omitted strings may be removed from the project.",
    fix: "Process all strings, and answer by URL if there are too many for one answer.",
  },
  {
    run: async (tools) => {
      await tools.submit("many", await tools.request((job) => ({ ...job, strings: alikeStrings(MANY) })));
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
      await submitByUrl(tools, "many", linesOfStrings(alikeStrings(MANY)));
      await submitPlainByUrl(tools);
    },
    judge: (evidence) => manyVerdict(manyByUrl, evidence),
  },
);

function manyVerdict(check: ImportCheck, evidence: Evidence): Verdict {
  const sent = alikeStrings(MANY);
  const answered = readImport(evidence, "many", sent);
  if (answered === null) return skipVerdict("it was not sent");
  const { reply } = answered;
  if (reply.kind !== "accepted") {
    return untakenByUrl(evidence, reply) ?? faulty(check, `the app ${reply.says} to ${MANY} strings`);
  }
  const broken = brokenFile(answered);
  return broken === null ? alikeVerdict(check, answered, sent) : faulty(check, `in its answer, ${broken}`);
}

function alikeVerdict(
  check: ImportCheck,
  answered: NonNullable<ReturnType<typeof readImport>>,
  sent: readonly StringRecord[],
) {
  const effect = effectOf(answered, sent);
  if (effect === null) return skipVerdict("the journal does not have its complete answer");
  const { omitted, changed, returned } = effect;
  const missing = omitted?.size ?? 0;
  if (missing > 0 && returned > 0 && changed.size !== returned) {
    return faulty(check, `${missing} of ${sent.length} similar strings did not come back`);
  }
  if (changed.size > 0 && changed.size < sent.length) {
    return faulty(check, `${changed.size} of ${sent.length} similar strings were changed`);
  }
  return PASSED;
}

/** The checks of many similar strings, inline and by URL: none may be lost or treated differently (hardening I7). */
export const manyStringChecks: readonly ImportCheck[] = [many, manyByUrl];

import type { ChoiceReader } from "../protocol/choices.ts";
import { IMPORT_ANSWER_SHAPE, importAnswerSchema, type StringRecord } from "../protocol/import-job.ts";
import { problemsOf } from "../protocol/problems.ts";
import type { Explanation } from "./explain-outcome.ts";
import { type Answer, explainStatus, readJsonAnswer } from "./read-answer.ts";

/** What a post-import module answered (interface 2.4). */
export type ImportVerdict =
  | {
      readonly kind: "strings";
      readonly strings: readonly StringRecord[];
      readonly hasPreview: boolean;
      readonly warnings: readonly string[];
    }
  | { readonly kind: "not-modified" }
  | ({ readonly kind: "failed"; readonly strings: number } & Explanation);

/** Judges a whole answer to a post-import call. Anything that breaks the contract fails the import. */
export function judgeImportAnswer(answer: Answer, choices: ChoiceReader): ImportVerdict {
  if (answer.status === 304) return judgeNotModified(answer, choices);
  const json = readJsonAnswer(answer, IMPORT_ANSWER_SHAPE);
  if (answer.status < 200 || answer.status > 299) {
    const message = json.ok ? importAnswerSchema.safeParse(json.value).data?.error?.message : undefined;
    const { reason, hint } = explainStatus(answer);
    return failed(message === undefined ? reason : `${message} (the app answered ${answer.status})`, hint);
  }
  if (!json.ok) return failed(json.reason, json.hint);
  const parsed = importAnswerSchema.safeParse(json.value);
  if (!parsed.success) {
    const problems = problemsOf(parsed.error, json.value);
    const [first] = problems;
    const others = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
    return failed(
      `the app's answer breaks the contract: ${first?.path || "it"} ${first?.message}${others}`,
      `expected ${IMPORT_ANSWER_SHAPE}`,
    );
  }
  const { data, error } = parsed.data;
  if (error !== undefined) return failed(error.message, "this text is what the user is shown");
  if (data?.strings !== undefined) {
    const hasPreview = data.preview !== undefined || data.previewUrl !== undefined;
    return { kind: "strings", strings: data.strings, hasPreview, warnings: json.warnings };
  }
  if (data?.stringsUrl !== undefined) {
    return failed(
      "the app answered with data.stringsUrl, which this version of app-sim does not fetch",
      "answer with data.strings",
    );
  }
  return failed("the app's answer has neither data.strings nor error", `expected ${IMPORT_ANSWER_SHAPE}`);
}

function judgeNotModified(answer: Answer, choices: ChoiceReader): ImportVerdict {
  if (choices.get("postImport.notModified") === "accepted") return { kind: "not-modified" };
  return failed(
    explainStatus(answer).reason,
    '304 as "nothing changed" is refused by the choice postImport.notModified',
  );
}

function failed(reason: string, hint: string | null): ImportVerdict {
  return { kind: "failed", reason, hint, strings: 0 };
}

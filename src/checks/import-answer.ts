import type { ChoiceReader } from "../protocol/choices.ts";
import {
  IMPORT_ANSWER_SHAPE,
  importAnswerSchema,
  importErrorSchema,
  type StringRecord,
} from "../protocol/import-job.ts";
import { problemsOf } from "../protocol/problems.ts";
import type { Problem } from "../protocol/usage-error.ts";
import type { Explanation } from "./explain-outcome.ts";
import { type Answer, type Credential, explainStatus, readJsonAnswer } from "./read-answer.ts";

/** What a post-import module answered (interface 2.4). */
export type ImportVerdict =
  | {
      readonly kind: "strings";
      readonly strings: readonly StringRecord[];
      readonly hasPreview: boolean;
      readonly hasStringsUrl: boolean;
      readonly warnings: readonly string[];
    }
  | { readonly kind: "not-modified" }
  | ({
      readonly kind: "failed";
      /** Each place where the answer breaks the contract. */
      readonly problems: readonly Problem[];
    } & Explanation);

/** Judges a whole answer to a post-import call. Anything that breaks the contract fails the import. */
export function judgeImportAnswer(answer: Answer, choices: ChoiceReader, credential: Credential): ImportVerdict {
  if (answer.status === 304) return judgeNotModified(answer, choices);
  const json = readJsonAnswer(answer, IMPORT_ANSWER_SHAPE);
  if (answer.status < 200 || answer.status > 299) {
    const message = json.ok ? errorMessage(json.value) : null;
    const { reason, hint } = explainStatus(answer, credential);
    return failed(message === null ? reason : `${message} (the app answered ${answer.status})`, hint);
  }
  if (!json.ok) return failed(json.reason, json.hint);
  const message = errorMessage(json.value);
  if (message !== null) return failed(message, "this text is what the user is shown");
  const parsed = importAnswerSchema.safeParse(json.value);
  if (!parsed.success) {
    const problems = problemsOf(parsed.error, json.value);
    const [first] = problems;
    const others = problems.length > 1 ? ` (and ${problems.length - 1} more: see the findings)` : "";
    return failed(
      `the app's answer breaks the contract: ${first?.path || "it"} ${first?.message}${others}`,
      `expected ${IMPORT_ANSWER_SHAPE}, each string a whole record`,
      problems,
    );
  }
  const { data } = parsed.data;
  if (data?.strings != null) {
    const hasPreview = data.preview != null || data.previewUrl != null;
    return {
      kind: "strings",
      strings: data.strings,
      hasPreview,
      hasStringsUrl: data.stringsUrl != null,
      warnings: json.warnings,
    };
  }
  if (data?.stringsUrl != null) {
    return failed(
      "the app answered with data.stringsUrl, which this version of app-sim does not fetch",
      "answer with data.strings",
    );
  }
  return failed("the app's answer has neither data.strings nor error.message", `expected ${IMPORT_ANSWER_SHAPE}`, [
    { path: "response", message: "has neither data.strings nor error.message" },
  ]);
}

/** Interface 2.4, 7: error.message is shown to the user. */
function errorMessage(value: unknown): string | null {
  const message = importErrorSchema.safeParse(value).data?.error.message;
  return message === "" ? "the app gave an empty error.message" : (message ?? null);
}

function judgeNotModified(answer: Answer, choices: ChoiceReader): ImportVerdict {
  if (choices.get("postImport.notModified") === "accepted") return { kind: "not-modified" };
  return failed(
    explainStatus(answer, "none").reason,
    '304 as "nothing changed" is refused by the choice postImport.notModified',
  );
}

function failed(reason: string, hint: string | null, problems: readonly Problem[] = []): ImportVerdict {
  return { kind: "failed", reason, hint, problems };
}

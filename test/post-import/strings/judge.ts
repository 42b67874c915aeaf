import { findLanguage } from "../../../src/config/languages.ts";
import type { ComparedString, JobLanguages } from "../../../src/post-import/checks/strings/string-check.ts";
import { stringChecks } from "../../../src/post-import/checks/strings/string-checks.ts";
import type { StringRecord } from "../../../src/protocol/import-job.ts";
import type { Language } from "../../../src/protocol/language.ts";

export function language(id: string): Language {
  const found = findLanguage(id);
  if (found === undefined) throw new Error(`${id} is no language`);
  return found;
}

/** A job from English into these languages. */
export function languagesOf(...targets: readonly string[]): JobLanguages {
  return { source: language("en"), targets: targets.map(language) };
}

/** What the checks say of one string, as `result check path: message`. */
export function judge(strings: ComparedString, languages: JobLanguages = languagesOf("uk", "pl")): string[] {
  return stringChecks.flatMap(({ id, result, find }) =>
    find(strings, languages).map(({ path, message }) => `${result} ${id} ${path}: ${message}`),
  );
}

/** What the checks say of a string that the app has changed in some fields. */
export function judgeChange(sent: StringRecord, change: Partial<StringRecord>, languages?: JobLanguages): string[] {
  return judge({ before: sent, after: { ...sent, ...change } }, languages);
}

/** What the checks say of a text that came back as another one. */
export function judgeText(before: StringRecord["text"], after: StringRecord["text"]): string[] {
  const whole = (text: StringRecord["text"]) => ({
    uniqId: "1",
    identifier: "key",
    text,
    hasPlurals: typeof text === "object",
  });
  return judge({ before: whole(before), after: whole(after) });
}

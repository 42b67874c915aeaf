import { shellWord } from "../output/shell-word.ts";
import { didYouMean } from "../protocol/nearest.ts";
import type { Problem } from "../protocol/usage-error.ts";

/** A value that is not allowed: one layout, whatever refused it. */
interface RefusedValue {
  readonly message: string;
  readonly hint: string;
}

/** Commander's message mentions only a "command-argument value". */
export function refusedByCommander(message: string): RefusedValue | null {
  const [, value, name, allowed] =
    /^error: command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are (.*)\.$/.exec(
      message,
    ) ?? [];
  if (allowed !== undefined) return { message: `${name} ${value} is not known`, hint: `allowed: ${allowed}` };
  const [, flag, given = "", why = ""] =
    /^error: option '(--[\w-]+).*' argument '(.*)' is invalid\. (.*)$/s.exec(message) ?? [];
  if (flag === undefined) return null;
  const choices = /^Allowed choices are (.*)\.$/.exec(why)?.[1]?.split(", ");
  if (choices !== undefined)
    return { message: cannotBe(flag, given, didYouMean(given, choices)), hint: `allowed: ${choices.join(", ")}` };
  const [, expected = "", meant = ""] = /^(.*?)\.?( Did you mean [^?]*\?)?$/s.exec(why) ?? [];
  return { message: cannotBe(flag, given, meant), hint: expected.charAt(0).toLowerCase() + expected.slice(1) };
}

/** @param meant what was most likely meant, as a further sentence */
function cannotBe(flag: string, given: string, meant: string): string {
  return `${flag} cannot be ${shellWord(given)}${meant === "" ? "" : `.${meant}`}`;
}

/** A single flag whose value is not allowed reads like those that the command line itself refuses; null: something else. */
export function refusedBySchema([problem, ...others]: readonly Problem[]): RefusedValue | null {
  if (problem === undefined || others.length > 0 || !problem.path.startsWith("--")) return null;
  const [, given, expected = "", meant = ""] =
    /^is (.*?): ((?:allowed: |expected ).*?)(?:\.( Did you mean .*))?$/s.exec(problem.message) ?? [];
  if (given === undefined) return null;
  const message = cannotBe(problem.path, given.replace(/^"(.*)"$/, "$1"), meant);
  return { message, hint: expected.replaceAll('"', "") };
}

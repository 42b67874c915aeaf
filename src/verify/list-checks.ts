import type { Invocation } from "../action/invocation.ts";
import { type CheckFacts, isTwin } from "../checking/check.ts";
import { exitCodes } from "../output/exit-code.ts";
import { printLines } from "../output/fit-lines.ts";
import { jsonText } from "../output/json.ts";
import { columnsOf, fold, indent, pad } from "../output/layout.ts";
import { plural } from "../output/text.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { allChecks } from "./checks.ts";
import { flagNeeded, groupOf, isSelected, requireKnown } from "./rules/select.ts";
import { sectionName } from "./text/finding-facts.ts";
import type { VerifyOptions } from "./verify-options.ts";

type Printer = Pick<Invocation, "format" | "paint" | "out">;

/**
 * `app-sim verify --list`: the checks selected by the other flags.
 * @throws UsageError for a name that selects no check, or a format that lists do not have
 */
export function listChecks({ format, paint, out }: Printer, { only = [], skip = [] }: VerifyOptions): number {
  requireListFormat(format);
  requireKnown(allChecks, { only, skip });
  const checks = allChecks.filter(({ id }) => isSelected({ only, skip }, id));
  if (format === "json") {
    out(jsonText({ command: "verify", checks: checks.map(checkFacts) }));
    return exitCodes.asExpected;
  }
  const width = Math.min(Math.max(...checks.map(({ id }) => columnsOf(id)), 0), Math.floor(paint.width / 2));
  const lines = checks.flatMap((check) => {
    const { id, title, severity } = check;
    const flag = flagNeeded(check, {});
    const notes = [...(severity === "should" ? ["warns"] : []), ...(flag === null ? [] : [`--${flag}`])];
    const text = `${title}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`;
    if (columnsOf(id) <= width) return fold(`${pad(id, width)}  ${text}`, paint.width, width + 2);
    return [id, ...indent(fold(text, paint.width - 2), 2)];
  });
  printLines({ out, paint }, [
    ...lines,
    "",
    `${plural(checks.length, "check")}; app-sim verify --explain ID explains one`,
  ]);
  return exitCodes.asExpected;
}

/**
 * `app-sim verify --explain ID`
 * @throws UsageError for an unknown id, or an unsupported format
 */
export function explainCheck({ format, paint, out }: Printer, id: string): number {
  requireListFormat(format);
  const check = allChecks.find((each) => each.id === id);
  if (check === undefined) throw notExplained(id);
  if (format === "json") out(jsonText(checkFacts(check)));
  else printLines({ out, paint }, explanation(check));
  return exitCodes.asExpected;
}

/** A name that is not the id of one check: `guard.token.*` is one of several. */
function notExplained(given: string): UsageError {
  const name = given.replace(/\.\*$/, "");
  const ids = allChecks.map(({ id }) => id);
  const several = ids.filter((id) => id.startsWith(`${name}.`)).length;
  if (several > 0)
    return new UsageError(
      "unknown-check",
      `"${name}" names ${several} checks, but --explain explains only one`,
      `\`app-sim verify --list --only ${name}\` shows them`,
    );
  return new UsageError(
    "unknown-check",
    `there is no check "${name}".${didYouMean(name, [...ids, ...ids.map(groupOf)])}`,
    "`app-sim verify --list` shows them all",
  );
}

function explanation(check: CheckFacts): string[] {
  const { id, title, section, severity, why, fix, choices = [], isSlow, whySlow, isRandom, needsQuiet } = check;
  const how = isTwin(check)
    ? [
        `It sends a request that the app accepts, then its twin, in which only ${check.changes} is changed, then the first again: the twin must be ${check.right}.`,
      ]
    : [];
  return [
    `${id}: ${title}`,
    "",
    `${sectionName(section)}; ${severity === "must" ? "an app that does not comply fails, or gets a warning where the interface leaves it open" : "an app that does not comply gets a warning"}`,
    ...how,
    `Why it matters: ${why}`,
    `How to fix it: ${fix}`,
    ...(choices.length === 0
      ? []
      : [`It relies on a point that the interface leaves open: ${choices.join(", ")} (see app-sim choices)`]),
    ...(isSlow === true ? [`${whySlow ?? "It waits for a time limit"}: it runs only with --slow.`] : []),
    ...(isRandom === true
      ? ["It sends random requests, and smaller ones if one fails: it runs only with --fuzz N."]
      : []),
    ...(needsQuiet === true ? ["It runs alone, after all others."] : []),
    `To run only this check: app-sim verify --only ${id}${isRandom === true ? " --fuzz 100" : ""}`,
  ];
}

/** What is known about a check before it runs, for JSON. */
function checkFacts(check: CheckFacts) {
  const { id, area, title, section, severity, why, fix, choices = [] } = check;
  const { isSlow = false, isRandom = false, needsQuiet = false } = check;
  const changes = isTwin(check) ? check.changes : null;
  const how = { isSlow, isRandom, needsQuiet };
  return { id, area, title, section, severity, why, mend: fix, changes, choices: [...choices], ...how };
}

/** @throws UsageError for a format of results */
export function requireListFormat(format: string): void {
  if (format === "text" || format === "json") return;
  throw new UsageError(
    "format-invalid",
    `--format ${format} is a format for results of checks`,
    "allowed with --list, --explain and --init: text, json",
  );
}

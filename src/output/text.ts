import { clip, harmlessLine } from "../protocol/harmless.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { columnsOf, fold } from "./layout.ts";
import type { Paint } from "./paint.ts";
import { shellWord } from "./shell-word.ts";

/** An app may give a reason of any length; JSON output keeps all of it. */
const REASON_CHARACTERS = 500;

/** A reason, possibly the app's own message, on one line of reasonable length. */
export function reasonText(reason: string): string {
  return clip(harmlessLine(reason), REASON_CHARACTERS);
}

/** The lines that show the exchange with this id; empty if it was not kept. */
export type ExchangeLines = (id: string) => string[];

/** A symbol before a line; the words after it say the same. */
export function markOf(
  result: "passed" | "denied" | "failed" | "skipped" | "needs-user" | "warned",
  paint: Paint,
): string {
  if (result === "passed") return paint.good("✓");
  if (result === "denied" || result === "failed") return paint.bad("✗");
  return result === "skipped" ? paint.quiet("-") : paint.caution("!");
}

/** The most by which callers indent a line. */
const INDENTED = 4;

/** The choices that a result relied on; those at their default have already been removed, except with `--verbose`. */
export function choicesLine(choices: readonly string[], paint: Paint): string[] {
  if (choices.length === 0) return [];
  const text = `depends on the choices ${choices.join(", ")} (see app-sim choices)`;
  return fold(text, paint.width - INDENTED).map((line) => paint.quiet(line));
}

/** A count with its noun; `nouns` if the plural takes more than an s. */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${withCommas(count)} ${count === 1 ? noun : nouns}`;
}

/** Says that a run that ended as expected fails all the same, because of a warning (--strict). */
export function strictLine(isFailing: boolean, paint: Paint): string[] {
  return isFailing ? [paint.bad("A warning fails this run (--strict)")] : [];
}

/** Flags that select the app, part of it, or the platform: a suggested command needs them as they were typed. */
const flagsOfRun = new Set([
  ...["--module", "--app", "--manifest", "--config", "--profile", "--choose", "--allow-origin", "--allow-path"],
  "--redirect-uri",
  ...["--port", "--tls", "--cert", "--key", "--public-url", "--journal"],
]);
/** Those without a value. */
const switches = new Set(["--tls"]);

interface TypedCommand {
  readonly paint: Paint;
  readonly typed: readonly string[];
}

/** After a successful run: it does not show what the app must refuse; suggests a command that does. */
export function rightOnlyLine(command: string, typed: TypedCommand): string[] {
  return triedByLine("Only valid requests were sent. To test what the app must refuse:", command, typed);
}

/**
 * Suggests a command that tests what this run did not.
 * @param said what it tests, with a colon at the end
 */
export function triedByLine(said: string, command: string, { paint, typed }: TypedCommand): string[] {
  const tried = ["app-sim", command, ...flagsOfRunIn(typed)].join(" ");
  // A command is copied as a whole, so it is not folded.
  const parts = columnsOf(`${said} ${tried}`) <= paint.width ? [`${said} ${tried}`] : [said, tried];
  return parts.flatMap((part) => fold(part, paint.width)).map((folded) => paint.quiet(folded));
}

function flagsOfRunIn(typed: readonly string[]): string[] {
  return typed.flatMap((word, index) => {
    const [name = ""] = word.split("=", 1);
    if (!flagsOfRun.has(name)) return [];
    const value = switches.has(name) ? undefined : typed[index + 1];
    return (word === name && value !== undefined ? [name, value] : [word]).map(shellWord);
  });
}

/** The most parts of a kind in a report: an app may have any number of modules. */
const SHOWN_PARTS = 100;

/**
 * The parts that a report shows, in order: all if there are few; otherwise the important ones, and the first of the
 * rest.
 * @param isTelling whether a part is why the report is read, such as a failure
 */
export function shownParts<Part>(parts: readonly Part[], isTelling: (part: Part) => boolean = () => false) {
  const shown = new Set(
    [...parts.filter(isTelling), ...parts].slice(0, parts.length <= SHOWN_PARTS ? undefined : SHOWN_PARTS),
  );
  return parts.filter((part) => shown.has(part));
}

/** How many parts a report leaves out; nothing if it has all. */
export function restLine(rest: number, noun: string, nouns = `${noun}s`): string[] {
  return rest === 0 ? [] : [`… and ${plural(rest, `more ${noun}`, `more ${nouns}`)}; --format json has all`];
}

import { clip, harmlessLine } from "../protocol/harmless.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { columnsOf, fold } from "./layout.ts";
import type { Paint } from "./paint.ts";
import { shellWord } from "./shell-word.ts";

/** An app may give a reason of any length; JSON keeps all of it. */
const REASON_CHARACTERS = 500;

/** A reason, which may be the app's own words, on one line of a bearable length. */
export function reasonText(reason: string): string {
  return clip(harmlessLine(reason), REASON_CHARACTERS);
}

/** The lines that show the exchange with this id; none where it was not kept. */
export type ExchangeLines = (id: string) => string[];

/** A sign before a line; the words after it say the same. */
export function markOf(
  result: "passed" | "denied" | "failed" | "skipped" | "needs-user" | "warned",
  paint: Paint,
): string {
  if (result === "passed") return paint.good("✓");
  if (result === "denied" || result === "failed") return paint.bad("✗");
  return result === "skipped" ? paint.quiet("-") : paint.caution("!");
}

/** What a caller may indent a line by. */
const INDENTED = 4;

/** The choices that a result relied on; those at their default are left out of it before, but for `--verbose`. */
export function choicesLine(choices: readonly string[], paint: Paint): string[] {
  if (choices.length === 0) return [];
  const text = `depends on the choices ${choices.join(", ")} (see app-sim choices)`;
  return fold(text, paint.width - INDENTED).map((line) => paint.quiet(line));
}

/** A count and what is counted; `nouns` where that takes more than an s. */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${withCommas(count)} ${count === 1 ? noun : nouns}`;
}

/** That a run which ended as it should fails all the same, because of a warning (--strict). */
export function strictLine(isFailing: boolean, paint: Paint): string[] {
  return isFailing ? [paint.bad("A warning fails this run (--strict)")] : [];
}

/** Flags that say which app, which part of it, and which platform: another command needs them as they were typed. */
const flagsOfRun = new Set([
  ...["--module", "--app", "--manifest", "--config", "--profile", "--choose", "--allow-origin", "--allow-path"],
  "--redirect-uri",
  ...["--port", "--tls", "--cert", "--key", "--public-url", "--journal"],
]);
/** Of these, those without a value. */
const switches = new Set(["--tls"]);

interface TypedCommand {
  readonly paint: Paint;
  readonly typed: readonly string[];
}

/** After a run in which all was right: that it says nothing of what the app must refuse, and what would. */
export function rightOnlyLine(command: string, typed: TypedCommand): string[] {
  return triedByLine("Only right requests were sent; what the app must refuse is tried by:", command, typed);
}

/**
 * The command that tries what this run did not.
 * @param said what it tries, with a colon at its end
 */
export function triedByLine(said: string, command: string, { paint, typed }: TypedCommand): string[] {
  const tried = ["app-sim", command, ...flagsOfRunIn(typed)].join(" ");
  // A command is copied as a whole.
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

/** A report has no more parts of a kind than these: an app may have any number of modules. */
const SHOWN_PARTS = 100;

/**
 * The parts that a report shows, in their order: all of a few; of many the telling ones, and the first of the others.
 * @param isTelling whether a part is why somebody reads the report, such as what failed
 */
export function shownParts<Part>(parts: readonly Part[], isTelling: (part: Part) => boolean = () => false) {
  const shown = new Set(
    [...parts.filter(isTelling), ...parts].slice(0, parts.length <= SHOWN_PARTS ? undefined : SHOWN_PARTS),
  );
  return parts.filter((part) => shown.has(part));
}

/** How many parts a report leaves out; nothing where it has all. */
export function restLine(rest: number, noun: string, nouns = `${noun}s`): string[] {
  return rest === 0 ? [] : [`… and ${plural(rest, `more ${noun}`, `more ${nouns}`)}; --format json has all`];
}

import { indent, table } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { markOf, plural } from "../output/text.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import type { InitResult } from "./init-result.ts";
import type { ProposedFile } from "./project-files.ts";

/** A fixture may be long; its beginning is enough. */
const SHOWN_LINES = 30;

const languageNames: Readonly<Record<string, string>> = {
  javascript: "JavaScript",
  typescript: "TypeScript",
  php: "PHP",
};

/** What was found out about the project. */
export function projectText({ framework, language: id, url, urlFrom, runs, manifest, start }: InitResult["project"]) {
  const language = id === null ? null : (languageNames[id] ?? id.charAt(0).toUpperCase() + id.slice(1));
  const what = [framework, language].filter((each) => each !== null).join(", ");
  const says = runs ? "it answers" : "nothing answers there now";
  return [
    what === "" ? "No framework was found in this folder." : `Found: ${what}`,
    `Your app: ${url} (${urlFrom}${urlFrom === "flag --app" ? "" : "; --app changes it"}); ${says}`,
    ...(start === null ? [] : [`Started by: ${start}`]),
    ...(manifest === null ? [] : [`Manifest: ${manifest}`]),
    "",
  ].map(harmlessLine);
}

/** A file before it is written. */
export function proposedText({ file, purpose, content, isAdded }: ProposedFile, isThere: boolean, paint: Paint) {
  const lines = content.trim().split("\n").map(harmlessLine);
  const more = lines.length - SHOWN_LINES;
  return [
    paint.strong(`${harmlessLine(file)}: ${harmlessLine(purpose)}`),
    ...(isAdded && isThere ? [paint.quiet("lines to add:")] : []),
    ...indent(lines.slice(0, SHOWN_LINES), 4),
    ...(more > 0 ? [paint.quiet(`    … and ${plural(more, "more line")}`)] : []),
    "",
  ];
}

const states = {
  written: "written",
  added: "lines added",
  there: "already there, not changed",
  left: "not written",
} as const;

/** What was done with the files, and what to do next. */
export function initText({ files, next, outcome }: InitResult, paint: Paint): string[] {
  return [
    ...files.map(({ file, state }) => {
      const isDone = state === "written" || state === "added";
      return `${markOf(isDone ? "passed" : "skipped", paint)} ${harmlessLine(file)}: ${states[state]}`;
    }),
    ...(outcome === "nothing-to-write" ? ["Everything is already there."] : []),
    ...(outcome === "nothing-written" ? [] : ["", "Next:", ...indent(nextLines(next, paint), 2)]),
  ];
}

/** Side by side if there is room. */
function nextLines(next: InitResult["next"], paint: Paint): string[] {
  const rows = next.map(({ command, purpose }) => [harmlessLine(command), harmlessLine(purpose)]);
  const beside = table(rows);
  const isNarrow = beside.some((line) => line.length + 2 > paint.width);
  return isNarrow ? rows.flatMap(([command = "", purpose = ""]) => [command, ...indent([purpose], 2)]) : beside;
}

import type { Piece } from "../../output/layout.ts";
import type { Paint } from "../../output/paint.ts";
import { harmlessLine } from "../../protocol/harmless.ts";
import type { Changes, ImportedJob } from "../import-result.ts";

const MAX_LANGUAGES = 5;

/** Why the platform called the app, in words. */
export function occasionText({ occasion, languages }: ImportedJob): string {
  switch (occasion) {
    case "source-upload":
      return "new source file";
    case "source-update":
      return "update of a source file";
    case "translation-upload":
      return `translation upload (${languagesText(languages)})`;
    case "multilingual":
      return `multilingual file (${languagesText(languages)})`;
  }
}

function languagesText(languages: readonly string[]): string {
  const shown = languages.length <= MAX_LANGUAGES + 1 ? languages : languages.slice(0, MAX_LANGUAGES);
  const rest = languages.length - shown.length;
  return harmlessLine(shown.join(", ")) + (rest === 0 ? "" : `, … and ${rest} more`);
}

/** How many strings became what; what did not happen is said of strings, and left out of the details of them. */
export function countPieces(changes: Changes, paint: Paint): Piece[] {
  const { changed, added, removed, unchanged, hidden, relabelled } = changes;
  const isHiddenOfChanged = hidden > 0 && added === 0;
  const details = [
    ...(isHiddenOfChanged ? [`${count(hidden)} hidden`] : []),
    ...(relabelled > 0 ? [`${count(relabelled)} relabelled`] : []),
  ];
  return [
    { text: `${count(changed)} changed`, paint: changed === 0 ? undefined : paint.strong },
    { text: `${details.length === 0 ? "" : ` (${details.join(", ")})`}, ` },
    { text: `${count(added)} added`, paint: added === 0 ? undefined : paint.strong },
    { text: ", " },
    { text: `${count(removed)} removed`, paint: removed === 0 ? undefined : paint.caution },
    { text: `, ${count(unchanged)} unchanged` },
    { text: hidden > 0 && !isHiddenOfChanged ? `; ${count(hidden)} hidden` : "" },
  ];
}

/** Whether the app gave back none of the strings that it was sent: then there is nothing left to translate. */
export function isEmptied({ outcome, sent, changes }: ImportedJob): boolean {
  return outcome === "imported" && sent.strings > 0 && changes.removed === sent.strings;
}

export function count(number: number): string {
  return number.toLocaleString("en-US");
}

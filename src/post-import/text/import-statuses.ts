import { fold } from "../../output/columns.ts";
import type { Paint } from "../../output/paint.ts";
import type { StringChange } from "../import-result.ts";
import { membersOf, nameText, type Sides, whatTheAppDid } from "./import-fields.ts";

type FieldChange = StringChange["fields"][number];

interface StatusChange {
  readonly of: string;
  readonly words: string;
}

const STATUS = /^translations\.(.*)\.status$/s;

export function isStatus({ field }: FieldChange): boolean {
  return STATUS.test(field);
}

/** Changes of statuses, those of one kind on one line: `status: translated → approved (uk, pl few)`. */
export function statusLines(fields: readonly FieldChange[], sides: Sides, paint: Paint): string[] {
  const byWords = grouped(fields.flatMap((field) => changesOf(field, sides)));
  return [...byWords].flatMap(([words, places]) =>
    fold(
      [{ text: "status: " }, { text: words, paint: paint.strong }, { text: ` (${places.join(", ")})` }],
      paint.width,
      2,
    ),
  );
}

function grouped(changes: readonly StatusChange[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { of, words } of changes) groups.set(words, [...(groups.get(words) ?? []), of]);
  return groups;
}

function changesOf({ field, before, after }: FieldChange, sides: Sides): StatusChange[] {
  const language = nameText(STATUS.exec(field)?.[1] ?? field);
  const [old, now] = [membersOf(before), membersOf(after)];
  const categories = [...new Set([...old.keys(), ...now.keys()])];
  const changes = categories.map((category) => ({
    of: `${language} ${nameText(category)}`,
    words: wordsOf(old.get(category) ?? plain(before), now.get(category) ?? plain(after), sides),
  }));
  const [first] = changes;
  if (first !== undefined && changes.some(({ words }) => words !== first.words))
    return changes.filter((_, index) => {
      const category = categories[index] ?? "";
      return old.get(category) !== now.get(category);
    });
  return [{ of: language, words: first?.words ?? wordsOf(before, after, sides) }];
}

/** One status for all categories, where the other side has one for each. */
function plain(value: unknown): unknown {
  return typeof value === "object" ? null : value;
}

function wordsOf(before: unknown, after: unknown, sides: Sides): string {
  const [old, now] = [before, after].map((status) => nameText(typeof status === "string" ? status : "none"));
  return sides === whatTheAppDid ? `${old} → ${now}` : `${sides.before} ${old}, ${sides.after} ${now}`;
}

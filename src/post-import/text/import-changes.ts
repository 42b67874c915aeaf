import { fold, indent, type Piece } from "../../output/layout.ts";
import type { Paint } from "../../output/paint.ts";
import { plural } from "../../output/text.ts";
import type { Changes, StringChange } from "../import-result.ts";
import { fieldLines, membersOf, nameText, type Sides, whatTheAppDid } from "./import-fields.ts";
import { isText, textLines } from "./import-texts.ts";

/** Changed strings that are shown of a job unless all are asked for. */
const SHOWN_STRINGS = 10;

/** The strings that differ, each with what differs. */
export function changeLines(changes: Changes, sides: Sides, paint: Paint, details: boolean): string[] {
  const { strings } = changes;
  const shown = details ? strings : strings.slice(0, SHOWN_STRINGS);
  return [
    ...shown.flatMap((string) => stringLines(string, sides, paint, details)),
    ...restLines(changes, shown.length, paint),
  ];
}

function restLines({ changed, added, removed, strings }: Changes, shown: number, paint: Paint): string[] {
  const rest = changed + added + removed - shown;
  if (rest <= 0) return [];
  const isAllListed = changed + added + removed <= strings.length;
  const how = isAllListed
    ? "--details shows all"
    : `${shown < strings.length ? `--details shows the first ${strings.length.toLocaleString("en-US")}, ` : ""}--save FILE keeps all`;
  return fold(`… and ${plural(rest, "more string")}; ${how}`, paint.width, 2);
}

function stringLines(string: StringChange, sides: Sides, paint: Paint, details: boolean): string[] {
  const within = { ...paint, width: paint.width - 2 };
  const { change, fields } = string;
  const others = fields.filter((field) => !isText(field) && !isStatus(field) && !isInTitle(string, field.field, sides));
  return [
    ...fold([...titlePieces(string, sides, paint)], paint.width, 2),
    ...(change === "removed"
      ? []
      : indent(
          [
            ...others.flatMap((field) => fieldLines(field, sides, within)),
            ...textLines(fields.filter(isText), sides, within, details),
            ...statusLines(fields.filter(isStatus), sides, within),
          ],
          2,
        )),
  ];
}

function titlePieces({ identifier, uniqId, change, fields }: StringChange, sides: Sides, paint: Paint): Piece[] {
  const tones = { changed: undefined, added: paint.good, removed: paint.caution };
  const name = identifier === "" ? `the string with uniqId ${nameText(uniqId)}` : nameText(identifier);
  const hidden = sides === whatTheAppDid ? fields.find(({ field }) => field === "isHidden") : undefined;
  const mark = hidden === undefined ? "" : hidden.after === true ? ", hidden now" : ", no longer hidden";
  return [
    { text: `${sides[change]} `, paint: tones[change] },
    { text: name, paint: paint.strong },
    { text: mark, paint: paint.caution },
  ];
}

/** That a string was hidden is said next to its name. */
function isInTitle({ change }: StringChange, field: string, sides: Sides): boolean {
  return sides === whatTheAppDid && (field === "isHidden" || (change === "added" && field === "identifier"));
}

type FieldChange = StringChange["fields"][number];

interface StatusChange {
  readonly of: string;
  readonly words: string;
}

const STATUS = /^translations\.(.*)\.status$/s;

function isStatus({ field }: FieldChange): boolean {
  return STATUS.test(field);
}

/** Changes of statuses, those of one kind on one line: `status: translated → approved (uk, pl few)`. */
function statusLines(fields: readonly FieldChange[], sides: Sides, paint: Paint): string[] {
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

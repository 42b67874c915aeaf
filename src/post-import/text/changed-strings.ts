import type { Piece } from "../../output/layout.ts";
import { plural } from "../../output/text.ts";
import { withCommas } from "../../protocol/with-commas.ts";
import type { Changes, FieldChange, StringChange } from "../import-result.ts";
import { type ChangeView, fieldLines, membersOf, whatTheAppDid } from "./changed-fields.ts";
import { isText, textLines } from "./changed-texts.ts";
import { inset, nameText, paragraph } from "./import-words.ts";

/** How many changed strings of a job are shown without --details. */
const SHOWN_STRINGS = 10;

/** The strings that differ, each with what differs. */
export function changeLines({ changed, added, removed, strings }: Changes, view: ChangeView): string[] {
  const shown = view.details ? strings : strings.slice(0, SHOWN_STRINGS);
  const all = changed + added + removed;
  const rest = all - shown.length;
  const listed = shown.length < strings.length ? `--details shows the first ${withCommas(strings.length)}, ` : "";
  const how = all <= strings.length ? "--details shows all" : `${listed}--save FILE keeps all`;
  return [
    ...shown.flatMap((string) => stringLines(string, view)),
    ...(rest <= 0 ? [] : paragraph(view.paint, `… and ${plural(rest, "more string")}; ${how}`)),
  ];
}

function stringLines(string: StringChange, view: ChangeView): string[] {
  const { change, fields } = string;
  const isOther = (field: FieldChange) => !isText(field) && !isStatus(field) && !isInTitle(string, field, view);
  const title = paragraph(view.paint, ...titlePieces(string, view));
  if (change === "removed") return title;
  const fieldsIn = (paint: ChangeView["paint"]) => {
    const inner = { ...view, paint };
    return [
      ...fields.filter(isOther).flatMap((field) => fieldLines(field, inner)),
      ...fields.filter(isText).flatMap((field) => textLines(field, inner)),
      ...statusLines(fields.filter(isStatus), inner),
    ];
  };
  return [...title, ...inset(2, view.paint, fieldsIn)];
}

function titlePieces({ identifier, uniqId, change, fields }: StringChange, { sides, paint }: ChangeView): Piece[] {
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

/** Hiding a string is reported next to its name. */
function isInTitle({ change }: StringChange, { field }: FieldChange, { sides }: ChangeView): boolean {
  return sides === whatTheAppDid && (field === "isHidden" || (change === "added" && field === "identifier"));
}

const STATUS = /^translations\.(.*)\.status$/s;

function isStatus({ field }: FieldChange): boolean {
  return STATUS.test(field);
}

/** Changes of statuses, those of one kind on one line: `status: translated → approved (uk, pl few)`. */
function statusLines(fields: readonly FieldChange[], view: ChangeView): string[] {
  const places = new Map<string, string[]>();
  for (const [words, place] of fields.flatMap((field) => statusChanges(field, view)))
    places.set(words, [...(places.get(words) ?? []), place]);
  return [...places].flatMap(([words, list]) =>
    paragraph(view.paint, "status: ", { text: words, paint: view.paint.strong }, ` (${list.join(", ")})`),
  );
}

/** A change for each plural category, or one for the language if all categories change the same way. */
function statusChanges({ field, before, after }: FieldChange, view: ChangeView): [words: string, place: string][] {
  const language = nameText(STATUS.exec(field)?.[1] ?? field);
  // A single status applies to all categories if the other side has one for each.
  const plain = (value: unknown) => (typeof value === "object" ? null : value);
  const categories = membersOf(before, after).map(([name, old, now]) => ({
    place: `${language} ${nameText(name)}`,
    words: statusWords(old ?? plain(before), now ?? plain(after), view),
    isChanged: old !== now,
  }));
  const [first] = categories;
  if (first === undefined) return [[statusWords(before, after, view), language]];
  if (categories.every(({ words }) => words === first.words)) return [[first.words, language]];
  return categories.filter(({ isChanged }) => isChanged).map(({ words, place }) => [words, place]);
}

function statusWords(before: unknown, after: unknown, { sides }: ChangeView): string {
  const [old, now] = [before, after].map((status) => nameText(typeof status === "string" ? status : "none"));
  return sides === whatTheAppDid ? `${old} → ${now}` : `${sides.before} ${old}, ${sides.after} ${now}`;
}

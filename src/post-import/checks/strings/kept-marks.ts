import { clip } from "../../../protocol/harmless.ts";
import type { StringText } from "../../../protocol/import-job.ts";
import { type ChangedForm, formFor, isBlank } from "./string-texts.ts";

/** What a program looks for in a text, such as placeholders: what is compared, and how it is written there. */
export type Marks = ReadonlyMap<string, string>;

/** How to find the marks of a text. */
export interface MarkRules {
  readonly marksOf: (text: string) => Marks;
  /** Whether the form for a plural category may do without a mark, if it lacks no other. */
  readonly mayLack: (mark: string, category: string | null) => boolean;
}

/** What a form is compared with. */
interface Model {
  readonly text: StringText;
  /** Else it is what the text itself was. */
  readonly isSource: boolean;
}

interface Difference {
  readonly lost: Marks;
  readonly gained: Marks;
}

const LISTED_MARKS = 5;

/**
 * Which marks got lost in a form that the app has written, or came from nowhere; null where all are as they were.
 *
 * A source text is compared with what it was. A translation is compared with its source text, but for what was amiss
 * before; where the source text has no marks, as a mere key has none, with what it was itself.
 */
export function differenceOf(changed: ChangedForm, rules: MarkRules): string | null {
  const model = modelOf(changed, rules);
  if (model === null) return null;
  const { form, category } = changed;
  const { earlier, source, earlierSource } = changed.place;
  const { lost, gained } = compare(form, category, model.text, rules);
  const was = earlier === null ? null : formFor(earlier, category);
  const known =
    was === null || model.text !== source || isBlank(was) || earlierSource === null
      ? null
      : compare(was, category, earlierSource, rules);
  return differenceText(listed(lost, known?.lost), listed(gained, known?.gained), model);
}

function modelOf({ category, place: { source, earlier } }: ChangedForm, { marksOf }: MarkRules): Model | null {
  const was = earlier === null || isBlank(formFor(earlier, category) ?? "") ? null : earlier;
  if (source !== null && !isBlank(formFor(source, category) ?? "")) {
    const hasMarks = allForms(source).some((form) => marksOf(form).size > 0);
    if (hasMarks || was === null) return { text: source, isSource: true };
  }
  return was === null ? null : { text: was, isSource: false };
}

function compare(form: string, category: string | null, model: StringText, rules: MarkRules): Difference {
  const marks = rules.marksOf(form);
  const wanted = rules.marksOf(formFor(model, category) ?? "");
  const lost = new Map([...wanted].filter(([mark]) => !marks.has(mark)));
  // "One file" beside "%d files" is right, and so is "%d файл" for it.
  const [only] = lost.size === 1 ? lost.keys() : [];
  if (only !== undefined && rules.mayLack(only, category)) lost.delete(only);
  const allowed = allForms(model).map((each) => rules.marksOf(each));
  const gained = new Map([...marks].filter(([mark]) => !allowed.some((each) => each.has(mark))));
  return { lost, gained };
}

function allForms(text: StringText): string[] {
  return typeof text === "string" ? [text] : Object.values(text);
}

function differenceText(lost: string, gained: string, { isSource }: Model): string | null {
  if (lost === "" && gained === "") return null;
  if (!isSource) return [lost && `no longer has ${lost}`, gained && `now has ${gained}`].filter(Boolean).join(" and ");
  if (lost === "") return `has ${gained}, which the source text does not have`;
  return `lacks ${lost}, which the source text has${gained === "" ? "" : `, and has ${gained}, which it does not have`}`;
}

/** Those that were not amiss before, as they are written. */
function listed(marks: Marks, known: Marks | undefined): string {
  const fresh = [...marks].filter(([mark]) => !known?.has(mark)).map(([, written]) => clip(written, 40));
  const more = fresh.length > LISTED_MARKS ? ` and ${fresh.length - LISTED_MARKS} more` : "";
  return fresh.slice(0, LISTED_MARKS).join(" ") + more;
}

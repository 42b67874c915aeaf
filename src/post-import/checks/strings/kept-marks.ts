import { clip } from "../../../protocol/harmless.ts";
import type { StringText } from "../../../protocol/import-job.ts";
import { type ChangedForm, formFor, isBlank } from "./string-texts.ts";

/** What a program looks for in a text, such as a placeholder: the form to compare, and the original spelling. */
export type Marks = ReadonlyMap<string, string>;

/** How to find the marks of a text. */
export interface MarkRules {
  readonly marksOf: (text: string) => Marks;
  /** Whether a plural form may omit a mark, if it lacks no other. */
  readonly mayLack: (mark: string, category: string | null) => boolean;
}

const LISTED_MARKS = 5;

/**
 * Which marks a form written by the app lost, or gained without reason; null if none.
 *
 * A source text is compared with its previous version. A translation is compared with its source text, except for marks
 * that were wrong before; if the source text has no marks, like a bare key, with its own previous version.
 */
export function differenceOf(changed: ChangedForm, rules: MarkRules): string | null {
  const { form, category, place } = changed;
  const { earlier, source, earlierSource } = place;
  const was = earlier === null || isBlank(formFor(earlier, category) ?? "") ? null : earlier;
  const isSource =
    source !== null && !isBlank(formFor(source, category) ?? "") && (was === null || hasMarks(source, rules));
  const model = isSource ? source : was;
  if (model === null) return null;
  const { lost, gained } = compare(form, category, model, rules);
  const earlierForm = was && formFor(was, category);
  const known =
    isSource && earlierForm && earlierSource !== null ? compare(earlierForm, category, earlierSource, rules) : null;
  return differenceText(listed(lost, known?.lost), listed(gained, known?.gained), isSource);
}

function hasMarks(text: StringText, { marksOf }: MarkRules): boolean {
  return allForms(text).some((form) => marksOf(form).size > 0);
}

function compare(form: string, category: string | null, model: StringText, rules: MarkRules) {
  const marks = rules.marksOf(form);
  const wanted = rules.marksOf(formFor(model, category) ?? "");
  const lost = new Map([...wanted].filter(([mark]) => !marks.has(mark)));
  // "One file" next to "%d files" is right, and so is "%d файл" for it.
  const [only] = lost.size === 1 ? lost.keys() : [];
  if (only !== undefined && rules.mayLack(only, category)) lost.delete(only);
  const allowed = allForms(model).map((each) => rules.marksOf(each));
  const gained = new Map([...marks].filter(([mark]) => !allowed.some((each) => each.has(mark))));
  return { lost, gained };
}

function allForms(text: StringText): string[] {
  return typeof text === "string" ? [text] : Object.values(text);
}

function differenceText(lost: string, gained: string, isSource: boolean): string | null {
  if (lost === "" && gained === "") return null;
  if (!isSource) return [lost && `no longer has ${lost}`, gained && `now has ${gained}`].filter(Boolean).join(" and ");
  if (lost === "") return `has ${gained}, which the source text does not have`;
  return `lacks ${lost}, which the source text has${gained === "" ? "" : `, and has ${gained}, which it does not have`}`;
}

/** Marks that were not wrong before, as spelled. */
function listed(marks: Marks, known: Marks | undefined): string {
  const fresh = [...marks].filter(([mark]) => !known?.has(mark)).map(([, written]) => clip(written, 40));
  const more = fresh.length > LISTED_MARKS ? ` and ${fresh.length - LISTED_MARKS} more` : "";
  return fresh.slice(0, LISTED_MARKS).join(" ") + more;
}

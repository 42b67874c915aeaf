import type { ExchangeView } from "../view.ts";

/** A string of an import, in one language: what was sent, and what the module made of it (interface 2.5). */
export interface StringLine {
  readonly id: string;
  readonly identifier: string;
  /** `source`, or the id of a target language; with the category of a plural. */
  readonly language: string;
  /** null: it is not there. */
  readonly before: string | null;
  readonly after: string | null;
  readonly isHidden: boolean;
  /** Whether a placeholder or a tag of the text is lost. */
  readonly lost: readonly string[];
}

type Wire = Record<string, unknown>;

/** The strings of a job and of its answer; a text says why they cannot be shown. */
export function stringLines({ request, response, status }: ExchangeView): StringLine[] | string {
  const job = parsed(request.body.text) as { readonly strings?: unknown } | null;
  if (request.body.isCut || job === null) return "the journal kept only the beginning of the job";
  if (!Array.isArray(job.strings)) return "the strings of this job went by an address (stringsUrl): see its files";
  const answer = parsed(response?.body.text ?? null) as { readonly data?: { readonly strings?: unknown } } | null;
  if (response?.body.isCut === true) return "the journal kept only the beginning of the answer";
  const changed = answer?.data?.strings;
  const isUnchanged = status === 304;
  if (!isUnchanged && !Array.isArray(changed)) return "the answer holds no strings";
  const sent = recordsById(job.strings);
  const came = isUnchanged ? sent : recordsById(changed as unknown[]);
  return [...new Set([...sent.keys(), ...came.keys()])].flatMap((id) => linesOf(id, sent.get(id), came.get(id)));
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}

function recordsById(records: readonly unknown[]): Map<string, Wire> {
  const known = records.filter((record): record is Wire => typeof record === "object" && record !== null);
  return new Map(known.map((record) => [String(record.uniqId), record]));
}

function linesOf(id: string, sent: Wire | undefined, came: Wire | undefined): StringLine[] {
  const [before, after] = [textsOf(sent), textsOf(came)];
  const isHidden = came?.isHidden === true;
  const identifier = String(came?.identifier ?? sent?.identifier ?? "");
  return [...new Set([...before.keys(), ...after.keys()])].map((language) => {
    const [old = null, now = null] = [before.get(language), after.get(language)];
    const lost = old === null || now === null ? [] : placeholdersIn(old).filter((each) => !now.includes(each));
    return { id, identifier, language, before: old, after: now, isHidden, lost };
  });
}

/** Every text of a record, by its language and plural category. */
function textsOf(record: Wire | undefined): Map<string, string> {
  const texts = new Map<string, string>();
  const add = (language: string, text: unknown) => {
    if (typeof text === "string") texts.set(language, text);
    else if (typeof text === "object" && text !== null) {
      for (const [category, each] of Object.entries(text)) texts.set(`${language} ${category}`, String(each));
    }
  };
  add("source", record?.text);
  const translations = record?.translations;
  if (typeof translations === "object" && translations !== null) {
    for (const [language, translation] of Object.entries(translations))
      add(language, (translation as Wire | null)?.text);
  }
  return texts;
}

/** Placeholders such as `{name}` and `%s`, and tags. */
function placeholdersIn(text: string): string[] {
  return text.match(/\{[^{}]{1,60}\}|%(?:\d+\$)?[sd@]|<\/?[a-z][^<>]{0,60}>/gi) ?? [];
}

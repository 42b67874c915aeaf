import { demand, isObject } from "./request.ts";

/** The source text of a string: one text, or one for each plural category. */
export type Text = string | Readonly<Record<string, string>>;

/** A string record (interface 2.5): the fields that this app reads. The others go back as they came. */
export interface StringRecord {
  readonly uniqId: string;
  readonly identifier: string;
  readonly text: Text;
  readonly hasPlurals?: boolean | null;
  readonly isHidden?: boolean | null;
  readonly labels?: readonly string[] | null;
  readonly [field: string]: unknown;
}

/**
 * Reads one string record. Refuses what this app could not handle; a repeated uniqId is nothing to it, and the
 * platform's to find: to remember a million of them takes more memory than all the rest.
 * @param where where the record stands in the job, as a refusal names it
 */
export function parseString(value: unknown, where: string): StringRecord {
  demand(isObject(value), `${where}: the string must be an object.`);
  const { uniqId, identifier, text, hasPlurals, isHidden, labels } = value;
  demand(typeof uniqId === "string" && uniqId !== "", `${where}: uniqId must be a text.`);
  demand(typeof identifier === "string", `${where}: identifier must be a text.`);
  demand(isOptional(hasPlurals, isBoolean), `${where}: hasPlurals must be true or false.`);
  demand(isOptional(isHidden, isBoolean), `${where}: isHidden must be true or false.`);
  demand(isOptional(labels, isTexts), `${where}: labels must be an array of texts.`);
  if (hasPlurals === true) {
    demand(isObject(text) && isTexts(Object.values(text)), `${where}: text must hold a text for each plural category.`);
  } else {
    demand(typeof text === "string", `${where}: text must be a text.`);
  }
  return value as StringRecord;
}

/** The interface gives some optional fields the default null, so null counts as absent. */
function isOptional(value: unknown, accepts: (value: unknown) => boolean): boolean {
  return value === undefined || value === null || accepts(value);
}

function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}

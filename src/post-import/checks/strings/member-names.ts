import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { type StringRecord, stringRecordShape } from "../../../protocol/import-job.ts";
import { isJsonObject } from "../../../protocol/json-object.ts";
import { slipsIn, slipText } from "../../../protocol/nearest.ts";
import { pathWithin } from "./string-texts.ts";

/** The objects of a string record (interface 2.5) whose members the platform reads. */
const parts = {
  string: { belongsIn: "the string itself", shape: stringRecordShape },
  translation: {
    belongsIn: "a translation",
    shape: stringRecordShape.translations.unwrap().unwrap().valueType.shape,
  },
  attributes: { belongsIn: "attributes", shape: stringRecordShape.attributes.unwrap().unwrap().shape },
} satisfies Readonly<Record<string, { belongsIn: string; shape: Readonly<Record<string, z.ZodType>> }>>;

type Part = keyof typeof parts;

/** The names that the interface gives to the members of a string or of a translation. */
export function memberNames(part: Part): readonly string[] {
  return Object.keys(parts[part].shape);
}

/** A member that the interface does not have, so that the platform ignores it. */
export interface IgnoredMember {
  readonly part: Part;
  /** Within the record, such as `translations.uk.state`. */
  readonly path: string;
  readonly name: string;
  /** What it was apparently meant to be; null: it may be there on purpose. */
  readonly mistake: string | null;
}

/** An object of a returned record with unknown members. */
interface Place {
  readonly part: Part;
  readonly path: string;
  readonly object: Readonly<Record<string, unknown>>;
  /** The same object of a record. */
  readonly of: (record: StringRecord) => unknown;
}

/**
 * Unknown members of a returned record. The app may return anything that it was sent, whatever its name.
 * @param sent finds the record that was sent; null: there was none
 */
export function ignoredMembers(record: StringRecord, sent: () => StringRecord | null): IgnoredMember[] {
  const objects = [
    { part: "string", path: "", of: (each: StringRecord) => each },
    ...Object.keys(record.translations ?? {}).map(
      (id) =>
        ({
          part: "translation",
          path: pathWithin("translations", id),
          of: (each: StringRecord) => each.translations?.[id],
        }) as const,
    ),
    { part: "attributes", path: "attributes", of: (each: StringRecord) => each.attributes },
  ] as const;
  const places = objects.flatMap((each): Place[] => {
    const object = each.of(record);
    return isJsonObject(object) && unknownIn(each.part, object).length > 0 ? [{ ...each, object }] : [];
  });
  if (places.length === 0) return [];
  const before = sent();
  return places.flatMap((place) => ignoredAt(place, (before && place.of(before)) ?? {}));
}

function unknownIn(part: Part, object: object): string[] {
  const known = memberNames(part);
  return Object.keys(object).filter((name) => !known.includes(name));
}

function ignoredAt({ part, path, object }: Place, sent: object): IgnoredMember[] {
  const known = memberNames(part);
  const wasSent = new Map<string, unknown>(Object.entries(sent));
  const slips = new Map(slipsIn(object, known).map((slip) => [slip.name, slip]));
  const gone = known.filter((name) => wasSent.get(name) != null && object[name] == null);
  return unknownIn(part, object)
    .filter((name) => !wasSent.has(name))
    .map((name) => {
      const renamed = gone.find((meant) => isDeepStrictEqual(wasSent.get(meant), object[name]));
      const slip = slips.get(name) ?? (renamed === undefined ? undefined : { name, meant: renamed });
      const mistake = slip === undefined ? misplaced(part, name, object[name]) : slipText(slip);
      return { part, path: path === "" ? name : pathWithin(path, name), name, mistake };
    });
}

/** Whether the interface has such a member, but elsewhere in a string. */
function misplaced(part: Part, name: string, value: unknown): string | null {
  const other = Object.entries(parts).find(
    ([each, { shape }]) => each !== part && value != null && schemaOf(shape, name)?.safeParse(value).success,
  );
  return other === undefined ? null : `is ignored here: it belongs in ${other[1].belongsIn}`;
}

function schemaOf(shape: Readonly<Record<string, z.ZodType>>, name: string): z.ZodType | undefined {
  return Object.hasOwn(shape, name) ? shape[name] : undefined;
}

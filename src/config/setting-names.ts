import { z } from "zod";
import { configFileSchema } from "./config-file-schema.ts";
import { type PlacedSetting, type SettingPlace, settingPlaces } from "./setting-places.ts";

/** The names that are allowed in the object at `path` of a config file, for error messages. */
export function configKeysAt(path: string): readonly string[] {
  return [...membersOf(schemaAt(configFileSchema(), path)).keys()];
}

/**
 * The right places of a name that is in the wrong place in a config file, each as the JSON around it.
 * @param path of the object that wrongly contains the name
 * @param value its value there
 */
export function placesOfName(path: string, name: string, value?: unknown): readonly string[] {
  const here = segmentsOf(path)
    .filter((segment) => !/^\d+$/.test(segment))
    .map((segment) => (segment === "apps" ? "app" : segment));
  const all = placesIn(configFileSchema(), []);
  const keyed = placesOfKey(all, name, value);
  if (keyed.length > 0) return keyed;
  const whole = joined([name]);
  const named = all.filter((place) => bare(place.at(-1) ?? "") === bare(name) || joined(place) === whole);
  const places = [...named, ...placesOfFlag(name)].filter((place) => !isIn(place, here));
  const nearest = largest(places, (place) => nearness(place, here));
  const best = largest(nearest, (place) => -place.length);
  return [...new Set(best.map(asJson))];
}

/** Those with the largest size. */
function largest(places: readonly Place[], size: (place: Place) => number): Place[] {
  const most = Math.max(...places.map(size));
  return places.filter((place) => size(place) === most);
}

type Schema = z.core.$ZodType;
/** Names from the top to a setting; a list is `[]`, and a free name `KEY`. */
type Place = readonly string[];
const LIST = "[]";
const ANY_NAME = "KEY";

/** Aliases of other members, and those that a config file cannot set. */
const unnamed: readonly string[] = ["$schema", "apps", "allowPaths"];

/** Whether a setting is directly in this object. */
function isIn(place: Place, here: Place): boolean {
  const around = place.slice(0, -1).filter((name) => name !== LIST);
  return around.length === here.length && around.every((name, index) => name === ANY_NAME || name === here[index]);
}

/** How much two places have in common: the shared objects from the top, or else the object's name. */
function nearness(place: Place, here: Place): number {
  const apart = here.findIndex((name, index) => place[index] !== name && place[index] !== ANY_NAME);
  const shared = apart < 0 ? here.length : apart;
  return shared * 2 + (here.length > 0 && place.at(-2) === here.at(-1) ? 1 : 0);
}

/** The places of all settings below a path. */
function placesIn(schema: Schema, path: Place): Place[] {
  return [...membersOf(schema)].flatMap(([name, member]) => {
    if (path.length === 0 && unnamed.includes(name)) return [];
    const place = [...path, name];
    const found = unwrapped(member);
    if (found instanceof z.ZodArray) return [place, ...placesIn(found.element, [...place, LIST])];
    const isFree = found instanceof z.ZodRecord && !hasNames(found);
    return [place, ...(isFree ? placesIn(found.valueType, [...place, ANY_NAME]) : placesIn(found, place))];
  });
}

/** Places with a free name whose value has the same members as this one. */
function placesOfKey(all: readonly Place[], name: string, value: unknown): readonly string[] {
  const members = typeof value === "object" && value !== null ? Object.keys(value) : [];
  const around = all
    .filter((place) => place.at(-2) === ANY_NAME && members.includes(place.at(-1) ?? ""))
    .map((place) => asJson([...place.slice(0, -2), name]));
  return [...new Set(around)];
}

/** The place of a setting that was given by the name of its flag. */
function placesOfFlag(name: string): Place[] {
  const flag = (Object.keys(settingPlaces) as PlacedSetting[]).find((each) => bare(each) === bare(name));
  if (flag === undefined || flag === "allowPath") return [];
  return [placeIn((settingPlaces[flag] as SettingPlace<string>)(""))];
}

function placeIn(value: unknown): Place {
  if (Array.isArray(value)) return placeIn(value[0]);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name === "apps" ? "app" : name, ...placeIn(inner)]);
}

/** `verify.oauth.start` as the JSON that sets it. */
function asJson(place: Place): string {
  return place.reduceRight((inner, name) => (name === LIST ? `[${inner}]` : `{"${name}": ${inner}}`), "…");
}

function schemaAt(top: Schema, path: string): Schema {
  return segmentsOf(path).reduce<Schema>((schema, name) => {
    const found = unwrapped(schema);
    if (found instanceof z.ZodArray) return found.element;
    if (found instanceof z.ZodRecord) return found.valueType;
    return membersOf(found).get(name) ?? z.never();
  }, top);
}

/** The members of an object by name. */
function membersOf(schema: Schema): ReadonlyMap<string, Schema> {
  const found = unwrapped(schema);
  if (found instanceof z.ZodObject) return new Map(Object.entries(found.shape));
  const names = found instanceof z.ZodRecord && hasNames(found) ? [...found.keyType.options] : [];
  return new Map(names.map((name) => [String(name), z.unknown()]));
}

function hasNames(record: z.ZodRecord): record is z.ZodRecord<z.ZodEnum> {
  return record.keyType instanceof z.ZodEnum;
}

/** A schema without optional and default wrappers; of a union, the object. */
function unwrapped(schema: Schema): Schema {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unwrapped(schema.unwrap());
  if (!(schema instanceof z.ZodUnion)) return schema;
  return schema.options.map(unwrapped).find((option) => option instanceof z.ZodObject) ?? schema;
}

function segmentsOf(path: string): string[] {
  return path.split(/[.[\]]+/).filter((segment) => segment !== "");
}

/** The names of a place as one: app.url, app_url and appUrl are all the url of the app. */
function joined(place: Place): string {
  return bare(place.join("")).replaceAll(".", "");
}

/** A name regardless of its spelling: redirect_uris for redirectUris. */
function bare(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9.]/g, "");
}

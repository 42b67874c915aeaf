import leven from "leven";
import { misplacedMembers, moduleMembers } from "../platform/manifest-members.ts";
import { entriesOf, modulesOf } from "../platform/usable-manifest.ts";
import { isJsonObject } from "../protocol/json-object.ts";
import { valueText } from "../protocol/problems.ts";
import type { Problem } from "../protocol/usage-error.ts";
import { shownEvents } from "../protocol/webhook.ts";
import { moduleTypes } from "./entries.ts";
import type { ManifestCheck } from "./reading.ts";
import { inEntries, manifestRule, textProblem, whereGiven } from "./rule.ts";

const webhooks = ["webhook"];
const environments = ["platform", "platform-enterprise"];

/** A list in one string, or a pattern. */
const SEVERAL_NAMES = /[\s,;|*]/;

const never =
  "The platform silently ignores names with another spelling. The module is never called, or not as intended.";

const events: readonly ManifestCheck[] = [
  manifestRule({
    id: "manifest.events.list",
    title: "Each webhook names the events that trigger it",
    why: "The platform delivers only the named events. A module that names none gets none.",
    fix: 'List the names as an array of strings: "events":["project.translated"].',
    problems: inEntries(webhooks, ({ events }) => ({
      events:
        events === undefined
          ? "is missing"
          : !Array.isArray(events)
            ? `is ${valueText(events)}, not an array`
            : events.length === 0
              ? "names no event"
              : null,
    })),
  }),
  manifestRule({
    id: "manifest.events.text",
    title: "Each event of a webhook is a name",
    why: "Only a string can name an event. Otherwise the module does not get the events that it needs.",
    fix: "Write each name as a string, without spaces around it.",
    problems: inEntries(webhooks, ({ events }) =>
      fields(
        "events",
        events,
        (event) =>
          textProblem(event) ??
          (String(event).trim() === event ? null : `is ${valueText(event)}, with spaces around it`),
      ),
    ),
  }),
  manifestRule({
    id: "manifest.events.once",
    title: "No webhook names an event twice",
    severity: "should",
    why: "A repeated name was usually meant to be another one. Some platforms would deliver the event twice.",
    fix: "Name each event once.",
    problems: inEntries(webhooks, ({ events }) => ({ events: repeated(events) })),
  }),
  manifestRule({
    id: "manifest.events.spelling",
    title: "No event is a misspelling of a known one, or a pattern for several",
    severity: "should",
    why: never,
    fix: "Copy event names from the documentation, and list each separately.",
    problems: inEntries(webhooks, ({ events }) =>
      fields("events", events, (event) => {
        if (typeof event !== "string") return null;
        if (SEVERAL_NAMES.test(event.trim())) return `is ${valueText(event)}, which does not name a single event`;
        const near = nearName(event, shownEvents);
        return near === null ? null : `is ${valueText(event)}: did you mean ${near}?`;
      }),
    ),
  }),
  manifestRule({
    id: "manifest.environments.known",
    title: "The environments of a webhook are platform, platform-enterprise, or both",
    why: "A module is offered only in its environments. Any other name excludes it everywhere.",
    fix: `Write an array of these: ${environments.join(", ")}; or leave it out.`,
    problems: inEntries(webhooks, ({ environments: given }) => ({
      environments: whereGiven(given, (list) => (Array.isArray(list) ? null : `is ${valueText(list)}, not an array`)),
      ...fields("environments", given, (each) =>
        environments.includes(each as string) ? null : `is ${valueText(each)}; allowed: ${environments.join(", ")}`,
      ),
    })),
  }),
  manifestRule({
    id: "manifest.environments.set",
    title: "The environments of a webhook, if given, are not empty, and none occurs twice",
    severity: "should",
    why: "A module with no environment cannot be installed anywhere. A repeated one was usually meant to be another.",
    fix: "Name each environment once, or leave the field out.",
    problems: inEntries(webhooks, ({ environments: given }) => ({
      environments: Array.isArray(given) && given.length === 0 ? "is empty" : repeated(given),
    })),
  }),
];

/** The problems of the elements of a list, by index. */
function fields(name: string, list: unknown, problem: (element: unknown) => string | null) {
  if (!Array.isArray(list)) return {};
  return Object.fromEntries(list.map((element, index) => [`${name}[${index}]`, problem(element)]));
}

function repeated(list: unknown): string | null {
  if (!Array.isArray(list)) return null;
  const twice = list.find((element, index) => typeof element === "string" && list.indexOf(element) < index);
  return twice === undefined ? null : `names ${valueText(twice)} twice`;
}

const spelling: readonly ManifestCheck[] = [
  manifestRule({
    id: "manifest.spelling.types",
    title: "No module type is a misspelling of one in the interface",
    why: never,
    fix: `Write the module types exactly like this: ${moduleTypes.join(", ")}.`,
    problems: (value) => nearProblems(modulesOf(value), moduleTypes, "modules"),
  }),
  manifestRule({
    id: "manifest.spelling.fields",
    title: "No field is a misspelling of one in the interface",
    why: never,
    fix: "Write field names exactly as in interface 2.1, in the same case.",
    problems: (value) => [
      ...nearProblems(value, ["modules"], ""),
      ...entriesOf(value).flatMap(({ type, entry, path }) => {
        const { own, within } = moduleMembers(type);
        const inner = [...within].flatMap(([place, names]) => nearProblems(entry[place], names, `${path}.${place}`));
        return [...nearProblems(entry, own, path), ...inner];
      }),
    ],
  }),
  manifestRule({
    id: "manifest.spelling.places",
    title: "No field is where the platform does not look for it",
    why: never,
    fix: "Put the module types into `modules`, the type of a guard into its `options`, and patterns into `signaturePatterns`.",
    problems: (value) => [
      ...misplacedTypes(value),
      ...entriesOf(value).flatMap(({ type, entry, path }) => misplacedMembers(type, entry, path)),
    ],
  }),
];

/** Names similar to known ones, if the known one itself is missing. */
function nearProblems(object: unknown, known: readonly string[], path: string): Problem[] {
  if (!isJsonObject(object)) return [];
  const names = Object.keys(object);
  const missing = known.filter((name) => !names.includes(name));
  return names
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const near = nearName(name, missing);
      return near === null
        ? []
        : [{ path: path === "" ? name : `${path}.${name}`, message: `is ignored: did you mean ${near}?` }];
    });
}

function misplacedTypes(value: unknown): Problem[] {
  if (!isJsonObject(value)) return [];
  return moduleTypes
    .filter((type) => Object.hasOwn(value, type) && !Object.hasOwn(modulesOf(value) ?? {}, type))
    .map((type) => ({ path: type, message: "belongs in modules" }));
}

/** From this length on, two letters may differ or be missing: shorter words would match others. */
const LONG_NAME = 8;
const LONG_PART = 5;

/** The known name that was most likely meant; null if the name is known, or similar to none. */
function nearName(name: string, known: readonly string[]): string | null {
  if (known.includes(name)) return null;
  const bare = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const letters = (text: string) => [...bare(text)].toSorted().join("");
  const isNear = (text: string) =>
    leven(bare(text), bare(name)) <= (text.length < LONG_NAME ? 1 : 2) ||
    letters(text) === letters(name) ||
    (bare(name).length >= LONG_PART && bare(text).includes(bare(name)));
  return known.find(isNear) ?? null;
}

/** Checks of names in a manifest: of events, environments, types and fields. */
export const manifestNameChecks: readonly ManifestCheck[] = [...events, ...spelling];

import { unopenedPage } from "../platform/manifest-problems.ts";
import { entriesOf, modulesOf } from "../platform/usable-manifest.ts";
import { isJsonObject } from "../protocol/json-object.ts";
import { valueText } from "../protocol/problems.ts";
import { isHttpUrl, isSamePlace, withoutQuery } from "../protocol/url.ts";
import type { Problem } from "../protocol/usage-error.ts";
import type { ManifestCheck } from "./reading.ts";
import { inEntries, manifestRule, objectProblem, textProblem, whereGiven } from "./rule.ts";

export const moduleTypes: readonly string[] = ["auth-guard", "file-post-import", "webhook"];
const guards = ["auth-guard"];
export const imports: readonly string[] = ["file-post-import"];
const webhooks = ["webhook"];

export const notInstalled =
  "A platform cannot install a module that is declared wrongly. It is never called, or not as intended.";

const shape: readonly ManifestCheck[] = [
  manifestRule({
    id: "manifest.shape.modules",
    title: "The manifest has a top-level object `modules`",
    why: notInstalled,
    fix: 'Put the arrays of modules into one object: {"modules":{"auth-guard":[…],"webhook":[…]}}.',
    problems: (value) =>
      modulesOf(value) !== null
        ? []
        : [{ path: "modules", message: isJsonObject(value) ? (objectProblem(value.modules) ?? "") : "is missing" }],
  }),
  manifestRule({
    id: "manifest.shape.lists",
    title: "Each module type holds an array of module entries",
    why: notInstalled,
    fix: "Write the entries of a type as an array, even if there is only one.",
    problems: (value) =>
      knownLists(value).flatMap(({ path, list }) =>
        Array.isArray(list) ? [] : [{ path, message: `is ${valueText(list)}, not an array` }],
      ),
  }),
  manifestRule({
    id: "manifest.shape.entries",
    title: "Each module entry is an object",
    why: notInstalled,
    fix: "Write each module as an object with its `key` and `url`.",
    problems: (value) =>
      knownLists(value).flatMap(({ path, list }) =>
        !Array.isArray(list)
          ? []
          : list.flatMap((entry, index): Problem[] => {
              const message = objectProblem(entry);
              return message === null ? [] : [{ path: `${path}[${index}]`, message }];
            }),
      ),
  }),
];

function knownLists(value: unknown): { readonly path: string; readonly list: unknown }[] {
  const modules = modulesOf(value) ?? {};
  return moduleTypes
    .filter((type) => Object.hasOwn(modules, type))
    .map((type) => ({ path: `modules.${type}`, list: modules[type] }));
}

const named: readonly ManifestCheck[] = [
  manifestRule({
    id: "manifest.key.present",
    title: "Each module has a key",
    why: notInstalled,
    fix: "Give each module a `key`, a string that is unique within the app.",
    problems: inEntries(moduleTypes, ({ key }) => ({ key: textProblem(key) })),
  }),
  manifestRule({
    id: "manifest.key.unique",
    title: "No two modules of the app have the same key",
    why: "A key identifies one module within the app. If two share a key, it is unclear which one a call is for.",
    fix: "Give each module a unique key.",
    problems: repeatedKeys,
  }),
  manifestRule({
    id: "manifest.key.in-header",
    title: "The key of a webhook is visible ASCII",
    why: "The key is sent in the header X-Module-Key of each delivery. Other characters cannot be sent there.",
    fix: "Use letters, digits and hyphens.",
    problems: inEntries(webhooks, ({ key }) => ({
      key:
        typeof key !== "string" || key.trim() === "" || /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(key)
          ? null
          : `is ${valueText(key)}`,
    })),
  }),
  manifestRule({
    id: "manifest.key.plain",
    title: "No key of a guard or import has leading or trailing white space, or a control character",
    severity: "should",
    why: "The key is sent in requests and tokens, and compared there. An invisible line ending makes it another key.",
    fix: "Use letters, digits and hyphens, and trim keys that are read from a file.",
    problems: inEntries([...guards, ...imports], ({ key }) => ({
      key: typeof key === "string" && (key !== key.trim() || /\p{Cc}/u.test(key)) ? `is ${valueText(key)}` : null,
    })),
  }),
  manifestRule({
    id: "manifest.name.present",
    title: "Each guard has a name",
    why: "The name is shown to users while they are verified. Without it the guard cannot be installed.",
    fix: "Give each guard a `name` that tells users what is checked.",
    problems: inEntries(guards, ({ name }) => ({ name: textProblem(name) })),
  }),
  manifestRule({
    id: "manifest.description.text",
    title: "The description of a guard is a string",
    severity: "should",
    why: "The description is shown to users. Only a string can be shown.",
    fix: "Write the description as a string, or leave it out.",
    problems: inEntries(guards, ({ description }) => ({
      description: description == null || typeof description === "string" ? null : `is ${valueText(description)}`,
    })),
  }),
  manifestRule({
    id: "manifest.url.present",
    title: "Each module has the address that the platform calls",
    why: "A module without an address cannot be called.",
    fix: "Give each module a `url`, relative to the base address of the app.",
    problems: inEntries(moduleTypes, ({ url }) => ({ url: textProblem(url) })),
  }),
  manifestRule({
    id: "manifest.url.relative",
    title: "The address of each module starts with a slash, relative to the app",
    why: "The platform appends the address to that of the app. Anything else leads to another host, or nowhere.",
    fix: "Write only the path, with a leading slash: /webhooks.",
    problems: inEntries(moduleTypes, ({ url }, _, { origins }) => ({ url: addressProblem(url, origins) })),
  }),
  manifestRule({
    id: "manifest.url.absolute",
    title: "The addresses of modules do not name the app's own host",
    severity: "should",
    why: "The interface shows addresses relative to the app. An address with the host breaks as soon as the app moves.",
    fix: "Write only the path: /webhooks.",
    problems: inEntries(moduleTypes, ({ url }, _, { origins }) => ({
      url: isAtApp(url, origins) ? `is absolute: ${valueText(url)}` : null,
    })),
  }),
  manifestRule({
    id: "manifest.url.dots",
    title: "No address in the manifest has `..` or `.` as a path segment",
    severity: "should",
    why: "Some clients resolve these before the request, and others send them as they are. Servers, too, treat them differently.",
    fix: "Write the resolved path.",
    problems: inEntries(moduleTypes, (entry) => ({
      url: dotsProblem(entry.url),
      "options.url": dotsProblem(optionsOf(entry).url),
    })),
  }),
];

function dotsProblem(url: unknown): string | null {
  const path = typeof url === "string" ? withoutQuery(url).replaceAll(/%2e/gi, ".") : "";
  return path.split("/").some((part) => part === "." || part === "..") ? `is ${valueText(url)}` : null;
}

function repeatedKeys(value: unknown): Problem[] {
  const first = new Map<string, string>();
  const problems: Problem[] = [];
  for (const { entry, type, path } of entriesOf(value)) {
    if (!moduleTypes.includes(type) || typeof entry.key !== "string") continue;
    const earlier = first.get(entry.key);
    if (earlier === undefined) first.set(entry.key, path);
    else problems.push({ path: `${path}.key`, message: `is ${valueText(entry.key)}, the same as that of ${earlier}` });
  }
  return problems;
}

const isAtApp = (url: unknown, origins: readonly string[]) =>
  typeof url === "string" && isHttpUrl(url) && origins.some((origin) => isSamePlace(new URL(url), new URL(origin)));

function addressProblem(url: unknown, origins: readonly string[]): string | null {
  if (typeof url !== "string" || url.trim() === "" || isAtApp(url, origins)) return null;
  if (isHttpUrl(url)) return `is on a host other than the app's: ${valueText(url)}`;
  return pathProblem(url);
}

function pathProblem(url: string): string | null {
  if (!url.startsWith("/")) return `is ${valueText(url)}, which does not start with a slash`;
  if (url.startsWith("//")) return `is ${valueText(url)}, which names another host`;
  return /[\s\\#]/.test(url) ? `is ${valueText(url)}, which is not a path` : null;
}

const types = ["direct", "redirect", "frame"];

const options: readonly ManifestCheck[] = [
  manifestRule({
    id: "manifest.options.object",
    title: "The options of a guard are an object",
    why: notInstalled,
    fix: 'Write them as an object: "options":{"type":"direct"}.',
    problems: inEntries(guards, (entry) => ({ options: whereGiven(entry.options, objectProblem) })),
  }),
  manifestRule({
    id: "manifest.options.type",
    title: "The type of a guard is direct, redirect or frame",
    why: "The type decides how users are verified. With any other type the guard cannot be installed.",
    fix: "Write direct, redirect or frame, in lower case.",
    problems: inEntries(guards, (entry) => ({
      "options.type": whereGiven(optionsOf(entry).type, (type) =>
        types.includes(type as string) ? null : `is ${valueText(type)}; allowed: ${types.join(", ")}`,
      ),
    })),
  }),
  manifestRule({
    id: "manifest.options.admins",
    title: "A guard's applyToAdmins is true or false",
    why: 'Some readers treat the string "false" as true, and others ignore it. So it is unpredictable whether the guard applies to admins.',
    fix: "Write true or false, without quotation marks.",
    problems: inEntries(guards, (entry) => ({
      "options.applyToAdmins": whereGiven(optionsOf(entry).applyToAdmins, (admins) =>
        typeof admins === "boolean" ? null : `is ${valueText(admins)}, not true or false`,
      ),
    })),
  }),
  manifestRule({
    id: "manifest.options.page",
    title: "A redirect or frame guard has the address of its page",
    why: "The user is sent to that page. Without it the guard cannot let anybody in.",
    fix: "Give the address of the page as `options.url`: a path that starts with a slash.",
    problems: inEntries(guards, (entry) => {
      const { type, url } = optionsOf(entry);
      const hasPage = type === "redirect" || type === "frame";
      const isAbsolute = typeof url === "string" && isHttpUrl(url);
      const isOdd = typeof url === "string" && !isAbsolute ? pathProblem(url) : null;
      return { "options.url": hasPage ? (textProblem(url) ?? isOdd) : null };
    }),
  }),
  manifestRule({
    id: "manifest.options.page-origin",
    title: "The page of a guard is at an address that app-sim may open",
    severity: "should",
    why: "The platform opens the page with a valid token in its URL. app-sim sends no token to another origin unless you allow it: this guard was not verified at all.",
    fix: "Write only the path of a page of this app. If the page really is elsewhere, allow its origin with --allow-origin.",
    problems: inEntries(guards, (entry, _, { origins }) => {
      const { url } = optionsOf(entry);
      const isElsewhere = typeof url === "string" && isHttpUrl(url) && !isAtApp(url, origins);
      return { "options.url": isElsewhere ? `leads to ${new URL(url).origin}, which is not the app's` : null };
    }),
  }),
  manifestRule({
    id: "manifest.options.page-opened",
    title: "A guard that has a page is of a type that opens it",
    severity: "should",
    choices: ["guard.type.default"],
    why: "No user ever sees the page of a direct guard. Users who should pass it are denied immediately.",
    fix: 'Add the type to the address of the page: "type":"redirect" or "type":"frame"; or leave the address out.',
    problems: inEntries(guards, (entry, _, { guardType }) => ({
      "options.type": unopenedPage(optionsOf(entry), guardType),
    })),
  }),
];

function optionsOf({ options }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isJsonObject(options) ? options : {};
}

/** The checks of the entries of a manifest, rule by rule. */
export const manifestEntryChecks: readonly ManifestCheck[] = [...shape, ...named, ...options];

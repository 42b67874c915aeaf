import { isDeepStrictEqual } from "node:util";
import { valueAtPath } from "../protocol/problems.ts";
import { isHttpUrl } from "../protocol/url.ts";
import { type Problem, UsageError } from "../protocol/usage-error.ts";
import type { ChoiceId } from "./choices.ts";
import { mergeLayers } from "./layers.ts";
import { checkConfig, type GivenSettings, type LoadedConfig, severalApps } from "./load.ts";
import type { App, Config } from "./schema.ts";

type Settled = Pick<LoadedConfig, "config" | "choices">;

/** Settings of a single command; the others belong to the platform, which all commands share. */
const commandSettings: readonly RegExp[] = [
  /^login\./,
  /^postImport\./,
  /^oauth\.consent$/,
  /^organization\.edition$/,
  /^apps\[0\]\.(manifest|redirectUris|fileOrigins)$/,
];
/** Where a platform is found, and what it was started with; they do not describe the platform itself. */
const lookupSettings: readonly RegExp[] = [/^(port|journal|profile)$/];
/** Secrets are never shown, not even in a message about a difference. */
const secret = /[Ss]ecret$/;

/**
 * The settings of one command on a platform that is already running: the platform's own, overridden by variables and
 * flags that concern only the command. Redirect addresses are added to the registered ones.
 * @throws UsageError for settings that would need another platform, naming each and where it comes from
 */
export function settingsOnPlatform(running: Settled, { value, origins }: GivenSettings): Settled {
  const { apps } = running.config;
  const ofApps = Object.entries(origins).find(([path]) => path.startsWith("apps"));
  if (ofApps !== undefined && apps.length > 1) throw severalApps(ofApps[1], apps, "the running platform");
  const { choices: chosen = {}, port: _, journal: __, profile: ___, ...rest } = value;
  const problems = [
    ...Object.entries(origins).flatMap(([path, origin]) => contradiction(running.config, rest, path, origin)),
    ...Object.entries(chosen as object).flatMap(([id, choice]) =>
      isOfPlatform(id as ChoiceId) && !isDeepStrictEqual(running.choices[id as ChoiceId], choice)
        ? [
            {
              path: `choices.${id}`,
              message: differs(running.choices[id as ChoiceId], choice, origins[`choices.${id}`]),
            },
          ]
        : [],
    ),
  ];
  if (problems.length > 0) {
    throw new UsageError(
      "platform-differs",
      "the running platform's settings differ from what this command asks for",
      "leave them out, or start the platform with them; --port selects another platform, or starts one just for this command",
      problems,
    );
  }
  const merged = mergeLayers([
    { origin: "the running platform", value: { ...running.config, choices: running.choices } },
    { origin: "this command", value: { ...rest, choices: chosen } },
  ]);
  const { config, choices } = checkConfig(merged.value, new Map(Object.entries(origins)));
  return { config: { ...config, apps: config.apps.map((app, index) => registeredToo(app, apps[index])) }, choices };
}

/** Registered addresses stay registered. */
function registeredToo(app: App, running: App | undefined): App {
  return { ...app, redirectUris: [...new Set([...(running?.redirectUris ?? []), ...app.redirectUris])] };
}

/** Whether two settings are one address in two spellings, such as with and without a slash at its end. */
function isSameAddress(there: unknown, here: unknown): boolean {
  const [one, other] = [there, here].map((text) =>
    typeof text === "string" && isHttpUrl(text) ? new URL(text) : null,
  );
  return one != null && one.href === other?.href;
}

/** How a setting of a command contradicts the platform, if it does. */
function contradiction(running: Config, given: object, path: string, origin: string): Problem[] {
  if ([...commandSettings, ...lookupSettings].some((pattern) => pattern.test(path)) || path.startsWith("choices"))
    return [];
  const [there, here] = [valueAtPath(running, path), valueAtPath(given, path)];
  if (isDeepStrictEqual(there, here) || isSameAddress(there, here)) return [];
  return [{ path, message: secret.test(path) ? `differs there (${origin})` : differs(there, here, origin) }];
}

function differs(there: unknown, here: unknown, origin = "this command"): string {
  return `is ${JSON.stringify(there)} there, and ${JSON.stringify(here)} here (${origin})`;
}

/** Whether a choice is fixed per platform: what its servers do, which outlive a command. */
function isOfPlatform(id: ChoiceId): boolean {
  return /^(oauth|api)\./.test(id) || id === "install.names" || id === "guard.jwt.algorithm";
}

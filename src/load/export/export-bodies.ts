import { appSecretKey } from "../../config/app-variables.ts";
import type { Config } from "../../config/schema.ts";
import type { Receiver } from "../../webhook/choose-modules.ts";
import type { WebhookBody } from "../../webhook/rules/webhook-bodies.ts";

/** Name of the file with the bodies: one JSON object on each line. */
export const BODIES_FILE = "bodies.ndjson";

/** What goes to one of the modules. */
export interface ReceiverBodies {
  readonly receiver: Receiver;
  readonly bodies: readonly WebhookBody[];
}

/** Names of the variables with the secrets of the apps, in their order, as `app-sim env` prints them. */
export function secretVariables({ apps }: Config): string[] {
  return apps.map((app) => appSecretKey(apps, app).variable);
}

/** Artillery takes two braces in an address for a variable, one of which is the whole environment. */
function withoutTemplates(url: string): string {
  return url.replaceAll("{", "%7B").replaceAll("}", "%7D");
}

/**
 * The lines of the file. A body stands in its line as text, whose UTF-8 bytes are the body; an address of the target
 * is a path, so that the target can be replaced.
 * @param target an origin
 */
export function bodyLines(config: Config, target: string, all: readonly ReceiverBodies[]): string {
  const variables = secretVariables(config);
  return all
    .flatMap(({ receiver: { app, module, url }, bodies }) => {
      const about = {
        url: withoutTemplates(url.startsWith(`${target}/`) ? url.slice(target.length) : url),
        module: module.key,
        secret: variables[config.apps.indexOf(app)],
      };
      return bodies.map(({ json }) => `${JSON.stringify({ ...about, body: json.toString() })}\n`);
    })
    .join("");
}

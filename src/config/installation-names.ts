import { z } from "zod";

/** Fields of an installation event (choice `install.event`), by their default names. */
const installEventNames = [
  "appId",
  "appSecret",
  "clientId",
  "userId",
  "agentId",
  "organizationId",
  "domain",
  "baseUrl",
  "code",
] as const;

/** Parameters of the installation grants in addition to the client's credentials (choices `oauth.grant.*`). */
export const installGrantNames = ["app_id", "app_secret", "domain", "user_id", "agent_id", "code"] as const;

export type InstallName = (typeof installEventNames)[number] | (typeof installGrantNames)[number];

const isInBoth = (name: string) => (installEventNames as readonly string[]).includes(name);

/** Other names for some of them (choice `install.names`); `domain` and `code` have the same name in both. */
export const installNamesSchema = () =>
  z
    .partialRecord(
      z.enum([...installEventNames, ...installGrantNames.filter((name) => !isInBoth(name))]),
      z.string().min(1),
    )
    .refine((names) => [installEventNames, installGrantNames].every((usual) => areDifferent(usual, names)), {
      error: "two of them would have the same name",
    });
export type InstallNames = z.infer<ReturnType<typeof installNamesSchema>>;

function areDifferent(usual: readonly string[], names: Readonly<Record<string, string | undefined>>): boolean {
  return new Set(usual.map((name) => names[name] ?? name)).size === usual.length;
}

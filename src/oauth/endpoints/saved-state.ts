import { z } from "zod";
import type { Config } from "../../config/schema.ts";
import { type Grant, type Grants, UNUSED, USED } from "./grants.ts";

const savedGrant = z.strictObject({
  client: z.string(),
  user: z.number(),
  scopes: z.array(z.string()),
  isPkce: z.boolean(),
  isRevoked: z.boolean(),
});
/** `grant` is its index in `grants`. */
const grant = z.number().int();
const savedState = z.strictObject({
  version: z.literal(1),
  uninstalled: z.array(z.string()).describe("client ids"),
  grants: z.array(savedGrant),
  refreshTokens: z.array(z.strictObject({ token: z.string(), grant, expiresAt: z.number(), isTaken: z.boolean() })),
  accessTokens: z.array(
    z.strictObject({ jti: z.string(), grant, scopes: z.array(z.string()), isRevoked: z.boolean() }),
  ),
});
type SavedState = z.infer<typeof savedState>;

interface Parts {
  readonly config: Pick<Config, "apps" | "users">;
  readonly grants: Grants;
  /** Client ids. */
  readonly installed: Set<string>;
}

/** What is kept across runs: installations and tokens. A code is valid only for minutes, and is not kept. */
export function stateToSave({ config, grants, installed }: Parts): SavedState {
  const places = new Map<Grant, number>();
  const place = (each: Grant) => {
    const found = places.get(each) ?? places.size;
    places.set(each, found);
    return found;
  };
  const refreshTokens = [...grants.refreshTokens.entries()].map(([token, { grant, expiresAt, isTaken }]) => ({
    ...{ token, expiresAt, isTaken },
    grant: place(grant),
  }));
  const accessTokens = [...grants.accessTokens.entries()].map(([jti, { grant, scopes, isRevoked }]) => ({
    ...{ jti, isRevoked },
    scopes: [...scopes],
    grant: place(grant),
  }));
  return {
    version: 1,
    uninstalled: config.apps.map(({ clientId }) => clientId).filter((id) => !installed.has(id)),
    grants: [...places.keys()].map(({ app, user, scopes, isPkce, isRevoked }) => ({
      ...{ client: app.clientId, user: user.id, isPkce, isRevoked },
      scopes: [...scopes],
    })),
    refreshTokens,
    accessTokens,
  };
}

/** Restores what an earlier run saved, except for apps or users that are not in the configuration. */
export function restoreState(saved: unknown, { config, grants, installed }: Parts): void {
  const parsed = savedState.safeParse(saved);
  if (!parsed.success) return;
  const { uninstalled, refreshTokens, accessTokens } = parsed.data;
  for (const id of uninstalled) installed.delete(id);
  const restored = parsed.data.grants.map(({ client, user: id, ...rest }): Grant | null => {
    const app = config.apps.find(({ clientId }) => clientId === client);
    const user = config.users.find((each) => each.id === id);
    return app === undefined || user === undefined ? null : { app, user, ...rest };
  });
  for (const { token, grant: place, expiresAt, isTaken } of refreshTokens) {
    const grant = restored[place];
    if (grant) grants.refreshTokens.add(token, { grant, expiresAt, ...(isTaken ? USED : UNUSED) });
  }
  for (const { jti, grant: place, scopes, isRevoked } of accessTokens) {
    const grant = restored[place];
    if (grant) grants.accessTokens.add(jti, { grant, scopes, isRevoked });
  }
}

import type { ChoiceReader } from "../config/choices.ts";
import type { Organization, User } from "../config/schema.ts";
import { didYouMean, namesIn } from "../protocol/nearest.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { GuardModule, WebhookModule } from "./manifest.ts";
import type { Environment } from "./manifest-schemas.ts";
import type { InstalledApp } from "./manifests.ts";

/**
 * Why a user is exempt from a guard, or null if the guard applies (interface 2.1, applyToAdmins; choice
 * `guard.owner.exempt`).
 */
export function guardExemption(guard: GuardModule, user: User, choices: ChoiceReader): string | null {
  const mayBeExempt = user.role === "owner" || (user.role === "admin" && !guard.applyToAdmins);
  if (!mayBeExempt || !choices.get("guard.owner.exempt")) return null;
  return user.role === "owner"
    ? "the organization owner is exempt"
    : "organization admins are exempt unless the guard says applyToAdmins";
}

/** The `environments` value of this edition, to which modules may be restricted (interface 2.1). */
export function environmentOf(organization: Organization): Environment {
  return organization.edition === "enterprise" ? "platform-enterprise" : "platform";
}

/** Why a webhook module receives none of these events, or null if it receives some (interface 6, 2.1). */
export function webhookMismatch(
  webhook: WebhookModule,
  events: readonly string[],
  environment: Environment,
): string | null {
  if (webhook.environments !== null && !webhook.environments.includes(environment)) {
    return `is only for ${webhook.environments.join(", ") || "no environment"}, and this organization is ${environment}`;
  }
  return webhook.events.some((event) => events.includes(event)) ? null : `names ${webhook.events.join(", ")}`;
}

/**
 * The error for a key that no module has.
 * @param what the kind of module, such as `auth-guard`
 * @param keys of the existing modules
 * @param apps whose manifests were read: their warnings may explain why the module is missing
 */
export function unknownModule(
  what: string,
  key: string,
  keys: readonly string[],
  apps: readonly Pick<InstalledApp, "warnings">[],
): UsageError {
  const odd = apps.flatMap(({ warnings = [] }) => warnings);
  const why = odd.length === 0 ? "`app-sim manifest` shows what the platform makes of it" : odd.join("; ");
  const known =
    keys.length === 0 ? `the manifest declares no ${what} module; ${why}` : `${what} modules: ${keys.join(", ")}`;
  const parts = namesIn(key, keys);
  const mistake = parts === null ? didYouMean(key, keys) : ` Give each key separately: ${parts.join(" ")}`;
  return new UsageError("unknown-module", `there is no ${what} module "${key}".${mistake}`, known);
}

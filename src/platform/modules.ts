import vm from "node:vm";
import type { Organization, User } from "../config/schema.ts";
import type { ChoiceReader } from "../protocol/choices.ts";
import type { Environment, GuardModule, ImportModule, WebhookModule } from "../protocol/manifest.ts";

/**
 * Why a user need not pass a guard, or null if the guard applies (interface 2.1, applyToAdmins; who else is
 * exempt is the choice `guard.owner.exempt`).
 */
export function guardExemption(guard: GuardModule, user: User, choices: ChoiceReader): string | null {
  const mayBeExempt = user.role === "owner" || (user.role === "admin" && !guard.applyToAdmins);
  if (!mayBeExempt || !choices.get("guard.owner.exempt")) return null;
  return user.role === "owner"
    ? "the organization owner is exempt"
    : "organization admins are exempt unless the guard says applyToAdmins";
}

/** Modules of an app that is installed in this edition may restrict where they exist (interface 2.1, environments). */
export function environmentOf(organization: Organization): Environment {
  return organization.edition === "enterprise" ? "platform-enterprise" : "platform";
}

/** Why a webhook module gets no event of these names, or null if it gets some (interface 6, 2.1). */
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

/** Files are uploaded by somebody who manages the project; where nobody does, by the first user. */
export function importingUser(users: readonly User[]): User {
  const user = users.find(({ role }) => role === "manager") ?? users[0];
  if (user === undefined) throw new RangeError("a configuration without users");
  return user;
}

/** How much of a file `signaturePatterns.fileContent` looks at (choice `postImport.patterns`). */
const PATTERN_CONTENT_BYTES = 65_536;

/**
 * Patterns come from the app, so a catastrophic one must not hang the platform (hardening S23). Wall time: a busy
 * machine needs some of it for a harmless one, too.
 */
const PATTERN_TIMEOUT_MS = 1000;

export interface ImportFile {
  readonly name: string;
  /** null: the content is not at hand (it is passed by URL). */
  readonly content: Uint8Array | null;
}

/** Why a post-import module does not fit a file, or null if it does (interface 2.1, signaturePatterns). */
export function importMismatch(module: ImportModule, file: ImportFile, choices: ChoiceReader): string | null {
  const { fileName, fileContent } = module.signaturePatterns;
  const content =
    file.content === null ? null : Buffer.from(file.content.subarray(0, PATTERN_CONTENT_BYTES)).toString("utf8");
  const mismatches = [
    ...(fileName === undefined ? [] : [patternMismatch("fileName", fileName, file.name, `"${file.name}"`)]),
    ...(fileContent === undefined ? [] : [patternMismatch("fileContent", fileContent, content, "the file's content")]),
  ];
  if (fileContent !== undefined) choices.relyOn("postImport.patterns");
  const failed = mismatches.filter((mismatch) => mismatch !== null);
  if (mismatches.length < 2) return failed[0] ?? null;
  const allowed = choices.get("postImport.patterns") === "all" ? 0 : 1;
  return failed.length > allowed ? failed.join("; ") : null;
}

function patternMismatch(name: string, pattern: string, text: string | null, what: string): string | null {
  if (text === null) return `its ${name} ${pattern} cannot be tried: ${what} is not at hand`;
  try {
    const matched = vm.runInNewContext(
      "new RegExp(pattern).test(text)",
      { pattern, text },
      { timeout: PATTERN_TIMEOUT_MS },
    );
    return matched === true ? null : `its ${name} ${pattern} does not match ${what}`;
  } catch (error) {
    const tooSlow = (error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
    return `its ${name} ${pattern} ${tooSlow ? `takes more than ${PATTERN_TIMEOUT_MS} ms on ${what}` : "is not a regular expression that JavaScript can read"}`;
  }
}

import type { Evidence, Verdict } from "../checking/check.ts";
import { READ_OF } from "../checking/evidence.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { appSecrets } from "../config/secrets.ts";
import type { Exchange } from "../journal/exchange.ts";
import { findSecrets } from "../journal/secrets-in.ts";
import { type ImportCheck, NOT_WHOLE } from "./check.ts";
import { effectDifference, effectOf } from "./effect.ts";
import { type ReadImport, readImport, saysWhatIsWrong } from "./reading.ts";
import { alikeStrings } from "./strings.ts";
import type { ServedFile } from "./tools.ts";

/** The strings of a job whose files are at unusual servers. */
export const fortyStrings = () => alikeStrings(40);

/** Why a file must be fetched completely, and how. */
export const PARTIAL_FILE =
  "A part of the file, or nothing, is mistaken for the whole. Missing strings may be removed from the project.";
export const FETCH_COMPLETELY =
  "Check status and length of the fetched file, and answer error.message if it is incomplete.";

/** Why a file must be fetched without credentials, and how. */
export const LEAKED_CREDENTIAL =
  "The owner of that server gets a credential of the app or of the platform, and can use it.";
export const FETCH_WITHOUT_CREDENTIALS = "Fetch files without credentials, and do not follow redirects with them.";

/** How long a file that never ends pauses: longer than the platform waits for an answer (interface 8). */
export const ENDLESS_MS = 150_000;
/** Why a file that never ends must be abandoned, and how. */
export const ENDLESS_FILE = "The platform waits for 2 minutes. Then users see that the import failed, but not why.";
export const ABANDON_FILE = "Stop fetching after a minute or so, and answer error.message.";

/** The answer of a server whose file is at another address. */
export function redirectTo(location: string): ServedFile {
  return { content: "", status: 302, headers: { location } };
}

/** Whether an app said no in a way that users see, or at least without a crash. */
export function isClearNo(exchange: Exchange, kind: string): boolean {
  return kind === "refused" || (kind === "broken" && saysWhatIsWrong(exchange));
}

/** The header in which the reader of the file sent credentials, or a secret of the app; null: it sent none. */
function credentialSent(evidence: Evidence, role: string): string | null {
  const read = evidence.steps.find((step) => step.role === role + READ_OF)?.exchange;
  const find = findSecrets(appSecrets(evidence.app));
  const header = read?.request.headers.find(
    ([name, value]) =>
      /^(?:authorization|cookie|proxy-authorization|x-api-key|x-auth-token)$/i.test(name) ||
      /\beyJ[\w-]+\.[\w-]+\./.test(value) ||
      find(value).length > 0,
  );
  return header?.[0] ?? null;
}

/** The fault that the app sends credentials with its request for the file of this role; null: it does not. */
export const noCredentials = (role: string) => (check: ImportCheck, evidence: Evidence) => {
  const name = credentialSent(evidence, role);
  return name === null ? null : faulty(check, `the app sent the header ${name} to another server`);
};

/** The verdict on a job with an unusual file server: an app may refuse, or must produce its usual result. */
export function judgeUnusual(check: ImportCheck, evidence: Evidence, unusual: ReadImport, what: string): Verdict {
  if (isClearNo(unusual.exchange, unusual.reply.kind)) return PASSED;
  if (unusual.reply.kind !== "accepted") return faulty(check, `the app ${unusual.reply.says}: ${what}`);
  const answers = ["plain", "again"].map((role) => readImport(evidence, role, fortyStrings()));
  const [before, again] = answers.map((answer) => answer && effectOf(answer, fortyStrings()));
  const after = effectOf(unusual, fortyStrings());
  if (!before || !again || after === null) return skipVerdict(NOT_WHOLE);
  if (effectDifference(before, again) !== null) return skipVerdict("its answers to the same job differ");
  const difference = effectDifference(before, after);
  return difference === null ? PASSED : faulty(check, `${what}, and ${difference}`);
}

import { answerWords } from "../../app-client/answer-words.ts";
import { bytes, OWN_LOG } from "../../app-client/explain-outcome.ts";
import { bodyLimitHint } from "../../app-client/framework-hints.ts";
import type { Answer } from "../../app-client/read-answer.ts";
import { sentences } from "../../protocol/sentences.ts";

/** Default limits of body parsers and servers, the smallest first. */
const usualLimits = [
  { limit: 100 * 1024, of: "100 kB in Express" },
  { limit: 1024 * 1024, of: "1 MB in Fastify, Koa and nginx" },
] as const;

const tooLarge = /\b(?:entity|payload|body|request)\b.{0,20}\btoo (?:large|big)\b/i;
const cutOff = /unterminated string|unexpected end of (?:json )?input|unexpected eof|eof while parsing/i;

/** What a handler for all errors answers, in the envelope of an import too. */
const unspecific =
  /^\W*((?:an? )?(?:internal |unexpected |unknown )?(?:server )?error(?: occurred)?|something went wrong)\W*$/i;

const READ_ALL =
  "the job was sent whole, and is valid JSON: did the app parse only a part of the body? It has to collect all chunks first";

/** A failed import: the job, and the answer. */
interface FailedImport {
  /** Of the request's body. */
  readonly sent: number;
  /** null: the app closed the connection. */
  readonly answer: Answer | null;
  /** What is known of the failure. */
  readonly hint: string | null;
}

/** What to try if an app failed because it did not read the whole body of a job; otherwise what is known already. */
export function unreadBodyHint({ sent, answer, hint }: FailedImport): string | null {
  const says = answer === null ? "" : answerWords(answer);
  const status = answer?.status ?? 0;
  if (answer !== null && status !== 413 && tooLarge.test(says)) return bodyLimitHint(answer);
  if (status >= 400 && cutOff.test(says)) return READ_ALL;
  const limits = usualLimits.filter(({ limit }) => sent > limit).map(({ of }) => of);
  const isUnexplained =
    answer === null ||
    ([400, 500].includes(status) && (hint?.startsWith(OWN_LOG) ?? true)) ||
    (status === 200 && unspecific.test(says));
  if (limits.length === 0 || !isUnexplained) return hint;
  return sentences([
    `the job has ${bytes(sent)}: does the app's body size limit allow that? The default is ${limits.join(", and ")}; the platform sends up to 5 MB (interface 8)`,
    hint,
  ]);
}

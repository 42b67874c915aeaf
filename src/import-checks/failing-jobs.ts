import type { Evidence, Verdict } from "../checking/check.ts";
import { judgeSecrets } from "../checking/leak-checks.ts";
import { withMembers } from "../checking/request-parts.ts";
import { faulty, PASSED } from "../checking/verdict.ts";
import type { Exchange } from "../journal/exchange.ts";
import { holdsTrace, leakedSecrets, sentToken } from "../journal/leaks-in-answer.ts";
import { answeredJson } from "../journal/readable-body.ts";
import { findSecrets } from "../journal/secrets-in.ts";
import { type ImportJob, importErrorSchema } from "../protocol/import-job.ts";
import { isJsonObject } from "../protocol/json-object.ts";
import { type ImportCheck, type ImportFacts, importCheck, submitByUrl, withFileAt } from "./check.ts";
import { linesOfStrings, plainStrings } from "./strings.ts";
import type { ImportTools, ServedFile } from "./tools.ts";

/** The requests shared by the checks of this file: jobs that go wrong in each usual way. */
const TROUBLES = "import.troubles";

async function sendTroubles(tools: ImportTools): Promise<void> {
  const request = await tools.request();
  await tools.send("no-strings", withMembers(request, { strings: undefined }) ?? request);
  await tools.send("no-json", { ...(await tools.request()), body: { bytes: Buffer.from("{") } });
  const types = await tools.request();
  await tools.send("types", withMembers(types, { strings: [{ uniqId: 1, text: null }], file: null }) ?? types);
  const unreadable = await tools.request();
  const { file } = (unreadable.body as { readonly json: ImportJob }).json;
  const noBase64 = { ...file, content: "*** no base64 ***" };
  await tools.send("no-base64", withMembers(unreadable, { file: noBase64 }) ?? unreadable);
  await submitByUrl(tools, "bad-lines", "no JSON\n");
  await tools.serving("missing", { content: "none", status: 404 }, async (stringsUrl) => {
    const missing = await tools.request();
    await tools.send("missing", withMembers(missing, { strings: undefined, stringsUrl }) ?? missing);
  });
  await sendHalfMissing(tools, "missing-content", { content: missingFile, strings: slowFile });
  await sendHalfMissing(tools, "missing-strings", { content: slowFile, strings: missingFile });
}

/** How long the file that is there takes, so that the app learns of the missing one before it has read this one. */
const PAUSE_MS = 300;
const missingFile = (): ServedFile => ({ content: "none", status: 404 });
const slowFile = (): ServedFile => ({ content: linesOfStrings(plainStrings()), pauseMs: PAUSE_MS });

/** Sends a job by URL one of whose files is missing, while the other one is still on its way. */
async function sendHalfMissing(
  tools: ImportTools,
  role: string,
  { content, strings }: Readonly<Record<"content" | "strings", () => ServedFile>>,
): Promise<void> {
  await tools.serving(`${role}-file`, content(), (contentUrl) =>
    tools.serving(`${role}-lines`, strings(), async (stringsUrl) => {
      const request = withFileAt(await tools.request(), contentUrl);
      await tools.send(role, withMembers(request, { strings: undefined, stringsUrl }) ?? request);
    }),
  );
}

function troubleCheck(
  facts: ImportFacts,
  judge: (check: ImportCheck, answers: readonly Exchange[], evidence: Evidence) => Verdict,
  rest: Pick<ImportCheck, "isAboutAfter"> = {},
): ImportCheck {
  const check: ImportCheck = {
    ...importCheck(facts, {
      trial: TROUBLES,
      run: sendTroubles,
      judge: (evidence) => {
        const exchanges = evidence.steps.map(({ exchange }) => exchange);
        return judge(
          check,
          exchanges.filter(({ purpose }) => purpose === "post-import"),
          evidence,
        );
      },
    }),
    ...rest,
  };
  return check;
}

/** What an error gives away, in words; null: nothing. */
function leakIn(exchange: Exchange): string | null {
  if (leakedSecrets(exchange, findSecrets(sentToken(exchange))).length > 0) return "repeats the token of the request";
  return holdsTrace(exchange) ? "holds a stack trace" : null;
}

/** Whether a 2XX has both an error message and strings, inline or by URL. */
function holdsBoth(exchange: Exchange): boolean {
  const answer = (answeredJson(exchange) ?? {}) as { readonly data?: Readonly<Record<string, unknown>> | null };
  const isError = (exchange.response?.status ?? 0) < 300 && importErrorSchema.safeParse(answer).success;
  return isError && (answer.data?.strings != null || answer.data?.stringsUrl != null);
}

/** What error.message of an answer is, if it is there and not a text; null: it is a text, or not there. */
function kindOfMessage(exchange: Exchange): string | null {
  const { error } = (answeredJson(exchange) ?? {}) as { readonly error?: unknown };
  if (!isJsonObject(error) || typeof error.message === "string" || error.message == null) return null;
  return Array.isArray(error.message) ? "a list" : typeof error.message === "object" ? "an object" : "not a text";
}

/** Checks of jobs that go wrong (interface 2.4, 8; hardening G19 for imports). */
export const importFailingJobChecks: readonly ImportCheck[] = [
  troubleCheck(
    {
      id: "import.errors.private",
      title: "Errors hold neither tokens nor stack traces",
      section: "2.4",
      severity: "should",
      why: "Errors end up in logs, screens and reports. A token opens the app to anybody who reads it there, and a stack trace shows where to look for more.",
      fix: "Write details to the app's own log, and answer with a message for users.",
    },
    (check, answers) => {
      for (const exchange of answers) {
        const leak = leakIn(exchange);
        if (leak !== null) return faulty(check, `an answer (${exchange.response?.status}) ${leak}`);
      }
      return PASSED;
    },
  ),
  troubleCheck(
    {
      id: "import.errors.alone",
      title: "An answer with an error has no strings",
      section: "2.4",
      severity: "should",
      why: "The interface does not say which of the two counts. A platform that uses the strings, such as an empty list, changes the file although the import failed.",
      fix: 'Answer only {"error": {"message": …}}, and `data` only if the import succeeded.',
    },
    (check, answers) =>
      answers.some(holdsBoth) ? faulty(check, "an answer has both error.message and strings") : PASSED,
  ),
  troubleCheck(
    {
      id: "import.errors.message",
      title: "The message of an error is a string",
      section: "2.4",
      why: "The platform shows it to the user who imported the file. A list or an object is shown as [object Object], or not at all.",
      fix: 'Answer {"error": {"message": "…"}} with one sentence for users, and write details to the app\'s own log.',
    },
    (check, answers) => {
      const [kind] = answers.flatMap((answer) => kindOfMessage(answer) ?? []);
      return kind === undefined ? PASSED : faulty(check, `error.message is ${kind}`);
    },
  ),
  troubleCheck(
    {
      id: "import.errors.secret",
      title: "Errors hold no secret of the app",
      section: "5.1",
      why: "Errors end up in logs, screens and reports. Anybody who knows the secret can forge tokens for anybody.",
      fix: "Keep settings out of answers; log errors, and answer with a message for users.",
    },
    (check, answers, { app }) => judgeSecrets(check, answers, app),
  ),
  troubleCheck(
    {
      id: "import.errors.answered",
      title: "Jobs that go wrong are answered, and no connection is dropped",
      section: "7",
      why: "The platform waits 2 minutes for an answer that never comes. Users see that the import failed, but not why.",
      fix: "Always answer: catch exceptions of a job, and answer error.message.",
    },
    (check, answers) => {
      const dropped = answers.find(({ outcome }) => outcome.kind !== "answered");
      const role = dropped?.check?.role;
      return dropped === undefined ? PASSED : faulty(check, `a job (${role}) got no answer: ${dropped.outcome.kind}`);
    },
  ),
  troubleCheck(
    {
      id: "import.errors.recovers",
      title: "After jobs that went wrong, correct ones are accepted",
      section: "7",
      why: "A failed job must not prevent later ones. Otherwise the app must be restarted after every broken file.",
      fix: "Release a job's resources even if it fails, and keep nothing of it.",
    },
    () => PASSED,
    { isAboutAfter: true },
  ),
];

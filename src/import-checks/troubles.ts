import type { Evidence, Verdict } from "../checking/check.ts";
import { answeredJson } from "../checking/reply.ts";
import { withMembers } from "../checking/request-parts.ts";
import { judgeSecrets } from "../checking/told-checks.ts";
import { faulty, PASSED } from "../checking/verdict.ts";
import type { Exchange } from "../journal/exchange.ts";
import { findSecrets } from "../journal/secrets-in.ts";
import { secretsTold, sentToken, tellsTrace } from "../journal/told-in-answer.ts";
import { importErrorSchema } from "../protocol/import-job.ts";
import { type ImportCheck, type ImportFacts, importCheck, submitByUrl } from "./check.ts";
import type { ImportTools } from "./tools.ts";

/** What the checks of this file run once for all: jobs that go wrong in each usual way. */
const TROUBLES = "import.troubles";

async function sendTroubles(tools: ImportTools): Promise<void> {
  const request = await tools.request();
  await tools.send("no-strings", withMembers(request, { strings: undefined }) ?? request);
  await tools.send("no-json", { ...(await tools.request()), body: { bytes: Buffer.from("{") } });
  const types = await tools.request();
  await tools.send("types", withMembers(types, { strings: [{ uniqId: 1, text: null }], file: null }) ?? types);
  await submitByUrl(tools, "bad-lines", "no JSON\n");
  await tools.serving("missing", { content: "none", status: 404 }, async (stringsUrl) => {
    const missing = await tools.request();
    await tools.send("missing", withMembers(missing, { strings: undefined, stringsUrl }) ?? missing);
  });
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

/** What an error tells that it should not, in words; null: nothing. */
function toldBy(exchange: Exchange): string | null {
  if (secretsTold(exchange, findSecrets(sentToken(exchange))).length > 0) return "repeats the token of the request";
  return tellsTrace(exchange) ? "holds a stack trace" : null;
}

/** Whether a 2XX holds an error message, and strings or where they are. */
function holdsBoth(exchange: Exchange): boolean {
  const answer = (answeredJson(exchange) ?? {}) as { readonly data?: Readonly<Record<string, unknown>> | null };
  const isError = (exchange.response?.status ?? 0) < 300 && importErrorSchema.safeParse(answer).success;
  return isError && (answer.data?.strings != null || answer.data?.stringsUrl != null);
}

/** Checks of what becomes of jobs that go wrong (interface 2.4, 8; hardening G19 for imports). */
export const importTroubleChecks: readonly ImportCheck[] = [
  troubleCheck(
    {
      id: "import.errors.private",
      title: "Errors hold neither tokens nor stack traces",
      section: "2.4",
      severity: "should",
      why: "Errors end up in logs, screens and reports. A token opens the app to whoever reads it there, a stack trace says where to look for more.",
      mend: "Write what went wrong into the app's own log, and answer with a sentence for people.",
    },
    (check, answers) => {
      for (const exchange of answers) {
        const told = toldBy(exchange);
        if (told !== null) return faulty(check, `an answer (${exchange.response?.status}) ${told}`);
      }
      return PASSED;
    },
  ),
  troubleCheck(
    {
      id: "import.errors.alone",
      title: "An answer with an error has no strings beside it",
      section: "2.4",
      severity: "should",
      why: "The interface does not say which of the two counts. A platform that takes the strings, such as an empty list, changes the file although the import failed.",
      mend: 'Answer {"error": {"message": …}} alone, and `data` only where the import worked.',
    },
    (check, answers) =>
      answers.some(holdsBoth) ? faulty(check, "an answer holds both error.message and strings") : PASSED,
  ),
  troubleCheck(
    {
      id: "import.errors.secret",
      title: "Errors hold no secret of the app",
      section: "5.1",
      why: "Errors end up in logs, screens and reports. Whoever knows the secret writes tokens for anybody.",
      mend: "Let no setting into answers; log errors, and answer with a sentence for people.",
    },
    (check, answers, { app }) => judgeSecrets(check, answers, app),
  ),
  troubleCheck(
    {
      id: "import.errors.answered",
      title: "Jobs that go wrong are answered, and no connection is dropped",
      section: "7",
      why: "The platform waits for 2 minutes for what never comes. People see that the import failed, but not why.",
      mend: "Answer in every case: catch what a job throws, and answer error.message.",
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
      title: "After jobs that went wrong, right ones are taken",
      section: "7",
      why: "One job that goes wrong must not keep later ones from being imported. Otherwise the app has to be started again after every broken file.",
      mend: "Release what a job holds where it fails, too, and keep nothing of it.",
    },
    () => PASSED,
    { isAboutAfter: true },
  ),
];

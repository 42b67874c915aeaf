import type { Evidence, Verdict } from "../checking/check.ts";
import { READ_OF } from "../checking/evidence.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { ImportJob } from "../protocol/import-job.ts";
import { type ImportCheck, type ImportFacts, importCheck, withFileAt } from "./check.ts";
import { readImport } from "./reading.ts";
import type { ImportTools } from "./tools.ts";

/** How an app says that it cannot import a job. */
export const CLEAR_ERROR = 'Answer {"error": {"message": …}}, which the platform shows, or a 4XX.';

/** The requests shared by the checks of alternatives and of the file. */
const ALTERNATIVES = "import.alternatives";

const alternatives: Readonly<
  Record<string, { readonly facts: Omit<ImportFacts, "why" | "fix">; change: (job: ImportJob) => ImportJob }>
> = {
  base64: {
    facts: { id: "import.file.base64", title: "The app refuses a file whose content is not base64" },
    change: (job) => ({ ...job, file: { ...job.file, content: "*** no base64 ***" } }),
  },
  "no-content": {
    facts: { id: "import.file.no-content", title: "The app refuses a file with neither content nor contentUrl" },
    change: (job) => {
      const { content: _, contentUrl: __, ...file } = job.file;
      return { ...job, file };
    },
  },
  "both-contents": {
    facts: { id: "import.file.both-contents", title: "The app refuses a file with both content and contentUrl" },
    change: (job) => ({ ...job, file: { ...job.file, contentUrl: job.organization.baseUrl } }),
  },
  "both-strings": {
    facts: { id: "import.strings.both", title: "The app refuses a job with both strings and stringsUrl" },
    change: (job) => ({ ...job, stringsUrl: job.organization.baseUrl }),
  },
};

/** The role of a correct job with its file at an address, which an app fetches if it uses the file. */
const AT_ADDRESS = "content-url";

async function sendAlternatives(tools: ImportTools): Promise<void> {
  for (const [role, { change }] of Object.entries(alternatives)) {
    const request = await tools.request();
    const { json } = request.body as { readonly json: ImportJob };
    await tools.send(role, { ...request, body: { json: change(json) } });
  }
  const inline = await tools.request();
  const { content } = (inline.body as { readonly json: ImportJob }).json.file;
  if (content === undefined) return;
  await tools.serving(AT_ADDRESS, { content: Buffer.from(content, "base64") }, (url) =>
    tools.send(AT_ADDRESS, withFileAt(inline, url)),
  );
}

/**
 * An app may not need the file, or may use one of two alternatives: only an app that refuses some of these but not
 * others has forgotten something.
 */
export const alternativeChecks: readonly ImportCheck[] = Object.entries(alternatives).map(([role, { facts }]) => {
  const check: ImportCheck = importCheck(
    {
      severity: "should",
      ...facts,
      why: "Such a job is broken, and the result is arbitrary. The app refuses similar ones, but not this one.",
      fix: CLEAR_ERROR,
    },
    { trial: ALTERNATIVES, run: sendAlternatives, judge: (evidence) => judgeAlternative(check, evidence, role) },
  );
  return check;
});

function judgeAlternative(check: ImportCheck, evidence: Evidence, role: string): Verdict {
  const reply = readImport(evidence, role)?.reply;
  if (reply === undefined) return skipVerdict("it was not sent");
  if (reply.kind === "refused") return PASSED;
  if (reply.kind !== "accepted") return faulty(check, `the app ${reply.says}`);
  if (!isLookedAt(evidence, role)) return skipVerdict("nothing shows that the app uses this: it need not check it");
  return faulty(check, `the app ${reply.says}, although it refuses other jobs that are broken this way`);
}

/** Whether the app looks at what is broken in this role. Its schema may check the format of a file that it never reads. */
function isLookedAt(evidence: Evidence, role: string): boolean {
  const isRefused = (each: string) => readImport(evidence, each)?.reply.kind === "refused";
  const isFetched = evidence.steps.some((step) => step.role === AT_ADDRESS + READ_OF);
  if (role === "both-strings") return Object.keys(alternatives).some(isRefused);
  if (role === "no-content") return isRefused("base64") && (isRefused("both-contents") || isFetched);
  return isRefused("no-content") || (role === "both-contents" && isRefused("base64") && isFetched);
}

import type { Evidence, Verdict } from "../checking/check.ts";
import { READ_OF } from "../checking/evidence.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { ImportJob } from "../protocol/import-job.ts";
import { type ImportCheck, type ImportFacts, importCheck, withFileAt } from "./check.ts";
import { readImport } from "./reading.ts";
import { idsOf, linesOfStrings, mixedStrings } from "./strings.ts";
import type { ImportTools } from "./tools.ts";

/** How an app says that it cannot import a job. */
export const CLEAR_ERROR = 'Answer {"error": {"message": …}}, which the platform shows, or answer with a 4XX status.';

/** The requests shared by the checks of alternatives and of the file. */
const ALTERNATIVES = "import.alternatives";

/** A job that is broken because of its alternatives. */
interface Alternative {
  readonly facts: Omit<ImportFacts, "why" | "fix">;
  readonly change: (job: ImportJob) => ImportJob;
}

const broken: Readonly<Record<string, Alternative>> = {
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
};

/** Jobs with both of two alternatives, which the platform never sends: an app may refuse them, or use either one. */
const BOTH_CONTENTS = "both-contents";
const BOTH_STRINGS = "both-strings";
const doubled: Readonly<Record<string, Alternative["facts"]>> = {
  [BOTH_CONTENTS]: {
    id: "import.file.both-contents",
    title: "The app answers a file with both content and contentUrl without a server error",
  },
  [BOTH_STRINGS]: {
    id: "import.strings.both",
    title: "The app refuses a job with both strings and stringsUrl, or uses one of them",
  },
};

const withBothContents = (job: ImportJob): ImportJob => ({
  ...job,
  file: { ...job.file, contentUrl: job.organization.baseUrl },
});

/** The strings at stringsUrl of a job that has strings, too: alike, so that an app changes some of either. */
const stringsAtUrl = () => mixedStrings().map((record) => ({ ...record, uniqId: `elsewhere-${record.uniqId}` }));

/** The role of a correct job with its file at an address, which an app fetches if it uses the file. */
const AT_ADDRESS = "content-url";

async function sendAlternatives(tools: ImportTools): Promise<void> {
  const changes = Object.entries(broken).map(([role, { change }]) => [role, change] as const);
  for (const [role, change] of [...changes, [BOTH_CONTENTS, withBothContents] as const]) {
    const request = await tools.request();
    const { json } = request.body as { readonly json: ImportJob };
    await tools.send(role, { ...request, body: { json: change(json) } });
  }
  await tools.serving(BOTH_STRINGS, { content: linesOfStrings(stringsAtUrl()) }, async (stringsUrl) =>
    tools.submit(BOTH_STRINGS, await tools.request((job) => ({ ...job, strings: mixedStrings(), stringsUrl }))),
  );
  const inline = await tools.request();
  const { content } = (inline.body as { readonly json: ImportJob }).json.file;
  if (content === undefined) return;
  await tools.serving(AT_ADDRESS, { content: Buffer.from(content, "base64") }, (url) =>
    tools.send(AT_ADDRESS, withFileAt(inline, url)),
  );
}

/**
 * An app may not need the file: only an app that refuses some of these jobs but not others has forgotten something.
 */
const brokenChecks = Object.entries(broken).map(([role, { facts }]): ImportCheck => {
  const check: ImportCheck = importCheck(
    {
      severity: "should",
      ...facts,
      why: "Such a job is broken, and the result is arbitrary. The app refuses similar ones, but not this one.",
      fix: CLEAR_ERROR,
    },
    { trial: ALTERNATIVES, run: sendAlternatives, judge: (evidence) => judgeBroken(check, evidence, role) },
  );
  return check;
});

function judgeBroken(check: ImportCheck, evidence: Evidence, role: string): Verdict {
  const reply = readImport(evidence, role)?.reply;
  if (reply === undefined) return skipVerdict("it was not sent");
  if (reply.kind === "refused") return PASSED;
  if (reply.kind !== "accepted") return faulty(check, `the app ${reply.says}`);
  if (!isLookedAt(evidence, role))
    return skipVerdict("nothing shows that the app uses this part of a job, so it need not check it");
  return faulty(check, `the app ${reply.says}, although it refuses other jobs that are broken this way`);
}

/** Whether the app looks at what is broken in this role. Its schema may check the format of a file that it never reads. */
function isLookedAt(evidence: Evidence, role: string): boolean {
  const isRefused = (each: string) => readImport(evidence, each)?.reply.kind === "refused";
  const isFetched = evidence.steps.some((step) => step.role === AT_ADDRESS + READ_OF);
  if (role === "no-content") return isRefused("base64") && (isRefused(BOTH_CONTENTS) || isFetched);
  return isRefused("no-content");
}

const doubledChecks = Object.entries(doubled).map(([role, facts]): ImportCheck => {
  const check: ImportCheck = importCheck(
    {
      severity: "should",
      ...facts,
      why: "The platform sends one of the two, so an app may take either. A crash tells nobody what is wrong, and a mixture is neither.",
      fix: 'Use one of the two and ignore the other, or refuse the job with {"error": {"message": …}} or a 4XX status.',
    },
    { trial: ALTERNATIVES, run: sendAlternatives, judge: (evidence) => judgeDoubled(check, evidence, role) },
  );
  return check;
});

function judgeDoubled(check: ImportCheck, evidence: Evidence, role: string): Verdict {
  const answered = readImport(evidence, role);
  if (answered === null) return skipVerdict("it was not sent");
  const { reply, strings } = answered;
  if (reply.kind === "broken" || reply.kind === "unclear") return faulty(check, `the app ${reply.says}`);
  const came = idsOf(strings ?? []);
  const isMixed = [mixedStrings(), stringsAtUrl()].every((each) => each.some(({ uniqId }) => came.has(uniqId)));
  return role === BOTH_STRINGS && isMixed ? faulty(check, "the answer has strings of both") : PASSED;
}

/** Checks of jobs with neither or both of two alternatives, and of the file. */
export const alternativeChecks: readonly ImportCheck[] = [...brokenChecks, ...doubledChecks];

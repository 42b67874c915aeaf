import { READ_OF } from "../checking/evidence.ts";
import type { RequestParts } from "../checking/request-parts.ts";
import { withStrangersSignature } from "../checking/token-twin.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { ImportJob } from "../protocol/import-job.ts";
import { knownLanguage } from "./call.ts";
import { type ImportCheck, importCheck, withFileAt } from "./check.ts";
import { alikeStrings, linesOfStrings } from "./strings.ts";
import type { ImportTools } from "./tools.ts";

/** Without the length of the body: code that looks at it finds none. */
const IN_CHUNKS = "in chunks";

/** Jobs with one part at an address, by that part. */
const BY_URL = { "whose strings are at an address": "strings", "whose file is at an address": "file" } as const;
const kindsByUrl = Object.keys(BY_URL) as (keyof typeof BY_URL)[];

/** So many strings that the job is larger than a megabyte. */
const LARGE = 12_000;

/** Jobs of every kind, by their special property. */
const kinds: Readonly<Record<string, (job: ImportJob) => ImportJob>> = {
  "as it was found": (job) => job,
  "without target languages": (job) => withTargets(job),
  "with one target language": (job) => withTargets(job, "uk"),
  "with several target languages": (job) => withTargets(job, "de", "zh-CN", "pt-BR"),
  "of more than a megabyte": (job) => ({ ...job, strings: alikeStrings(LARGE) }),
  [IN_CHUNKS]: (job) => job,
};

/** The job for these languages, without any translations yet. */
function withTargets(job: ImportJob, ...ids: readonly string[]): ImportJob {
  const strings = job.strings?.map(({ translations: _, ...record }) => record);
  const targetLanguages = ids.map((id) => ({ ...knownLanguage(id) }));
  return { ...job, targetLanguages, ...(strings === undefined ? {} : { strings }) };
}

const right = (kind: string) => `correct job ${kind}`;

/** Sends a job as the platform does, or with a token signed with another secret. */
async function sendJob(tools: ImportTools, role: string, request: RequestParts, isForged: boolean): Promise<void> {
  const forged = withStrangersSignature(request);
  if (forged !== null) await tools.send(role, isForged ? forged : request);
}

/** Sends a job of which this part is at an address. */
async function sendByUrl(tools: ImportTools, role: string, part: "strings" | "file", isForged: boolean): Promise<void> {
  const inline = await tools.request();
  const { json } = inline.body as { readonly json: ImportJob };
  const content = part === "file" ? Buffer.from(json.file.content ?? "", "base64") : linesOfStrings(alikeStrings(3));
  await tools.serving(role, { content }, async (url) => {
    const stringsAt = () => tools.request(({ strings: _, ...job }) => ({ ...job, stringsUrl: url }));
    await sendJob(tools, role, part === "file" ? withFileAt(inline, url) : await stringsAt(), isForged);
  });
}

/** The check of forged jobs that take an unusual path through an app. */
export const forgedJobsCheck: ImportCheck = importCheck(
  {
    id: "import.token.every-job",
    title:
      "If the import verifies tokens, it verifies those of all kinds of jobs, and fetches nothing for refused jobs",
    section: "5.1",
    choices: ["postImport.auth"],
    why: "Different kinds of jobs often take different paths through an app. An attacker chooses the path that does not check the token.",
    fix: "Verify the token of every request to this address before using anything in its body.",
  },
  {
    run: async (tools) => {
      for (const [kind, change] of Object.entries(kinds)) {
        const job = async () => ({ ...(await tools.request(change)), chunked: kind === IN_CHUNKS });
        await sendJob(tools, right(kind), await job(), false);
        await sendJob(tools, kind, await job(), true);
      }
      for (const kind of kindsByUrl) {
        await sendByUrl(tools, right(kind), BY_URL[kind], false);
        await sendByUrl(tools, kind, BY_URL[kind], true);
      }
    },
    judge: ({ steps, read }) => {
      const kindOf = (role: string) => {
        const step = steps.find((each) => each.role === role);
        return step === undefined ? null : read(step.exchange).kind;
      };
      // If the app never accepts a kind, its refusal says nothing about the token.
      const known = [...Object.keys(kinds), ...kindsByUrl].filter((kind) => kindOf(right(kind)) === "accepted");
      const isLooked = known.some((kind) => kindOf(kind) === "refused");
      if (!isLooked) return skipVerdict("the app accepts jobs without a valid token: see import.token.missing");
      const taken = known.find((kind) => kindOf(kind) === "accepted");
      if (taken !== undefined)
        return faulty(
          forgedJobsCheck,
          `a job ${taken} is accepted with a token signed with another secret; others are not`,
        );
      const fetched = kindsByUrl.find((kind) => steps.some(({ role }) => role === kind + READ_OF));
      return fetched === undefined
        ? PASSED
        : faulty(forgedJobsCheck, `the app fetched the ${BY_URL[fetched]} of a job that it refused`);
    },
  },
);

import type { Evidence, TwinCheck, Verdict } from "../checking/check.ts";
import { type RequestParts, withMembers } from "../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { ImportJob } from "../protocol/import-job.ts";
import { type ImportCheck, type ImportFacts, importCheck, submitPlainByUrl, untakenByUrl } from "./check.ts";
import { readImport } from "./reading.ts";
import { plainStrings } from "./strings.ts";
import type { ImportTools } from "./tools.ts";

const silent =
  "An import that did nothing passes for one that worked. People look for their strings, and find no reason.";
const clear = 'Answer {"error": {"message": …}}, which the platform shows, or a 4XX.';

type TwinFacts = ImportFacts & Pick<TwinCheck, "changes" | "twin">;

function badTwin(facts: TwinFacts): TwinCheck {
  return { area: "import", section: "2.4", severity: "must", right: "refused", ...facts };
}

const withBytes = (bytes: string) => (request: RequestParts) => ({ ...request, body: { bytes: Buffer.from(bytes) } });

/** Requests that hold no job (hardening I2). */
const noJobs: readonly TwinCheck[] = [
  badTwin({
    id: "import.request.no-strings",
    title: "The app refuses a job with neither strings nor stringsUrl",
    section: "2.3",
    changes: "json.strings",
    why: silent,
    mend: clear,
    twin: (request) => withMembers(request, { strings: undefined }),
  }),
  badTwin({
    id: "import.request.bad-json",
    title: "The app refuses a body that is no JSON",
    changes: "body",
    why: silent,
    mend: clear,
    twin: withBytes('{"jobType": "file-post-import", "strings": ['),
  }),
  badTwin({
    id: "import.request.empty",
    title: "The app refuses an empty body",
    changes: "body",
    why: silent,
    mend: clear,
    twin: withBytes(""),
  }),
  badTwin({
    id: "import.request.array",
    title: "The app refuses a body that is a JSON array",
    changes: "body",
    why: silent,
    mend: clear,
    twin: withBytes("[]"),
  }),
  badTwin({
    id: "import.request.null",
    title: "The app refuses a body that is null",
    changes: "body",
    why: silent,
    mend: clear,
    twin: withBytes("null"),
  }),
];

const byGet: ImportCheck = importCheck(
  {
    id: "import.request.get",
    title: "The app takes no import by GET",
    section: "4.2",
    why: "GET is what links and previews send. It must not do what a POST does.",
    mend: "Answer 405 to other methods than POST.",
  },
  {
    run: async (tools) => {
      await tools.send("get", { ...(await tools.request()), method: "GET" });
    },
    // Any page may be at the same address: only an import is wrong.
    judge: (evidence) => {
      const answered = readImport(evidence, "get");
      return answered?.verdict?.kind === "strings" ? faulty(byGet, `the app ${answered.reply.says}`) : PASSED;
    },
  },
);

/** What the checks of alternatives and of the file run once for all. */
const ALTERNATIVES = "import.alternatives";
const NO_URL = "http://127.0.0.1:9/app-sim";

const alternatives: Readonly<
  Record<string, { readonly facts: Omit<ImportFacts, "why" | "mend">; change: (job: ImportJob) => ImportJob }>
> = {
  base64: {
    facts: { id: "import.file.base64", title: "The app refuses a file whose content is no base64" },
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

async function sendAlternatives(tools: ImportTools): Promise<void> {
  for (const [role, { change }] of Object.entries(alternatives)) {
    const request = await tools.request();
    const { json } = request.body as { readonly json: ImportJob };
    await tools.send(role, { ...request, body: { json: change(json) } });
  }
}

/**
 * An app may have no use for the file, or take what it needs of two: only one that refuses some of these and not others
 * has forgotten something.
 */
const alternativeChecks: readonly ImportCheck[] = Object.entries(alternatives).map(([role, { facts }]) => {
  const check: ImportCheck = importCheck(
    {
      severity: "should",
      ...facts,
      why: "Such a job is broken, and what the app makes of it is chance. The app refuses others like it, but not this one.",
      mend: clear,
    },
    { trial: ALTERNATIVES, run: sendAlternatives, judge: (evidence) => judgeAlternative(check, evidence, role) },
  );
  return check;
});

function judgeAlternative(check: ImportCheck, evidence: Evidence, role: string): Verdict {
  const kindOf = (each: string) => readImport(evidence, each)?.reply;
  const reply = kindOf(role);
  if (reply === undefined) return skipVerdict("it was not sent");
  if (reply.kind === "refused") return PASSED;
  if (reply.kind !== "accepted") return faulty(check, `the app ${reply.says}`);
  // Whoever refuses neither of the first two has no use for the file, and need not look at it.
  const telling = role === "both-strings" ? Object.keys(alternatives) : ["base64", "no-content"];
  if (!telling.some((each) => kindOf(each)?.kind === "refused")) {
    return skipVerdict("the app has no use for this: it refuses none of such jobs");
  }
  return faulty(check, `the app ${reply.says}, although it refuses other jobs that are broken in such a way`);
}

/** Jobs with a value of another type or none: an app need not look at it, but must not stumble over it. */
const strange: Readonly<
  Record<string, { readonly what: string; readonly members: (job: ImportJob) => Readonly<Record<string, unknown>> }>
> = {
  "strings-object": { what: "strings that are an object", members: () => ({ strings: {} }) },
  "strings-text": { what: "strings that are a text", members: () => ({ strings: "all of them" }) },
  "string-null": { what: "a string that is null", members: () => ({ strings: [null] }) },
  "string-number": { what: "a string that is a number", members: () => ({ strings: [42] }) },
  "text-missing": {
    what: "a string without text",
    members: () => ({ strings: [{ uniqId: "a::1", identifier: "a" }] }),
  },
  "text-null": {
    what: "a text that is null",
    members: () => ({ strings: [{ uniqId: "a::1", identifier: "a", text: null }] }),
  },
  "text-number": {
    what: "a text that is a number",
    members: () => ({ strings: [{ uniqId: "a::1", identifier: "a", text: 42 }] }),
  },
  "plural-text": {
    what: "a plural string whose text is a plain one",
    members: () => ({ strings: [{ uniqId: "a::1", identifier: "a", hasPlurals: true, text: "files" }] }),
  },
  "uniq-id-missing": {
    what: "a string without uniqId",
    members: () => ({ strings: [{ identifier: "a", text: "A" }] }),
  },
  "labels-text": {
    what: "labels that are a text",
    members: () => ({ strings: plainStrings().map((each) => ({ ...each, labels: "web", text: " Hello " })) }),
  },
  "strings-url-number": {
    what: "a stringsUrl that is a number",
    members: () => ({ strings: undefined, stringsUrl: 42 }),
  },
  "strings-url-relative": {
    what: "a stringsUrl that is relative",
    members: () => ({ strings: undefined, stringsUrl: "/strings.ndjson" }),
  },
  "strings-url-dead": {
    what: "a stringsUrl where nothing listens",
    members: () => ({ strings: undefined, stringsUrl: NO_URL }),
  },
  "file-null": { what: "a file that is null", members: () => ({ file: null }) },
  "file-missing": { what: "no file", members: () => ({ file: undefined }) },
  "targets-null": { what: "targetLanguages that are null", members: () => ({ targetLanguages: null }) },
  "source-missing": { what: "no sourceLanguage", members: () => ({ sourceLanguage: undefined }) },
  "project-missing": { what: "no project", members: () => ({ project: undefined }) },
  "job-type": { what: "another jobType", members: () => ({ jobType: "app-sim" }) },
};

const strangeCheck: ImportCheck = importCheck(
  {
    id: "import.request.types",
    title: "The app answers jobs with missing members, or members of other types, without a server error",
    severity: "should",
    why: "A crash says nothing to whoever imports the file, and may bring down what else the app does.",
    mend: `Check the members that the app uses. ${clear}`,
  },
  {
    run: async (tools) => {
      for (const [role, { members }] of Object.entries(strange)) {
        const request = await tools.request();
        const { json } = request.body as { readonly json: ImportJob };
        await tools.send(role, withMembers(request, members(json)) ?? request);
      }
    },
    judge: (evidence) => {
      for (const [role, { what }] of Object.entries(strange)) {
        const reply = readImport(evidence, role)?.reply;
        if (reply?.kind === "broken") return faulty(strangeCheck, `the app ${reply.says} to a job with ${what}`);
      }
      return PASSED;
    },
  },
);

const needed = ["strings-object", "strings-text", "strings-url-number", "strings-url-dead", "strings-url-relative"];

/** Jobs whose strings cannot be read: like a job without any. */
const noStringsCheck: ImportCheck = importCheck(
  {
    id: "import.request.unreadable-strings",
    title: "The app refuses a job whose strings it cannot read",
    why: silent,
    mend: clear,
  },
  {
    run: async (tools) => {
      for (const role of needed) {
        const request = await tools.request();
        const { json } = request.body as { readonly json: ImportJob };
        await tools.send(role, withMembers(request, strange[role]?.members(json) ?? {}) ?? request);
      }
      await submitPlainByUrl(tools);
    },
    judge: (evidence) => {
      for (const role of needed) {
        const reply = readImport(evidence, role)?.reply;
        if (reply === undefined || reply.kind === "refused" || reply.kind === "broken") continue;
        const untaken = untakenByUrl(evidence, reply);
        return untaken ?? faulty(noStringsCheck, `the app ${reply.says} to a job with ${strange[role]?.what}`);
      }
      return PASSED;
    },
  },
);

const emptyCheck: ImportCheck = importCheck(
  {
    id: "import.request.no-string-at-all",
    title: "The app answers a job whose list of strings is empty",
    severity: "should",
    why: "A file may have nothing to translate. It must not bring the app down.",
    mend: "Expect lists to be empty.",
  },
  {
    run: async (tools) => {
      await tools.submit("empty", await tools.request((job) => ({ ...job, strings: [] })));
    },
    judge: (evidence) => {
      const reply = readImport(evidence, "empty")?.reply;
      if (reply === undefined) return skipVerdict("it was not sent");
      return reply.kind === "accepted" || reply.kind === "refused"
        ? PASSED
        : faulty(emptyCheck, `the app ${reply.says}`);
    },
  },
);

const surrogate: ImportCheck = importCheck(
  {
    id: "import.request.lone-surrogate",
    title: "The app answers a job with half a character in a text without a server error",
    section: "RFC 8259, 8.2",
    severity: "should",
    why: "JSON can hold a surrogate without its other half, and files that were cut do. It must not bring the app down.",
    mend: "Replace it by U+FFFD, or answer error.message.",
  },
  {
    run: async (tools) => {
      const request = await tools.request();
      const [first] = plainStrings();
      const strings = [{ ...first, text: "Half \ud83c a character " }];
      await tools.submit("half", withMembers(request, { strings }) ?? request);
    },
    judge: (evidence) => {
      const reply = readImport(evidence, "half")?.reply;
      return reply?.kind === "broken" ? faulty(surrogate, `the app ${reply.says}`) : PASSED;
    },
  },
);

/** Checks of requests that are broken (hardening I2). */
export const importRequestChecks: readonly (ImportCheck | TwinCheck)[] = [
  ...noJobs,
  byGet,
  ...alternativeChecks,
  strangeCheck,
  noStringsCheck,
  emptyCheck,
  surrogate,
];

import type { Evidence, TwinCheck, Verdict } from "../checking/check.ts";
import { type RequestParts, withMembers } from "../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { ImportJob } from "../protocol/import-job.ts";
import { type ImportCheck, type ImportFacts, importCheck, submitPlainByUrl, untakenByUrl } from "./check.ts";
import { readImport } from "./reading.ts";
import { plainStrings } from "./strings.ts";
import type { ImportTools } from "./tools.ts";

const silent = "An import that did nothing looks like a success. People search for their strings, and see no reason.";
const clear = 'Answer {"error": {"message": …}}, which the platform shows, or a 4XX.';

type TwinFacts = ImportFacts & Pick<TwinCheck, "changes" | "twin">;

function badTwin(facts: TwinFacts): TwinCheck {
  return { area: "import", section: "2.4", severity: "must", right: "refused", ...facts };
}

const withBytes = (bytes: string) => (request: RequestParts) => ({ ...request, body: { bytes: Buffer.from(bytes) } });

/** Requests without a valid job (hardening I2). */
const noJobs: readonly TwinCheck[] = [
  badTwin({
    id: "import.request.no-strings",
    title: "The app refuses a job with neither strings nor stringsUrl",
    section: "2.3",
    changes: "json.strings",
    why: silent,
    fix: clear,
    twin: (request) => withMembers(request, { strings: undefined }),
  }),
  badTwin({
    id: "import.request.bad-json",
    title: "The app refuses a body that is not JSON",
    changes: "body",
    why: silent,
    fix: clear,
    twin: withBytes('{"jobType": "file-post-import", "strings": ['),
  }),
  badTwin({
    id: "import.request.empty",
    title: "The app refuses an empty body",
    changes: "body",
    why: silent,
    fix: clear,
    twin: withBytes(""),
  }),
  badTwin({
    id: "import.request.array",
    title: "The app refuses a body that is a JSON array",
    changes: "body",
    why: silent,
    fix: clear,
    twin: withBytes("[]"),
  }),
  badTwin({
    id: "import.request.null",
    title: "The app refuses a body that is null",
    changes: "body",
    why: silent,
    fix: clear,
    twin: withBytes("null"),
  }),
];

const byGet: ImportCheck = importCheck(
  {
    id: "import.request.get",
    title: "The app accepts no import by GET",
    section: "4.2",
    why: "Links and previews send GET requests, which must not do what a POST does.",
    fix: "Answer 405 to methods other than POST.",
  },
  {
    run: async (tools) => {
      await tools.send("get", { ...(await tools.request()), method: "GET" });
    },
    // Any page may be at the same address: only an import would be wrong.
    judge: (evidence) => {
      const answered = readImport(evidence, "get");
      return answered?.verdict?.kind === "strings" ? faulty(byGet, `the app ${answered.reply.says}`) : PASSED;
    },
  },
);

/** The requests shared by the checks of alternatives and of the file. */
const ALTERNATIVES = "import.alternatives";
const NO_URL = "http://127.0.0.1:9/app-sim";

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

async function sendAlternatives(tools: ImportTools): Promise<void> {
  for (const [role, { change }] of Object.entries(alternatives)) {
    const request = await tools.request();
    const { json } = request.body as { readonly json: ImportJob };
    await tools.send(role, { ...request, body: { json: change(json) } });
  }
}

/**
 * An app may not need the file, or may use one of two alternatives: only an app that refuses some of these but not
 * others has forgotten something.
 */
const alternativeChecks: readonly ImportCheck[] = Object.entries(alternatives).map(([role, { facts }]) => {
  const check: ImportCheck = importCheck(
    {
      severity: "should",
      ...facts,
      why: "Such a job is broken, and the result is arbitrary. The app refuses similar ones, but not this one.",
      fix: clear,
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
  // An app that refuses neither of the first two does not use the file, and need not check it.
  const telling = role === "both-strings" ? Object.keys(alternatives) : ["base64", "no-content"];
  if (!telling.some((each) => kindOf(each)?.kind === "refused")) {
    return skipVerdict("the app does not use this: it refuses none of these jobs");
  }
  return faulty(check, `the app ${reply.says}, although it refuses other jobs that are broken this way`);
}

/** Jobs with a missing value, or one of another type: an app need not check it, but must not crash. */
const strange: Readonly<
  Record<string, { readonly what: string; readonly members: (job: ImportJob) => Readonly<Record<string, unknown>> }>
> = {
  "strings-object": { what: "strings that are an object", members: () => ({ strings: {} }) },
  "strings-text": { what: "strings that are a string", members: () => ({ strings: "all of them" }) },
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
    what: "labels that are a string",
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
    why: "A crash tells the user nothing, and may take down the rest of the app.",
    fix: `Check the members that the app uses. ${clear}`,
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

/** Jobs whose strings cannot be read, like a job without any. */
const noStringsCheck: ImportCheck = importCheck(
  {
    id: "import.request.unreadable-strings",
    title: "The app refuses a job whose strings it cannot read",
    why: silent,
    fix: clear,
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
    why: "A file may have nothing to translate. It must not crash the app.",
    fix: "Expect that lists may be empty.",
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
    title: "The app answers a job with a lone surrogate in a text without a server error",
    section: "RFC 8259, 8.2",
    severity: "should",
    why: "JSON can hold a surrogate without its other half, and truncated files do. It must not crash the app.",
    fix: "Replace it with U+FFFD, or answer error.message.",
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

/** Checks of broken requests (hardening I2). */
export const importRequestChecks: readonly (ImportCheck | TwinCheck)[] = [
  ...noJobs,
  byGet,
  ...alternativeChecks,
  strangeCheck,
  noStringsCheck,
  emptyCheck,
  surrogate,
];

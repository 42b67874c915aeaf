import type { TwinCheck } from "../checking/check.ts";
import type { Reply } from "../checking/reply.ts";
import { type RequestParts, withMembers } from "../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { ImportJob } from "../protocol/import-job.ts";
import { alternativeChecks, CLEAR_ERROR } from "./alternatives.ts";
import {
  type ImportCheck,
  type ImportFacts,
  importCheck,
  submitByUrl,
  submitPlainByUrl,
  untakenByUrl,
  withFileOf,
} from "./check.ts";
import { readImport } from "./reading.ts";
import { plainStrings } from "./strings.ts";

const silent = "An import that did nothing looks like a success. People search for their strings, and see no reason.";

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
    fix: CLEAR_ERROR,
    twin: (request) => withMembers(request, { strings: undefined }),
  }),
  badTwin({
    id: "import.request.bad-json",
    title: "The app refuses a body that is not JSON",
    changes: "body",
    why: silent,
    fix: CLEAR_ERROR,
    twin: withBytes('{"jobType": "file-post-import", "strings": ['),
  }),
  badTwin({
    id: "import.request.empty",
    title: "The app refuses an empty body",
    changes: "body",
    why: silent,
    fix: CLEAR_ERROR,
    twin: withBytes(""),
  }),
  badTwin({
    id: "import.request.array",
    title: "The app refuses a body that is a JSON array",
    changes: "body",
    why: silent,
    fix: CLEAR_ERROR,
    twin: withBytes("[]"),
  }),
  badTwin({
    id: "import.request.null",
    title: "The app refuses a body that is null",
    changes: "body",
    why: silent,
    fix: CLEAR_ERROR,
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

const NO_URL = "http://127.0.0.1:9/app-sim";

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
  "labels-null": {
    what: "labels that are null",
    members: () => ({ strings: plainStrings().map((each) => ({ ...each, labels: null })) }),
  },
  "translations-null": {
    what: "translations that are null",
    members: () => ({ strings: plainStrings().map((each) => ({ ...each, translations: null })) }),
  },
  "attributes-null": {
    what: "attributes that are null",
    members: () => ({ strings: plainStrings().map((each) => ({ ...each, attributes: null })) }),
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
    fix: `Check the members that the app uses. ${CLEAR_ERROR}`,
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
    fix: CLEAR_ERROR,
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
    title: "The app answers a job whose list of strings is empty, or whose stringsUrl is an empty file",
    severity: "should",
    why: "A file may have nothing to translate. It must not crash the app.",
    fix: "Expect that lists and files may be empty, and answer with an empty list or a message: some languages write an empty list as null.",
  },
  {
    run: async (tools) => {
      await tools.submit("empty", await tools.request((job) => ({ ...job, strings: [] })));
      await submitByUrl(withFileOf(tools, []), "empty-file", "");
      await submitPlainByUrl(tools);
    },
    judge: (evidence) => {
      const replies = ["empty", "empty-file"].map((role) => readImport(evidence, role)?.reply);
      const [inline, byUrl] = replies;
      if (inline === undefined || byUrl === undefined) return skipVerdict("it was not sent");
      const isAnswer = ({ kind }: Reply) => kind === "accepted" || kind === "refused";
      if (!isAnswer(inline)) return faulty(emptyCheck, `the app ${inline.says}`);
      if (isAnswer(byUrl)) return PASSED;
      return (
        untakenByUrl(evidence, byUrl) ?? faulty(emptyCheck, `to an empty file at stringsUrl, the app ${byUrl.says}`)
      );
    },
  },
);

const HALF = "Half \ud83ca character ";

const surrogate: ImportCheck = importCheck(
  {
    id: "import.request.lone-surrogate",
    title:
      "The app answers a job with a lone surrogate in a text without a server error, and drops no character silently",
    section: "RFC 8259, 8.2",
    severity: "should",
    why: "JSON can hold a surrogate without its other half, and truncated files do. It must not crash the app, and a text from which a character has disappeared is wrong, too.",
    fix: "Replace it with U+FFFD, or answer error.message.",
  },
  {
    run: async (tools) => {
      const request = await tools.request();
      const [first] = plainStrings();
      const strings = [{ ...first, text: HALF }];
      await tools.submit("half", withMembers(request, { strings }) ?? request);
    },
    judge: (evidence) => {
      const answered = readImport(evidence, "half");
      if (answered?.reply.kind === "broken") return faulty(surrogate, `the app ${answered.reply.says}`);
      const texts = (answered?.strings ?? []).map(({ text }) => (typeof text === "string" ? text.trim() : ""));
      return texts.includes(HALF.replace("\ud83c", "").trim())
        ? faulty(surrogate, "the text came back without it, and without a character in its place")
        : PASSED;
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

import { elsewhere } from "../checking/canary.ts";
import type { Evidence, Verdict } from "../checking/check.ts";
import { READ_OF } from "../checking/evidence.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { ImportJob } from "../protocol/import-job.ts";
import {
  type ImportCheck,
  type ImportFacts,
  importCheck,
  submitPlainByUrl,
  untakenByUrl,
  withFileAt,
} from "./check.ts";
import { effectDifference, effectOf } from "./effect.ts";
import { type ReadImport, readImport, saysWhatIsWrong } from "./reading.ts";
import { alikeStrings, linesOfStrings } from "./strings.ts";
import type { ImportTools, ServedFile } from "./tools.ts";

const strings = () => alikeStrings(40);
/** A file of forty strings. */
export const fortyLines = () => linesOfStrings(strings());
/** A line ending in the middle of the file: a reader that ignores the length sees only complete lines. */
const middle = () => Buffer.byteLength(linesOfStrings(strings().slice(0, 20)));

/** Sends a job whose strings are at this address. */
export async function submitStringsAt(tools: ImportTools, role: string, stringsUrl: string): Promise<Exchange> {
  const request = await tools.request((job) => {
    const { strings: _, ...rest } = job;
    return { ...rest, stringsUrl };
  });
  return tools.submitPatiently(role, request);
}

/** Whether an app said no in a way that users see, or at least without a crash. */
function isClearNo(exchange: Exchange, kind: string): boolean {
  return kind === "refused" || (kind === "broken" && saysWhatIsWrong(exchange));
}

/** A check of strings at an address that does not deliver them completely: the import must fail. */
function badStrings(facts: ImportFacts, what: string, file: () => ServedFile): ImportCheck {
  const check: ImportCheck = importCheck(facts, {
    run: async (tools) => {
      await tools.serving("bad", file(), (url) => submitStringsAt(tools, "bad", url));
      await submitPlainByUrl(tools);
    },
    judge: (evidence) => {
      const answered = readImport(evidence, "bad", strings());
      if (answered === null) return skipVerdict("it was not sent");
      const { exchange, reply } = answered;
      if (isClearNo(exchange, reply.kind)) return PASSED;
      return untakenByUrl(evidence, reply) ?? faulty(check, `the app ${reply.says}, although ${what}`);
    },
  });
  return check;
}

const partial =
  "A part of the file, or nothing, is mistaken for the whole. Missing strings may be removed from the project.";
const bound = "Check status and length of the fetched file, and answer error.message if it is incomplete.";

const stringsHosts: readonly ImportCheck[] = [
  badStrings(
    {
      id: "import.strings-host.not-found",
      title: "An import fails if stringsUrl answers 404",
      why: partial,
      fix: bound,
    },
    "stringsUrl answers 404",
    () => ({
      content: '{"error":{"message":"not found"}}\n',
      status: 404,
      headers: { "content-type": "application/json" },
    }),
  ),
  badStrings(
    {
      id: "import.strings-host.error-with-strings",
      title: "An import fails if stringsUrl answers 500, whatever the body",
      why: partial,
      fix: bound,
    },
    "stringsUrl answers 500",
    () => ({ content: linesOfStrings(strings().slice(0, 3)), status: 500 }),
  ),
  badStrings(
    {
      id: "import.strings-host.cut-off",
      title: "An import fails if stringsUrl is truncated",
      why: partial,
      fix: bound,
    },
    "stringsUrl is cut off after half of its bytes",
    () => ({ content: fortyLines(), breaksAfter: middle() }),
  ),
  badStrings(
    {
      id: "import.strings-host.cut-off-chunked",
      title: "An import fails if stringsUrl ends before the last chunk",
      why: partial,
      fix: bound,
    },
    "stringsUrl is cut off before its last chunk",
    () => ({ content: fortyLines(), breaksAfter: middle(), isSized: false }),
  ),
  badStrings(
    {
      id: "import.strings-host.short-length",
      title: "An import fails if stringsUrl ends within a line",
      why: partial,
      fix: bound,
    },
    "stringsUrl ends in the middle of a line, as its Content-Length says",
    () => ({ content: fortyLines(), headers: { "content-length": String(middle() - 20) } }),
  ),
];

/** Strings at an address that delivers them in an unusual way: an app may refuse, but must not lose strings. */
function unusualStrings(
  facts: ImportFacts,
  what: string,
  serve: (tools: ImportTools, submit: (role: string, url: string) => Promise<unknown>) => Promise<unknown>,
  further: (check: ImportCheck, evidence: Evidence) => Verdict | null = () => null,
): ImportCheck {
  const check: ImportCheck = importCheck(facts, {
    run: async (tools) => {
      await tools.serving("plain", { content: fortyLines() }, (url) => submitStringsAt(tools, "plain", url));
      await serve(tools, (role, url) => submitStringsAt(tools, role, url));
      await tools.serving("again", { content: fortyLines() }, (url) => submitStringsAt(tools, "again", url));
    },
    judge: (evidence) => {
      const unusual = readImport(evidence, "unusual", strings());
      if (unusual === null) return skipVerdict("it was not sent");
      const untaken = unusual.reply.kind === "unclear" ? untakenByUrl(evidence, unusual.reply) : null;
      return further(check, evidence) ?? untaken ?? judgeUnusual(check, evidence, unusual, what);
    },
  });
  return check;
}

/** Whether the reader of the file sent credentials. */
function credentialSent(evidence: Evidence, role: string): string | null {
  const read = evidence.steps.find((step) => step.role === role + READ_OF)?.exchange;
  const header = read?.request.headers.find(
    ([name, value]) =>
      /^(?:authorization|cookie|proxy-authorization|x-api-key|x-auth-token)$/i.test(name) ||
      /\beyJ[\w-]+\.[\w-]+\./.test(value),
  );
  return header?.[0] ?? null;
}

const noCredentials = (role: string) => (check: ImportCheck, evidence: Evidence) => {
  const name = credentialSent(evidence, role);
  return name === null ? null : faulty(check, `the app sent the header ${name} to another server`);
};

const leaks = "The owner of that server gets a credential of the app or of the platform, and can use it.";
const noLeak = "Fetch files without credentials, and do not follow redirects with them.";

const unusualHosts: readonly ImportCheck[] = [
  unusualStrings(
    {
      id: "import.strings-host.redirect",
      title: "A redirect of stringsUrl to another server gets no credentials, and loses no strings",
      why: leaks,
      fix: noLeak,
    },
    "stringsUrl redirects to another server",
    (tools, submit) =>
      tools.serving("target", { content: fortyLines() }, (target) =>
        tools.serving("unusual", { content: "", status: 302, headers: { location: elsewhere(target) } }, (url) =>
          submit("unusual", url),
        ),
      ),
    noCredentials("target"),
  ),
  unusualStrings(
    {
      id: "import.strings-host.foreign",
      title: "A stringsUrl at another server gets no credentials, and loses no strings",
      why: leaks,
      fix: noLeak,
    },
    "stringsUrl is at another server",
    (tools, submit) => tools.serving("target", { content: fortyLines() }, (url) => submit("unusual", elsewhere(url))),
    noCredentials("target"),
  ),
  unusualStrings(
    {
      id: "import.strings-host.slow",
      title: "A stringsUrl that pauses loses no strings",
      why: partial,
      fix: "Wait for the end of the file, and answer error.message if it does not arrive in time.",
    },
    "stringsUrl pauses in the middle",
    (tools, submit) =>
      tools.serving("unusual", { content: fortyLines(), pauseMs: 700 }, (url) => submit("unusual", url)),
  ),
  unusualStrings(
    {
      id: "import.strings-host.redirect-loop",
      title: "A stringsUrl that redirects to itself fails the import",
      why: "An app that follows redirects endlessly never answers, and serves nobody else meanwhile.",
      fix: "Follow no redirects, or only a few.",
    },
    "stringsUrl redirects to itself",
    (tools, submit) =>
      tools.serving("unusual", { content: "", status: 302, headers: { location: "?again" } }, (url) =>
        submit("unusual", url),
      ),
  ),
  {
    ...badStrings(
      {
        id: "import.strings-host.hangs",
        title: "A stringsUrl that never ends is abandoned in time",
        section: "8",
        isSlow: true,
        why: "The platform waits for 2 minutes. Then users see that the import failed, but not why.",
        fix: "Stop fetching after a minute or so, and answer error.message.",
      },
      "stringsUrl never ends",
      () => ({ content: fortyLines(), pauseMs: 150_000 }),
    ),
  },
];

const localFile: ImportCheck = importCheck(
  {
    id: "import.strings-host.local-file",
    title: "The app does not read its own disk for a stringsUrl that starts with file:",
    why: "Anybody who can send a job could read any file of the app's machine: the answer returns its strings.",
    fix: "Fetch only http and https; some URL functions read files, too.",
  },
  {
    run: async (tools) => void (await submitStringsAt(tools, "local", "file:///dev/null")),
    judge: (evidence) => {
      const answered = readImport(evidence, "local", strings());
      if (answered === null || answered.reply.kind !== "accepted") return PASSED;
      return faulty(localFile, `the app ${answered.reply.says}, as if it had received the strings in the file`);
    },
  },
);

/**
 * A check of a source file that cannot be fetched: an app that does not need it may continue, but must not lose
 * strings.
 */
function badContent(facts: ImportFacts, what: string, file: ServedFile): ImportCheck {
  const send = async (tools: ImportTools, role: string, served: ServedFile) => {
    await tools.serving(role, served, async (contentUrl) => {
      const request = await tools.request((job) => ({ ...job, strings: [...strings()] }));
      await tools.submitPatiently(role, withFileAt(request, contentUrl));
    });
  };
  const check: ImportCheck = importCheck(facts, {
    run: async (tools) => {
      const { body } = await tools.request((job) => ({ ...job, strings: [...strings()] }));
      const content = Buffer.from((body as { readonly json: ImportJob }).json.file.content ?? "", "base64");
      await send(tools, "plain", { content });
      await send(tools, "unusual", file);
      await send(tools, "again", { content });
    },
    judge: (evidence) => {
      const unusual = readImport(evidence, "unusual", strings());
      return unusual === null ? skipVerdict("it was not sent") : judgeUnusual(check, evidence, unusual, what);
    },
  });
  return check;
}

/** The verdict on a job with an unusual file server: an app may refuse, or must produce its usual result. */
function judgeUnusual(check: ImportCheck, evidence: Evidence, unusual: ReadImport, what: string): Verdict {
  if (isClearNo(unusual.exchange, unusual.reply.kind)) return PASSED;
  if (unusual.reply.kind !== "accepted") return faulty(check, `the app ${unusual.reply.says}: ${what}`);
  const answers = ["plain", "again"].map((role) => readImport(evidence, role, strings()));
  const [before, again] = answers.map((answer) => answer && effectOf(answer, strings()));
  const after = effectOf(unusual, strings());
  if (!before || !again || after === null) return skipVerdict("the journal does not have its complete answers");
  if (effectDifference(before, again) !== null) return skipVerdict("its answers to the same job differ");
  const difference = effectDifference(before, after);
  return difference === null ? PASSED : faulty(check, `${what}, and ${difference}`);
}

const contentHosts: readonly ImportCheck[] = [
  badContent(
    {
      id: "import.content-host.not-found",
      title: "A contentUrl that answers 404 is reported, or does no harm",
      why: partial,
      fix: bound,
    },
    "contentUrl answers 404",
    { content: '{"error":{"message":"not found"}}', status: 404 },
  ),
  badContent(
    {
      id: "import.content-host.cut-off",
      title: "A contentUrl that is cut off is reported, or does no harm",
      why: partial,
      fix: bound,
    },
    "contentUrl is cut off",
    { content: '{"greeting":"Hello","farewell":"See you soon"}', breaksAfter: 12 },
  ),
];

/** Checks of unusual servers of strings and files (hardening I4). */
export const importHostChecks: readonly ImportCheck[] = [...stringsHosts, ...unusualHosts, localFile, ...contentHosts];

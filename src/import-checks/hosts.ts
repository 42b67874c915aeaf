import { elsewhere } from "../checking/canary.ts";
import type { Evidence, Verdict } from "../checking/check.ts";
import { A_MOMENT_SECONDS } from "../checking/moment.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Exchange } from "../journal/exchange.ts";
import {
  type ImportCheck,
  type ImportFacts,
  importCheck,
  submitPlainByUrl,
  unreadByUrl,
  untakenByUrl,
} from "./check.ts";
import { contentHostChecks } from "./content-hosts.ts";
import { readImport } from "./reading.ts";
import { linesOfStrings } from "./strings.ts";
import type { ImportTools, ServedFile } from "./tools.ts";
import {
  ABANDON_FILE,
  ENDLESS_FILE,
  ENDLESS_MS,
  FETCH_COMPLETELY,
  FETCH_WITHOUT_CREDENTIALS,
  fortyStrings,
  isClearNo,
  judgeUnusual,
  LEAKED_CREDENTIAL,
  noCredentials,
  PARTIAL_FILE,
  redirectTo,
} from "./unusual-host.ts";

/** A file of forty strings. */
export const fortyLines = () => linesOfStrings(fortyStrings());
/** A line ending in the middle of the file: a reader that ignores the length sees only complete lines. */
const middle = () => Buffer.byteLength(linesOfStrings(fortyStrings().slice(0, 20)));

/** Sends a job whose strings are at this address. */
export async function submitStringsAt(tools: ImportTools, role: string, stringsUrl: string): Promise<Exchange> {
  const request = await tools.request((job) => {
    const { strings: _, ...rest } = job;
    return { ...rest, stringsUrl };
  });
  return tools.submitPatiently(role, request);
}

/** Something wrong with the file of strings, in words, and how to serve it. */
type BadFile = readonly [what: string, file: () => ServedFile];

/** A check of strings at addresses that do not deliver them completely: each import must fail. */
function badStrings(facts: ImportFacts, ...files: readonly BadFile[]): ImportCheck {
  const roleOf = (index: number) => `bad-${index + 1}`;
  const check: ImportCheck = importCheck(facts, {
    run: async (tools) => {
      for (const [index, [, file]] of files.entries()) {
        await tools.serving(roleOf(index), file(), (url) => submitStringsAt(tools, roleOf(index), url));
      }
      await submitPlainByUrl(tools);
    },
    judge: (evidence) => {
      const answers = files.flatMap(([what], index) => {
        const answered = readImport(evidence, roleOf(index), fortyStrings());
        return answered === null ? [] : [{ what, ...answered }];
      });
      if (answers.length === 0) return skipVerdict("it was not sent");
      const taken = answers.find(({ exchange, reply }) => !isClearNo(exchange, reply.kind));
      const untaken = untakenByUrl(evidence, (taken ?? answers[0])?.reply);
      if (taken === undefined) return untaken ?? PASSED;
      const { reply, what } = taken;
      return untaken ?? unreadByUrl(evidence) ?? faulty(check, `the app ${reply.says}, although ${what}`);
    },
  });
  return check;
}

const stringsHosts: readonly ImportCheck[] = [
  badStrings(
    {
      id: "import.strings-host.not-found",
      title: "An import fails if stringsUrl answers 404",
      why: PARTIAL_FILE,
      fix: FETCH_COMPLETELY,
    },
    [
      "stringsUrl answers 404",
      () => ({
        content: '{"error":{"message":"not found"}}\n',
        status: 404,
        headers: { "content-type": "application/json" },
      }),
    ],
    // For code that ignores the status, this is a file without strings.
    ["stringsUrl answers 404 and an empty body", () => ({ content: "", status: 404 })],
  ),
  badStrings(
    {
      id: "import.strings-host.error-with-strings",
      title: "An import fails if stringsUrl answers 500, whatever the body",
      why: PARTIAL_FILE,
      fix: FETCH_COMPLETELY,
    },
    ["stringsUrl answers 500", () => ({ content: linesOfStrings(fortyStrings().slice(0, 3)), status: 500 })],
  ),
  badStrings(
    {
      id: "import.strings-host.cut-off",
      title: "An import fails if stringsUrl is truncated",
      why: PARTIAL_FILE,
      fix: FETCH_COMPLETELY,
    },
    ["stringsUrl is cut off after half of its bytes", () => ({ content: fortyLines(), breaksAfter: middle() })],
  ),
  badStrings(
    {
      id: "import.strings-host.cut-off-chunked",
      title: "An import fails if stringsUrl ends before the last chunk",
      why: PARTIAL_FILE,
      fix: FETCH_COMPLETELY,
    },
    [
      "stringsUrl is cut off before its last chunk",
      () => ({ content: fortyLines(), breaksAfter: middle(), isSized: false }),
    ],
  ),
  badStrings(
    {
      id: "import.strings-host.short-length",
      title: "An import fails if stringsUrl ends within a line",
      why: PARTIAL_FILE,
      fix: FETCH_COMPLETELY,
    },
    [
      "stringsUrl ends in the middle of a line, as its Content-Length says",
      () => ({ content: Buffer.from(fortyLines()).subarray(0, middle() - 20) }),
    ],
  ),
];

/** A warning about an app that waits for no slow server: a refused file is no lost string, but nobody can import it. */
function givesUpSoon(_: ImportCheck, evidence: Evidence): Verdict | null {
  const [slow, ...others] = ["unusual", "plain", "again"].map((role) => readImport(evidence, role, fortyStrings()));
  const isRefused = slow != null && isClearNo(slow.exchange, slow.reply.kind);
  if (!isRefused || !others.every((other) => other?.reply.kind === "accepted")) return null;
  return {
    result: "warn",
    reason: `stringsUrl paused for ${A_MOMENT_SECONDS} seconds, and the app ${slow.reply.says}: the platform waits for 2 minutes`,
  };
}

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
      const unusual = readImport(evidence, "unusual", fortyStrings());
      if (unusual === null) return skipVerdict("it was not sent");
      const untaken = untakenByUrl(evidence, unusual.reply);
      return further(check, evidence) ?? untaken ?? judgeUnusual(check, evidence, unusual, what);
    },
  });
  return check;
}

const unusualHosts: readonly ImportCheck[] = [
  unusualStrings(
    {
      id: "import.strings-host.redirect",
      title: "A redirect of stringsUrl to another server gets no credentials, and loses no strings",
      why: LEAKED_CREDENTIAL,
      fix: FETCH_WITHOUT_CREDENTIALS,
    },
    "stringsUrl redirects to another server",
    (tools, submit) =>
      tools.serving("target", { content: fortyLines() }, (target) =>
        tools.serving("unusual", redirectTo(elsewhere(target)), (url) => submit("unusual", url)),
      ),
    noCredentials("target"),
  ),
  unusualStrings(
    {
      id: "import.strings-host.foreign",
      title: "A stringsUrl at another server gets no credentials, and loses no strings",
      why: LEAKED_CREDENTIAL,
      fix: FETCH_WITHOUT_CREDENTIALS,
    },
    "stringsUrl is at another server",
    (tools, submit) => tools.serving("target", { content: fortyLines() }, (url) => submit("unusual", elsewhere(url))),
    noCredentials("target"),
  ),
  unusualStrings(
    {
      id: "import.strings-host.slow",
      title: "A stringsUrl that pauses loses no strings",
      why: PARTIAL_FILE,
      fix: "Wait for the end of the file, and answer error.message if it does not arrive in time.",
    },
    "stringsUrl pauses in the middle",
    (tools, submit) =>
      tools.serving("unusual", { content: fortyLines(), pauseMs: A_MOMENT_SECONDS * 1000 }, (url) =>
        submit("unusual", url),
      ),
    givesUpSoon,
  ),
  unusualStrings(
    {
      id: "import.strings-host.redirect-loop",
      title: "A stringsUrl that redirects to itself fails the import",
      why: "An app that follows redirects endlessly never answers, and serves nobody else meanwhile.",
      fix: "Follow no redirects, or only a few.",
    },
    "stringsUrl redirects to itself",
    (tools, submit) => tools.serving("unusual", redirectTo("?again"), (url) => submit("unusual", url)),
  ),
  {
    ...badStrings(
      {
        id: "import.strings-host.hangs",
        title: "A stringsUrl that never ends is abandoned in time",
        section: "8",
        isSlow: true,
        why: ENDLESS_FILE,
        fix: ABANDON_FILE,
      },
      ["stringsUrl never ends", () => ({ content: fortyLines(), pauseMs: ENDLESS_MS })],
    ),
  },
];

/** An empty file of most systems. */
const LOCAL_FILE = "file:///dev/null";

const localFile: ImportCheck = importCheck(
  {
    id: "import.strings-host.local-file",
    title: "The app does not read its own disk for a stringsUrl that starts with file:",
    why: "Anybody who can send a job could read any file on the app's machine: the answer returns its strings.",
    fix: "Fetch only http and https; some URL functions read files, too.",
  },
  {
    run: async (tools) => {
      await submitStringsAt(tools, "local", LOCAL_FILE);
      await submitPlainByUrl(tools);
    },
    judge: (evidence) => {
      const answered = readImport(evidence, "local", fortyStrings());
      if (answered === null || answered.reply.kind !== "accepted")
        return untakenByUrl(evidence, answered?.reply) ?? PASSED;
      const says = `the app ${answered.reply.says}, as if it had read ${LOCAL_FILE}`;
      return unreadByUrl(evidence) ?? faulty(localFile, says);
    },
  },
);

/** Checks of unusual servers of strings and files (hardening I4). */
export const importHostChecks: readonly ImportCheck[] = [
  ...stringsHosts,
  ...unusualHosts,
  localFile,
  ...contentHostChecks,
];

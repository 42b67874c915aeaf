import { elsewhere } from "../checking/canary.ts";
import type { Evidence, Verdict } from "../checking/check.ts";
import { skipVerdict } from "../checking/verdict.ts";
import type { ImportJob } from "../protocol/import-job.ts";
import { type ImportCheck, type ImportFacts, importCheck, withFileAt } from "./check.ts";
import { readImport } from "./reading.ts";
import type { ImportTools, ServedFile } from "./tools.ts";
import {
  ABANDON_FILE,
  ENDLESS_FILE,
  ENDLESS_MS,
  FETCH_COMPLETELY,
  FETCH_WITHOUT_CREDENTIALS,
  fortyStrings,
  judgeUnusual,
  LEAKED_CREDENTIAL,
  noCredentials,
  PARTIAL_FILE,
  redirectTo,
} from "./unusual-host.ts";

/** The roles of the unusual file, and of the one to which it redirects. */
const [UNUSUAL, TARGET] = ["unusual", "target"] as const;

/** Serves a source file in an unusual way, and submits the job that names it. */
type ServeUnusually = (
  tools: ImportTools,
  usual: ServedFile,
  submit: (url: string) => Promise<unknown>,
) => Promise<unknown>;

/** Serves this file instead of the usual one. */
const serving =
  (file: ServedFile): ServeUnusually =>
  (tools, _usual, submit) =>
    tools.serving(UNUSUAL, file, submit);

/**
 * A check of a source file that is served in an unusual way: an app that does not need it may continue, but must not
 * lose strings.
 * @param further a fault beyond those of the answer; default none
 */
function unusualContent(
  facts: ImportFacts,
  what: string,
  serve: ServeUnusually,
  further: (check: ImportCheck, evidence: Evidence) => Verdict | null = () => null,
): ImportCheck {
  const check: ImportCheck = importCheck(facts, {
    run: async (tools) => {
      const request = () => tools.request((job) => ({ ...job, strings: [...fortyStrings()] }));
      const { file } = ((await request()).body as { readonly json: ImportJob }).json;
      const usual = { content: Buffer.from(file.content ?? "", "base64") };
      const submitAs = (role: string) => async (url: string) =>
        tools.submitPatiently(role, withFileAt(await request(), url));
      await tools.serving("plain", usual, submitAs("plain"));
      await serve(tools, usual, submitAs(UNUSUAL));
      await tools.serving("again", usual, submitAs("again"));
    },
    judge: (evidence) => {
      const [unusual, usual] = [UNUSUAL, "plain"].map((role) => readImport(evidence, role, fortyStrings()));
      if (unusual == null || usual == null) return skipVerdict("it was not sent");
      if (usual.reply.kind === "refused")
        return skipVerdict(`the app ${usual.reply.says} to a job with an ordinary contentUrl`);
      return further(check, evidence) ?? judgeUnusual(check, evidence, unusual, what);
    },
  });
  return check;
}

/** Checks of unusual servers of source files (hardening I4). */
export const contentHostChecks: readonly ImportCheck[] = [
  unusualContent(
    {
      id: "import.content-host.not-found",
      title: "A contentUrl that answers 404 is reported, or does no harm",
      why: PARTIAL_FILE,
      fix: FETCH_COMPLETELY,
    },
    "contentUrl answers 404",
    serving({ content: '{"error":{"message":"not found"}}', status: 404 }),
  ),
  unusualContent(
    {
      id: "import.content-host.cut-off",
      title: "A contentUrl that is cut off is reported, or does no harm",
      why: PARTIAL_FILE,
      fix: FETCH_COMPLETELY,
    },
    "contentUrl is cut off",
    serving({ content: '{"greeting":"Hello","farewell":"See you soon"}', breaksAfter: 12 }),
  ),
  unusualContent(
    {
      id: "import.content-host.foreign",
      title: "A contentUrl at another server gets no credentials, and loses no strings",
      why: LEAKED_CREDENTIAL,
      fix: FETCH_WITHOUT_CREDENTIALS,
    },
    "contentUrl is at another server",
    (tools, usual, submit) => tools.serving(UNUSUAL, usual, (url) => submit(elsewhere(url))),
    noCredentials(UNUSUAL),
  ),
  unusualContent(
    {
      id: "import.content-host.redirect",
      title: "A redirect of contentUrl to another server gets no credentials, and loses no strings",
      why: LEAKED_CREDENTIAL,
      fix: FETCH_WITHOUT_CREDENTIALS,
    },
    "contentUrl redirects to another server",
    (tools, usual, submit) =>
      tools.serving(TARGET, usual, (target) => tools.serving(UNUSUAL, redirectTo(elsewhere(target)), submit)),
    noCredentials(TARGET),
  ),
  unusualContent(
    {
      id: "import.content-host.hangs",
      title: "A contentUrl that never ends is abandoned in time",
      section: "8",
      isSlow: true,
      why: ENDLESS_FILE,
      fix: ABANDON_FILE,
    },
    "contentUrl never ends",
    serving({
      content: '{"greeting":"Hello",\n"thanks":"Thank you",\n"farewell":"See you soon"}\n',
      pauseMs: ENDLESS_MS,
    }),
  ),
];

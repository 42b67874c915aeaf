import { elsewhere } from "../checking/canary.ts";
import type { Evidence, Verdict } from "../checking/check.ts";
import { skipVerdict } from "../checking/verdict.ts";
import type { ImportJob } from "../protocol/import-job.ts";
import { type ImportCheck, type ImportFacts, importCheck, withFileAt } from "./check.ts";
import { readImport } from "./reading.ts";
import type { ImportTools, ServedFile } from "./tools.ts";
import {
  FETCH_COMPLETELY,
  FETCH_WITHOUT_CREDENTIALS,
  fortyStrings,
  judgeUnusual,
  LEAKED_CREDENTIAL,
  noCredentials,
  PARTIAL_FILE,
} from "./unusual-host.ts";

/** How a source file is served in an unusual way. */
interface UnusualContent {
  /** Default the usual file. */
  readonly file?: ServedFile;
  /** The address of the file in the job; default that at the platform. */
  readonly addressOf?: (url: string) => string;
  /** A fault beyond those of the answer; default none. */
  readonly further?: (check: ImportCheck, evidence: Evidence) => Verdict | null;
}

/**
 * A check of a source file that is served in an unusual way: an app that does not need it may continue, but must not
 * lose strings.
 */
function unusualContent(facts: ImportFacts, what: string, content: UnusualContent): ImportCheck {
  const { file, addressOf, further = () => null } = content;
  const send = async (tools: ImportTools, role: string, served: ServedFile, named = (url: string) => url) => {
    await tools.serving(role, served, async (url) => {
      const request = await tools.request((job) => ({ ...job, strings: [...fortyStrings()] }));
      await tools.submitPatiently(role, withFileAt(request, named(url)));
    });
  };
  const check: ImportCheck = importCheck(facts, {
    run: async (tools) => {
      const { body } = await tools.request((job) => ({ ...job, strings: [...fortyStrings()] }));
      const usual = Buffer.from((body as { readonly json: ImportJob }).json.file.content ?? "", "base64");
      await send(tools, "plain", { content: usual });
      await send(tools, "unusual", file ?? { content: usual }, addressOf);
      await send(tools, "again", { content: usual });
    },
    judge: (evidence) => {
      const unusual = readImport(evidence, "unusual", fortyStrings());
      if (unusual === null) return skipVerdict("it was not sent");
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
    { file: { content: '{"error":{"message":"not found"}}', status: 404 } },
  ),
  unusualContent(
    {
      id: "import.content-host.cut-off",
      title: "A contentUrl that is cut off is reported, or does no harm",
      why: PARTIAL_FILE,
      fix: FETCH_COMPLETELY,
    },
    "contentUrl is cut off",
    { file: { content: '{"greeting":"Hello","farewell":"See you soon"}', breaksAfter: 12 } },
  ),
  unusualContent(
    {
      id: "import.content-host.foreign",
      title: "A contentUrl at another server gets no credentials, and loses no strings",
      why: LEAKED_CREDENTIAL,
      fix: FETCH_WITHOUT_CREDENTIALS,
    },
    "contentUrl is at another server",
    { addressOf: elsewhere, further: noCredentials("unusual") },
  ),
];

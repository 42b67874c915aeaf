import { callApp } from "../../app-client/call-app.ts";
import type { Explanation } from "../../app-client/explain-outcome.ts";
import { explainFileStatus } from "../../app-client/read-answer.ts";
import type { ChoiceReader } from "../../config/choices.ts";
import type { App } from "../../config/schema.ts";
import { forbiddenAddress, judgeAnswerUrl } from "../../platform/answer-url.ts";
import type { ImportFindings } from "../checks/import-findings.ts";
import { importFinding } from "../checks/import-rules.ts";
import type { Ending } from "../files/imported-job.ts";
import type { ImportContext } from "../import-context.ts";

/** A file that an answer names: `data.stringsUrl` or `data.previewUrl` (interface 2.4). */
export interface AnswerFile {
  readonly path: "data.stringsUrl" | "data.previewUrl";
  readonly url: string;
  readonly sizeLimit: number;
  /** Takes the file as it comes. */
  readonly take: (chunk: Buffer) => void | Promise<void>;
}

/** What came of it: how many bytes came, in which exchange, and why the import fails, if it does. */
export interface FetchedFile {
  readonly bytes: number;
  readonly exchanges: readonly string[];
  readonly ending: Ending | null;
}

/**
 * Fetches, once, a file that the app's answer names: without credentials, without following redirects, from the app's
 * own origin or one that is allowed (hardening S21).
 */
export async function fetchAnswerFile(
  context: ImportContext,
  choices: ChoiceReader,
  app: App,
  module: string,
  { path, url, sizeLimit, take }: AnswerFile,
  findings: ImportFindings,
): Promise<FetchedFile> {
  const judged = judgeAnswerUrl(url, [new URL(app.url).origin, ...app.fileOrigins]);
  if (!judged.ok) {
    findings.add(importFinding("import.file.address", path, judged.reason, url));
    return { bytes: 0, exchanges: [], ending: failed(path, judged) };
  }
  const called = await callApp(context, "import-file", module, {
    method: "GET",
    url: judged.url.href,
    headers: [["Accept-Encoding", "identity"]],
    body: new Uint8Array(),
    timeoutMs: choices.get("postImport.fetch.timeout"),
    sizeLimit,
    take,
    mayConnectTo: forbiddenAddress,
  });
  const { record } = called;
  const came = { bytes: record.response?.body.size ?? 0, exchanges: [record.id] };
  if (called.ok && called.answer.status === 200) return { ...came, ending: null };
  const why = called.ok ? explainFileStatus(called.answer) : called;
  // What is wrong within the file is a finding of its own.
  if (record.outcome.kind !== "cut-off") findings.add(importFinding("import.file.fetched", path, why.reason, url));
  const hint = record.outcome.kind === "too-large" ? tooLargeHints[path] : why.hint;
  return { ...came, ending: { ...failed(path, { ...why, hint }), failure: called.ok ? "other" : called.failure } };
}

/** What to try where that is something else for a file than for a module. */
const tooLargeHints: Readonly<Record<AnswerFile["path"], string>> = {
  "data.stringsUrl": "allow more with --choose postImport.fetch.size=BYTES",
  "data.previewUrl": "a preview may be as large as an answer",
};

function failed(path: string, { reason, hint }: Explanation): Ending {
  return { reason: `${path}: ${reason}`, hint, failure: "other" };
}

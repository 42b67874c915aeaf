import { callApp } from "../../app-client/call-app.ts";
import type { Explanation } from "../../app-client/explain-outcome.ts";
import { explainFileStatus } from "../../app-client/explain-status.ts";
import { StopReading } from "../../app-client/ports.ts";
import type { ChoiceReader } from "../../config/choices.ts";
import { platformAddress } from "../../config/platform-address.ts";
import type { App } from "../../config/schema.ts";
import { forbiddenAddress, judgeAnswerUrl } from "../../platform/answer-url.ts";
import { harmlessLine } from "../../protocol/harmless.ts";
import { sizeLimit } from "../../protocol/limits.ts";
import { createLineSplitter } from "../../protocol/ndjson.ts";
import { type AnsweredParts, type AnsweredPreview, brokenReason } from "../checks/import-answer.ts";
import type { ImportFindings } from "../checks/import-findings.ts";
import { importFinding } from "../checks/import-rules.ts";
import { fileRequest } from "../files/file-request.ts";
import { lineLimits } from "../files/read-lines.ts";
import type { ImportContext } from "../import-context.ts";
import type { Via } from "../import-result.ts";
import type { ImportFailure } from "./imported-job.ts";
import type { StringsJudge } from "./strings-judge.ts";

/** What reading the strings and the preview of an answer needs. */
export interface AnswerContext {
  readonly context: ImportContext;
  readonly choices: ChoiceReader;
  readonly app: App;
  /** Key of the module. */
  readonly module: string;
  readonly judge: StringsJudge;
  readonly findings: ImportFindings;
}

/** Strings and preview of an answer, as far as read. */
export interface AnswerParts {
  readonly via: Via;
  /** Of the file of strings; null if they are in the answer itself. */
  readonly bytes: number | null;
  readonly preview: { readonly via: Via; readonly html: Buffer } | null;
  readonly exchanges: readonly string[];
  /** Why the import fails, if it does. */
  readonly failure: ImportFailure | null;
}

/** A file that an answer names (interface 2.4). */
interface AnswerFile {
  readonly path: "data.stringsUrl" | "data.previewUrl";
  readonly url: string;
  readonly sizeLimit: number;
  readonly take: (chunk: Buffer) => void;
}

/** Reads the strings of an answer, wherever they are, and then its preview (interface 2.4). */
export class AnswerReader {
  readonly #with: AnswerContext;

  constructor(context: AnswerContext) {
    this.#with = context;
  }

  async read({ strings, preview }: AnsweredParts): Promise<AnswerParts> {
    const { judge, findings } = this.#with;
    const read = strings.via === "inline" ? this.#takeValues(strings) : await this.#readStrings(strings.url);
    const parts = { ...read, preview: null, failure: read.failure ?? this.#broken() };
    if (read.failure !== null || preview === null) return parts;
    const shown = await this.#readPreview(preview);
    const exchanges = [...parts.exchanges, ...shown.exchanges];
    const failure = shown.failure ?? this.#broken();
    if (failure !== null || !judge.hasPlurals) return { ...parts, exchanges, preview: shown.preview, failure };
    const path = preview.via === "inline" ? "data.preview" : "data.previewUrl";
    findings.add(importFinding("import.preview.plurals", path, "is ignored, because there are plural strings"));
    return { ...parts, exchanges, failure };
  }

  #takeValues({ values, notes }: Extract<AnsweredParts["strings"], { via: "inline" }>) {
    for (const [index, value] of values.entries()) this.#with.judge.takeValue(value, notes.get(index) ?? []);
    return { via: "inline" as const, bytes: null, exchanges: [], failure: null };
  }

  async #readStrings(url: string) {
    const { context, choices, judge, findings } = this.#with;
    const splitter = createLineSplitter(lineLimits);
    let wrong = null as string | null;
    const takeLines = ({ lines, fault }: ReturnType<typeof splitter.push>) => {
      for (const line of lines) wrong ??= judge.takeLine(line);
      if (wrong === null) context.onProgress({ what: "strings received", done: judge.received });
      wrong ??= fault;
    };
    const fetched = await this.#fetch({
      path: "data.stringsUrl",
      url,
      sizeLimit: choices.get("postImport.fetch.size"),
      take(chunk) {
        takeLines(splitter.push(chunk));
        if (wrong !== null) throw new StopReading(wrong);
      },
    });
    if (fetched.failure === null && wrong === null) {
      takeLines(splitter.end());
      wrong &&= wrong + cutText(wrong);
    }
    if (wrong === null) return { ...fetched, via: "url" as const };
    findings.add(importFinding("import.file.lines", "data.stringsUrl", wrong));
    return { ...fetched, via: "url" as const, failure: this.#broken() };
  }

  async #readPreview(preview: AnsweredPreview): Promise<Omit<AnswerParts, "via" | "bytes">> {
    const { choices, findings } = this.#with;
    if (preview.via === "inline") {
      const { html, base64 } = preview;
      if (html !== null) return { preview: { via: "inline", html }, exchanges: [], failure: null };
      findings.add(importFinding("import.preview.content", "data.preview", notBase64(base64), base64));
      return { preview: null, exchanges: [], failure: null };
    }
    const { url } = preview;
    const chunks: Buffer[] = [];
    const { exchanges, failure } = await this.#fetch({
      path: "data.previewUrl",
      url,
      // A preview has the size limit of an answer.
      sizeLimit: sizeLimit(choices.get("limits.size")),
      take: (chunk) => void chunks.push(chunk),
    });
    const html = Buffer.concat(chunks);
    if (failure !== null) return { preview: null, exchanges, failure };
    if (html.length > 0) return { preview: { via: "url", html }, exchanges, failure };
    findings.add(importFinding("import.preview.content", "data.previewUrl", "is the address of an empty file", url));
    return { preview: null, exchanges, failure };
  }

  /**
   * Fetches, once, a file that the answer names: without credentials, without following redirects, from the app's own
   * origin or an allowed one (hardening S21).
   */
  async #fetch({ path, url, sizeLimit, take }: AnswerFile): Promise<Omit<AnswerParts, "via" | "preview">> {
    const { context, choices, app, module, findings } = this.#with;
    const judged = judgeAnswerUrl(url, [new URL(app.url).origin, ...app.fileOrigins], platformAddress(context.config));
    if (!judged.ok) {
      findings.add(importFinding("import.file.address", path, judged.reason, url));
      return { bytes: 0, exchanges: [], failure: notFetched(path, judged) };
    }
    const called = await callApp(context, {
      purpose: "import-file",
      module,
      ...fileRequest(choices, { url: judged.url.href, sizeLimit, take }),
      mayConnectTo: forbiddenAddress,
    });
    const { record } = called;
    const fetched = { bytes: record.response?.body.size ?? 0, exchanges: [record.id] };
    if (called.ok && called.answer.status === 200) return { ...fetched, failure: null };
    const why = called.ok ? explainFileStatus(called.answer) : called;
    // Faults inside the file are separate findings.
    if (record.outcome.kind !== "cut-off") findings.add(importFinding("import.file.fetched", path, why.reason, url));
    const hint = record.outcome.kind === "too-large" ? tooLargeHints[path] : why.hint;
    const failure = called.ok ? "other" : called.failure;
    return { ...fetched, failure: { ...notFetched(path, { ...why, hint }), failure } };
  }

  /** The failure of an answer with a fault, or null. */
  #broken(): ImportFailure | null {
    const { fault, faults } = this.#with.findings;
    return fault && { reason: brokenReason(fault, faults), hint: null, failure: "other" };
  }
}

/** Why a preview cannot be decoded. */
function notBase64(text: string): string {
  const [prefix] = /^data:[^,]{0,80},/.exec(text) ?? [];
  if (prefix !== undefined) return `is not valid base64: leave out the prefix ${harmlessLine(prefix)}`;
  return text.trimStart().startsWith("<") ? "is HTML, and not the base64 of it: encode it" : "is not valid base64";
}

/** The likely cause of truncated JSON in the last line of a file without a final line feed. */
function cutText(wrong: string): string {
  const isUnfinished = /is not valid JSON: (Unterminated|Unexpected end|Expected)/.test(wrong);
  return isUnfinished ? "; the file ends in this line, without a line feed: was it truncated?" : "";
}

const tooLargeHints: Readonly<Record<AnswerFile["path"], string>> = {
  "data.stringsUrl": "allow more with --choose postImport.fetch.size=BYTES",
  "data.previewUrl": "a preview may be as large as an answer",
};

function notFetched(path: string, { reason, hint }: Explanation): ImportFailure {
  return { reason: `${path}: ${reason}`, hint, failure: "other" };
}

import { StopReading } from "../../app-client/ports.ts";
import type { ChoiceReader } from "../../config/choices.ts";
import type { App } from "../../config/schema.ts";
import { sizeLimit } from "../../protocol/limits.ts";
import { createLineSplitter } from "../../protocol/ndjson.ts";
import { type AnsweredPreview, brokenReason, type ImportVerdict } from "../checks/import-answer.ts";
import type { ImportFindings } from "../checks/import-findings.ts";
import { importFinding } from "../checks/import-rules.ts";
import type { Ending } from "../files/imported-job.ts";
import { lineLimits } from "../files/read-lines.ts";
import type { ImportContext } from "../import-context.ts";
import type { Via } from "../import-result.ts";
import { fetchAnswerFile } from "./fetch-answer-file.ts";
import type { StringsJudge } from "./judge-strings.ts";

type Strings = Extract<ImportVerdict, { kind: "strings" }>;

/** What is needed to take the strings and the preview of an answer. */
export interface Taking {
  readonly context: ImportContext;
  readonly choices: ChoiceReader;
  readonly app: App;
  readonly module: string;
  readonly judge: StringsJudge;
  readonly findings: ImportFindings;
}

/** Strings and preview as far as they came. */
export interface Taken {
  readonly via: Via;
  /** Of the file of strings; null where they came in the answer itself. */
  readonly bytes: number | null;
  readonly preview: { readonly via: Via; readonly html: Buffer } | null;
  readonly exchanges: readonly string[];
  /** Why the import fails, if it does. */
  readonly ending: Ending | null;
}

/** Takes the strings of an answer, wherever they are, and then its preview (interface 2.4). */
export async function takeAnswer(taking: Taking, { strings, preview }: Strings): Promise<Taken> {
  const { judge, findings } = taking;
  const came = strings.via === "inline" ? takeValues(judge, strings) : await takeFile(taking, strings.url);
  const noPreview = { ...came, preview: null };
  if (came.ending !== null || preview === null) return { ...noPreview, ending: came.ending ?? broken(findings) };
  const shown = await takePreview(taking, preview);
  const exchanges = [...came.exchanges, ...shown.exchanges];
  const ending = shown.ending ?? broken(findings);
  if (ending !== null || !judge.hasPlurals) return { ...came, exchanges, preview: shown.preview, ending };
  findings.add(
    importFinding(
      "import.preview.plurals",
      preview.via === "inline" ? "data.preview" : "data.previewUrl",
      "comes with plural strings, and is left out",
    ),
  );
  return { ...noPreview, exchanges, ending };
}

type Came = Omit<Taken, "preview">;

function takeValues(judge: StringsJudge, { values, notes }: Extract<Strings["strings"], { via: "inline" }>): Came {
  for (const [index, value] of values.entries()) judge.takeValue(value, notes.get(index) ?? []);
  return { via: "inline", bytes: null, exchanges: [], ending: null };
}

async function takeFile({ context, choices, app, module, judge, findings }: Taking, url: string): Promise<Came> {
  const splitter = createLineSplitter(lineLimits);
  const takeLines = ({ lines, fault }: ReturnType<typeof splitter.push>): string | null => {
    for (const line of lines) {
      const reason = judge.takeLine(line);
      if (reason !== null) return reason;
    }
    context.onProgress({ what: "strings came", done: judge.received });
    return fault;
  };
  let isStopped = false;
  const stop = (reason: string): StopReading => {
    isStopped = true;
    findings.add(importFinding("import.file.lines", "data.stringsUrl", reason));
    return new StopReading(reason);
  };
  const file = {
    path: "data.stringsUrl",
    url,
    sizeLimit: choices.get("postImport.fetch.size"),
    take(chunk: Buffer) {
      const reason = takeLines(splitter.push(chunk));
      if (reason !== null) throw stop(reason);
    },
  } as const;
  const fetched = await fetchAnswerFile(context, choices, app, module, file, findings);
  if (fetched.ending === null) {
    const reason = takeLines(splitter.end());
    if (reason !== null) stop(reason);
  }
  return { ...fetched, via: "url", ending: isStopped ? brokenBy(findings) : fetched.ending };
}

async function takePreview({ context, choices, app, module, findings }: Taking, preview: AnsweredPreview) {
  if (preview.via === "inline") {
    const { html } = preview;
    if (html !== null) return { preview: { via: "inline" as const, html }, exchanges: [], ending: null };
    findings.add(
      importFinding("import.preview.content", "data.preview", "is not the base64 of anything", preview.base64),
    );
    return { preview: null, exchanges: [], ending: null };
  }
  const chunks: Buffer[] = [];
  const file = {
    path: "data.previewUrl",
    url: preview.url,
    // A preview is as small as an answer.
    sizeLimit: sizeLimit(choices.get("limits.size")),
    take: (chunk: Buffer) => void chunks.push(chunk),
  } as const;
  const { exchanges, ending } = await fetchAnswerFile(context, choices, app, module, file, findings);
  const html = Buffer.concat(chunks);
  if (ending === null && html.length > 0) return { preview: { via: "url" as const, html }, exchanges, ending };
  if (ending === null) {
    findings.add(importFinding("import.preview.content", "data.previewUrl", "names an empty file", preview.url));
  }
  return { preview: null, exchanges, ending };
}

function broken(findings: ImportFindings): Ending | null {
  return findings.fault === null ? null : brokenBy(findings);
}

function brokenBy({ fault, faults }: ImportFindings): Ending {
  return {
    reason: brokenReason(fault ?? undefined, faults),
    hint: null,
    failure: "other",
  };
}

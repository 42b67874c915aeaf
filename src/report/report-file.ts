import path from "node:path";
import { InvalidFlagError } from "../action/flags.ts";

/** What a report is written in, by the end of its file's name. */
export const reportFormats = ["html", "har", "ndjson", "md"] as const;
export type ReportFormat = (typeof reportFormats)[number];

/** The format that the name of a file asks for; null for another one. */
export function reportFormatOf(file: string): ReportFormat | null {
  const end = path.extname(file).slice(1).toLowerCase();
  return reportFormats.find((format) => format === (end === "htm" ? "html" : end)) ?? null;
}

/** Reads the name of a report's file; the flag may be repeated. */
export function readReportFile(text: string, earlier: readonly string[] | undefined): readonly string[] {
  if (reportFormatOf(text) !== null) return [...(earlier ?? []), text];
  throw new InvalidFlagError(`Expected a file that ends in ${reportFormats.map((format) => `.${format}`).join(", ")}.`);
}

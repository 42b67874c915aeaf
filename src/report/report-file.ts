import path from "node:path";
import { InvalidFlagError } from "../action/flags.ts";

/** The formats of reports, by file extension. */
export const reportFormats = ["html", "har", "ndjson", "md"] as const;
export type ReportFormat = (typeof reportFormats)[number];

/** The format for the name of a file; null for any other name. */
export function reportFormatOf(file: string): ReportFormat | null {
  const end = path.extname(file).slice(1).toLowerCase();
  return reportFormats.find((format) => format === (end === "htm" ? "html" : end)) ?? null;
}

/** Reads the name of a report's file; the flag may be repeated. */
export function readReportFile(text: string, earlier: readonly string[] | undefined): readonly string[] {
  if (reportFormatOf(text) !== null) return [...(earlier ?? []), text];
  throw new InvalidFlagError(
    `Expected a file name that ends in ${reportFormats.map((format) => `.${format}`).join(", ")}.`,
  );
}

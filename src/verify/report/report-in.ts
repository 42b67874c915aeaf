import type { VerifyResult } from "../../checking/verify-result.ts";
import type { Paint } from "../../output/paint.ts";
import type { ResultEvidence } from "../../platform/result-evidence.ts";
import { verifyText } from "../text/verify-text.ts";
import { githubAnnotations } from "./github-report.ts";
import { junitReport } from "./junit-report.ts";
import { markdownReport } from "./markdown-report.ts";
import { sarifReport } from "./sarif-report.ts";
import { tapReport } from "./tap-report.ts";

/** How the format `text` looks. */
interface TextStyle {
  readonly paint: Paint;
  /** Whether each check that passed or was not tried is listed; default no. */
  readonly isWhole?: boolean;
}

/** The lines of a result in one of the formats; JSON is the result itself. */
export function reportIn(
  format: string,
  result: VerifyResult,
  evidences: ResultEvidence,
  { paint, isWhole = false }: TextStyle,
): string[] {
  switch (format) {
    case "junit":
      return junitReport(result, evidences);
    case "tap":
      return tapReport(result, evidences);
    case "sarif":
      return [JSON.stringify(sarifReport(result, evidences), null, 2)];
    case "github":
      return githubAnnotations(result, evidences);
    case "markdown":
      return markdownReport(result, evidences);
    default:
      return verifyText(result, evidences, paint, isWhole);
  }
}

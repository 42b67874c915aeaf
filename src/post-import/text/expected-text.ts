import type { Paint } from "../../output/paint.ts";
import { markOf, reasonText } from "../../output/text.ts";
import { harmlessLine } from "../../protocol/harmless.ts";
import { withCommas } from "../../protocol/with-commas.ts";
import type { ImportedJob } from "../import-result.ts";
import { againstExpected } from "./changed-fields.ts";
import { changeLines } from "./changed-strings.ts";
import { inset, paragraph } from "./import-words.ts";

/** How the answer compares with the expected one next to the fixture. */
export function expectedLines({ expected, error }: ImportedJob, paint: Paint, details: boolean): string[] {
  if (expected === null) return [];
  const { result, reason, differences } = expected;
  const file = harmlessLine(expected.file);
  const denied = (text: string) => paragraph(paint, `${markOf("denied", paint)} `, { text, paint: paint.bad });
  if (result === "same") return paragraph(paint, `${markOf("passed", paint)} same as expected (${file})`);
  if (result === "written")
    return paragraph(paint, `${markOf("passed", paint)} written: ${file} is now the expected answer`);
  if (result === "not-written") return denied(`not written: ${reasonText(reason ?? "")} (${file})`);
  const { changed, added, removed } = differences;
  const counts = `${withCommas(changed)} different, ${withCommas(added)} not expected, ${withCommas(removed)} missing`;
  // The error of a failed import is already shown, and an answer that breaks the contract cannot be accepted.
  const isFailure = error !== null && reason?.endsWith(`: ${error}`) === true;
  const shown = isFailure ? reason.slice(0, -`: ${error}`.length) : reason;
  const why = [...(shown === null ? [] : [reasonText(shown)]), ...(changed + added + removed === 0 ? [] : [counts])];
  return [
    ...denied(`differs from ${file}: ${why.join("; ")}`),
    ...inset(4, paint, (inner) => changeLines(differences, { sides: againstExpected, paint: inner, details })),
    ...(isFailure ? [] : inset(2, paint, (inner) => paragraph(inner, "hint: --update accepts this answer"))),
  ];
}

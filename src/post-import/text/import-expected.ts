import { fold, indent } from "../../output/layout.ts";
import type { Paint } from "../../output/paint.ts";
import { markOf, reasonText } from "../../output/text.ts";
import { harmlessLine } from "../../protocol/harmless.ts";
import type { ImportedJob } from "../import-result.ts";
import { changeLines } from "./import-changes.ts";
import { againstExpected } from "./import-fields.ts";
import { count } from "./import-words.ts";

type Expected = NonNullable<ImportedJob["expected"]>;

/** How the answer compares with the expected one that lies beside the fixture. */
export function expectedLines(job: ImportedJob, paint: Paint, details: boolean): string[] {
  const { expected } = job;
  if (expected === null) return [];
  const file = harmlessLine(expected.file);
  const line = (mark: string, text: string) => fold(`${mark} ${text}`, paint.width, 2);
  switch (expected.result) {
    case "same":
      return line(markOf("passed", paint), `same as expected (${file})`);
    case "written":
      return line(markOf("passed", paint), `written: ${file} is the expected answer from now on`);
    case "not-written":
      return fold(
        [
          { text: `${markOf("denied", paint)} ` },
          { text: `not written: ${reasonText(expected.reason ?? "")} (${file})`, paint: paint.bad },
        ],
        paint.width,
        2,
      );
    case "different":
      return differentLines(job, expected, paint, details);
  }
}

function differentLines({ error }: ImportedJob, expected: Expected, paint: Paint, details: boolean): string[] {
  const { differences, reason } = expected;
  const within = { ...paint, width: paint.width - 4 };
  const { changed, added, removed } = differences;
  const counts =
    changed + added + removed === 0
      ? []
      : [`${count(changed)} different, ${count(added)} not expected, ${count(removed)} missing`];
  const isTold = `: ${error}`;
  // Why the import failed is told already; and nobody can expect an answer that is none.
  const isFailure = error !== null && reason?.endsWith(isTold) === true;
  const said = isFailure ? reason.slice(0, -isTold.length) : reason;
  const why = [...(said === null ? [] : [reasonText(said)]), ...counts].join("; ");
  return [
    ...fold(
      [
        { text: `${markOf("denied", paint)} ` },
        { text: `differs from ${harmlessLine(expected.file)}: ${why}`, paint: paint.bad },
      ],
      paint.width,
      2,
    ),
    ...indent(changeLines(differences, againstExpected, within, details), 4),
    ...(isFailure ? [] : indent(fold("hint: --update accepts what came", paint.width - 2, 2), 2)),
  ];
}

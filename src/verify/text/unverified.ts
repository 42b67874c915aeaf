import type { CheckResult } from "../../checking/verify-result.ts";
import { fold } from "../../output/layout.ts";
import type { Paint } from "../../output/paint.ts";
import { labelledLines, MARGIN, resultMarks } from "./finding-text.ts";
import { grouped, kindOfCheck, shortIds } from "./groups.ts";

/** A kind of place whose tokens nothing looks at, such as the first calls of guards. */
export interface Unverified {
  /** The check that says so: a request without a token is accepted. */
  readonly cause: string;
  /** What else is found because of that. */
  readonly followers: readonly CheckResult[];
}

/** An app that accepts all of these looks at no token. */
const TELLING = ["missing", "garbage", "other-secret"] as const;

/** Where an app looks at no token: every other finding about tokens there has the same cause, and the same cure. */
export function unverifiedPlaces(checks: readonly CheckResult[]): Unverified[] {
  const found = checks.filter(({ result, known }) => known === null && (result === "fail" || result === "warn"));
  const unverified = grouped(found, placeOf).flatMap(({ members }) => {
    const failed = members.filter(({ result }) => result === "fail").map(({ id }) => id.split(".").at(-1));
    const followers = members.filter(({ id }) => !id.endsWith(".missing"));
    return TELLING.every((name) => failed.includes(name)) ? [followers] : [];
  });
  return grouped(unverified.flat(), ({ id }) => `${kindOfCheck(id)}.missing`).map(({ key, members }) => ({
    cause: key,
    followers: members,
  }));
}

function placeOf({ id, module }: CheckResult): string {
  return JSON.stringify([kindOfCheck(id), module]);
}

/** The findings about tokens at a kind of place as one. */
export function unverifiedText({ cause, followers }: Unverified, paint: Paint): string[] {
  const { sign, word } = resultMarks.fail;
  return [
    ...fold(
      [
        { text: `${sign} ${word}`, paint: paint.bad },
        { text: ` ${followers.length} more of ${shortIds(followers)} follow from ${cause}: no token is looked at` },
        { text: "; --verbose shows each", paint: paint.quiet },
      ],
      paint.width,
      MARGIN,
    ),
    ...labelledLines("fix", ["`app-sim guard --explain LANGUAGE` prints code that verifies a token"], paint),
    "",
  ];
}

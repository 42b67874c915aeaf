import type { TrialCheck } from "../checking/check.ts";
import { readGuardReply } from "../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { FinalTrial } from "./trial.ts";

/** Bits below which a code can be found by brute force. */
export const GUESSED_BITS = 24;
/** More tries than a person needs to type a code. */
const WRONG_CODES = 20;
const GUESS = "guess";
const RIGHT = "right after guesses";

/** The check of codes that are short enough to be typed. */
export const codeTriesCheck: TrialCheck<FinalTrial> = {
  id: "guard.final.code.tries",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: "A short code cannot be found by brute force",
  why: "A code of a few characters can be found by trying them all. An attacker then passes the page without seeing it.",
  fix: "Make codes with at least 128 random bits, or invalidate each after a few wrong tries by its user.",
  async run(tools) {
    const { body } = await tools.prepare();
    const { code } = body !== null && "json" in body ? (body.json as { readonly code?: unknown }) : { code: null };
    if (typeof code !== "string" || !isShortCode(code)) return;
    for (let count = 1; count <= WRONG_CODES; count += 1) {
      await tools.send(GUESS, await tools.request(tools.walker, similarCode(code, count)));
    }
    await tools.send(RIGHT, await tools.request(tools.walker, code));
  },
  judge: ({ steps, read }) => {
    const right = steps.find(({ role }) => role === RIGHT);
    if (right === undefined) return skipVerdict("its codes are too long to be guessed");
    const { kind, says } = read(right.exchange);
    return kind === "accepted"
      ? faulty(codeTriesCheck, `after ${WRONG_CODES} wrong codes the app ${says} to the right one`)
      : PASSED;
  },
};

/** Whether a code is short enough to be found by trying. */
export function isShortCode(code: string): boolean {
  return code !== "" && bitsOf(code) < GUESSED_BITS;
}

/** Maximum entropy in bits of a code with this length and these kinds of characters. */
function bitsOf(code: string): number {
  const kinds: readonly [RegExp, number][] = [
    [/^\d*$/, 10],
    [/^[\da-f]*$/i, 16],
    [/^(?:[\da-z]*|[\dA-Z]*)$/, 36],
  ];
  const [, characters] = kinds.find(([form]) => form.test(code)) ?? [null, 64];
  return code.length * Math.log2(characters);
}

/** Another code of the same kind; its parts change at two speeds, so that none is repeated. */
export function similarCode(code: string, count: number): string {
  return code.replaceAll(/[\da-z]/gi, (letter, index: number) => {
    const steps = index % 2 === 0 ? count : count + Math.floor(count / 10);
    const first = /\d/.test(letter) ? 48 : /[a-z]/.test(letter) ? 97 : 65;
    const size = /\d/.test(letter) ? 10 : 26;
    return String.fromCharCode(first + ((letter.charCodeAt(0) - first + steps) % size));
  });
}

/** Whether an app invalidated a code after wrong tries. */
export function areTriesLimited(exchanges: readonly Exchange[]): boolean {
  const right = exchanges.findLast(({ check }) => check?.id === codeTriesCheck.id && check.role === RIGHT);
  return right !== undefined && readGuardReply(right).kind === "refused";
}

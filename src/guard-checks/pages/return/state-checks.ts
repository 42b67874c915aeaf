import type { CheckFacts, Evidence, Verdict } from "../../../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { EXACT_STATE, KEEP_STATE, type ReturnCheck, returnIn, stateCameBack, stateIn } from "./page-return.ts";

const MOST_CHARACTERS = 1000;
/** An addition to a state that has every reserved character of URLs. */
export const RESERVED = "a&b=c#d?e/f;g,h:i@j$k!l*m(n)~o[p]==";
/** Additions to a random state: an app may accept each state once, and remember it forever. */
const oddStates: readonly (readonly [name: string, what: string, ...odd: readonly string[]])[] = [
  ["reserved", "reserved characters", RESERVED],
  ["plus", "a plus sign", "one+two=three+"],
  // Code that decodes twice often falls back to the state as it is, if a part cannot be decoded.
  ["percent", "percent signs", "10%25%2B%zz%", "10%25%2B%41"],
  ["spaces", "spaces", "one two  three "],
  ["quotes", "quotes and brackets", `"one" 'two' <three> \`four\` \\five`],
  // The last letter is written in two code points, which normalization would join.
  ["unicode", "letters of other scripts", "žluťoučký 状態 حالة 😀 e\u0301"],
  ["long", "1,000 characters", "0123456789".repeat(MOST_CHARACTERS / 10)],
];

/** The additions that the check of this id makes to a state; none: it is about something else. */
export function oddStatesOf(id: string): readonly string[] {
  return oddStates.find(([name]) => id === idOf(name))?.slice(2) ?? [];
}

function idOf(name: string): string {
  return `page.return.state-${name}`;
}

const stateChecks: readonly ReturnCheck[] = oddStates.map(([name, what, ...odds]) => {
  const check: ReturnCheck = {
    id: idOf(name),
    area: "page",
    title: `A state with ${what} comes back unchanged`,
    section: "4.2",
    severity: "must",
    why: EXACT_STATE,
    fix: KEEP_STATE,
    run: async (tools) => {
      for (const [index, odd] of odds.entries()) {
        const state = oddState(tools.madeUp(), odd);
        const { opened, returned } = rolesOf(index);
        await tools.submit(returned, await tools.login(opened, { state }));
      }
    },
    judge: (evidence) => {
      const verdicts = odds.map((_, index) => stateVerdict(check, evidence, rolesOf(index)));
      const found = (wanted: Verdict["result"]) => verdicts.find(({ result }) => result === wanted);
      return found("fail") ?? found("warn") ?? found("skip") ?? PASSED;
    },
  };
  return check;
});

/** A state that no app has seen before, with this addition. */
export function oddState(madeUp: string, odd: string): string {
  return `${madeUp}${odd}`.slice(0, MOST_CHARACTERS);
}

/** The roles of the requests of each login. */
export function rolesOf(index: number) {
  const suffix = index === 0 ? "" : `-${index + 1}`;
  return { opened: `opened${suffix}`, returned: `returned${suffix}` };
}

function stateVerdict(
  check: CheckFacts,
  evidence: Evidence,
  { opened, returned }: ReturnType<typeof rolesOf>,
): Verdict {
  const back = returnIn(evidence, returned);
  if (back === null) {
    const steps = evidence.steps.filter(({ role }) => role === opened || role === returned);
    return neverBack(check, { ...evidence, steps });
  }
  const sent = stateIn(evidence, opened);
  return back.state.length === 1 && back.state[0] === sent ? PASSED : faulty(check, stateCameBack(back));
}

/** The interface does not say which characters a state has: refusing some is not a failure. */
function neverBack(check: CheckFacts, { steps, read, landing }: Evidence): Verdict {
  const last = steps.at(-1);
  if (last === undefined) return skipVerdict("the page was not asked for");
  const { kind, says } = read(last.exchange);
  if (kind === "broken") return faulty(check, `the app ${says}`);
  const status = landing(last.exchange).response?.status ?? 0;
  return {
    result: "warn",
    reason: status >= 400 ? `the app answered ${status}` : "the app did not send the user back",
  };
}

const lineEndCheck: ReturnCheck = {
  id: "page.return.line-ends",
  area: "page",
  title: "A state with line endings cannot inject a header",
  section: "RFC 9110, 5.5",
  severity: "must",
  why: "A line ending in a header starts another one. The author of a link can then set cookies or redirects in the app's name.",
  fix: "Percent-encode the state in the Location, or refuse a state with control characters.",
  run: async (tools) => {
    const state = `${tools.madeUp()}\r\nX-App-Sim: two\r\nSet-Cookie: app-sim=three`;
    await tools.submit("returned", await tools.login("opened", { state }));
  },
  judge: (evidence) => {
    const landings = evidence.steps.map(({ exchange }) => evidence.landing(exchange));
    const headers = landings.flatMap(({ response }) => response?.headers ?? []);
    const isSplit = headers.some(
      ([name, value]) =>
        name.toLowerCase() === "x-app-sim" || (/^set-cookie$/i.test(name) && value.startsWith("app-sim=")),
    );
    if (isSplit) return faulty(lineEndCheck, "the state injected a header into the answer");
    const broken = evidence.steps.find(({ exchange }) => evidence.read(exchange).kind === "broken");
    if (broken !== undefined) return faulty(lineEndCheck, `the app ${evidence.read(broken.exchange).says}`);
    const back = returnIn(evidence, "returned");
    const plain = (text: string | null | undefined) => text?.replaceAll(/\r\n?/g, "\n");
    return back === null || plain(back.state[0]) === plain(stateIn(evidence, "opened"))
      ? PASSED
      : faulty(lineEndCheck, stateCameBack(back));
  },
};

/** The checks of unusual states (hardening P2, P4). */
export const oddStateChecks: readonly ReturnCheck[] = [...stateChecks, lineEndCheck];

import { atOnce } from "../checking/at-once.ts";
import type { Evidence, TrialCheck, TwinCheck, Verdict } from "../checking/check.ts";
import { ANY_ROW, firstHalf, lastHalf } from "../checking/other-value.ts";
import { type RequestParts, withClaims, withMembers } from "../checking/request-parts.ts";
import { faulty, NOTHING_TO_CHANGE, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Exchange } from "../journal/exchange.ts";
import { acceptedBy } from "./accepting-guard.ts";
import { strangersClaims } from "./binding.ts";
import { IPV6_ADDRESS, tellingIpv4 } from "./candidates.ts";
import type { FinalTrial } from "./trial.ts";

type CodeTrial = TrialCheck<FinalTrial>;

const proof =
  "The code is the only proof that this user did what the page asked for. A user who gets in with another code has done nothing.";
const issue =
  "Store each code that the page issues with its user, organization and module, and compare the complete code with the stored one.";
const once = "Delete the code when it is used, in the same step that looks it up.";

/** The code of a final call. */
export function codeOf({ body }: RequestParts): string {
  return body !== null && "json" in body ? String((body.json as { readonly code?: unknown }).code ?? "") : "";
}

/** A final call with another code; undefined from `change`: there is nothing to change. */
export function codeTwin(
  name: string,
  what: string,
  change: (code: string, request: RequestParts) => unknown,
  { right = "refused", severity = "must" }: Partial<Pick<TwinCheck, "right" | "severity">> = {},
): TwinCheck {
  return {
    id: `guard.final.code.${name}`,
    area: "guard",
    section: "3.1",
    severity,
    changes: "json.code",
    title:
      right === "refused"
        ? `The guard refuses a final call ${what}`
        : `The guard answers a final call ${what} without a server error`,
    why: right === "refused" ? proof : "A crash is not a decision, and tells the user nothing.",
    fix: right === "refused" ? issue : "Check the type and the length of a code, and refuse what does not fit.",
    right,
    twin: (request) => {
      const code = change(codeOf(request), request);
      return code === undefined ? null : withMembers(request, { code });
    },
  };
}

const isMixed = (code: string) => /[a-z]/.test(code) && /[A-Z]/.test(code);
const swapped = (code: string) =>
  [...code].map((letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase())).join("");
/** Fewer may be only the padding of base64, and the bits that it does not use. */
const CHARACTERS_MISSING = 4;
const otherLast = (code: string) => `${code.slice(0, -2)}${code.endsWith("00") ? "11" : "00"}`;

const codeTwins: readonly TwinCheck[] = [
  codeTwin("unknown", "with a code that it never issued", (code) => `${[...code].reverse().join("")}0`),
  codeTwin("other-end", "with a code that has another ending", otherLast),
  codeTwin(
    "other-start",
    "with a code that has another beginning",
    (code) => `${code.startsWith("00") ? "11" : "00"}${code.slice(2)}`,
  ),
  codeTwin("empty", "with an empty code", () => ""),
  codeTwin("cut", "with a truncated code", firstHalf),
  // Some code asks whether what it stores begins, or ends, with what it gets.
  codeTwin("end-missing", "with a code without its last characters", (code) => code.slice(0, -CHARACTERS_MISSING)),
  codeTwin("start-missing", "with only the second half of a code", lastHalf),
  codeTwin("longer", "with a code to which something was added", (code) => `${code}x`),
  codeTwin("wildcard", "with a code that is a wildcard", () => "%"),
  codeTwin("wildcard-end", "with a code whose end is a wildcard", (code) => `${firstHalf(code)}%`),
  // Removing characters that no code has is harmless.
  codeTwin("quote", "with a code followed by a quote", (code) => `${code}'`, { severity: "should" }),
  codeTwin("query-text", "with a code followed by SQL", (code) => `${code}${ANY_ROW}`),
  codeTwin(
    "query-condition",
    "with a code followed by an SQL condition that is always true",
    (code) => `${code}' AND '1'='1`,
  ),
  codeTwin("object-member", "whose code is the name of something that every object has", () => "constructor"),
  codeTwin("query-object", "whose code is a database query object", () => ({ $ne: null })),
  codeTwin("true", "whose code is true", () => true),
  codeTwin("number", "whose code is a number", (code) => (/^\d{1,15}$/.test(code) ? undefined : 0)),
  codeTwin("empty-list", "whose code is an empty list", () => []),
  codeTwin("case", "with a code in a different letter case", (code) => (isMixed(code) ? swapped(code) : undefined), {
    severity: "should",
  }),
  codeTwin("list", "whose code is a list", (code) => [code], { right: "decided", severity: "should" }),
  codeTwin("object", "whose code is an object", (code) => ({ code }), { right: "decided", severity: "should" }),
  codeTwin("white-space", "with white space around its code", (code) => ` ${code}\n`, {
    right: "decided",
    severity: "should",
  }),
  codeTwin("huge", "with a code of 10,000 characters", () => "c".repeat(10_000), {
    right: "decided",
    severity: "should",
  }),
];

/** A guard may remember who passed, and many apps treat null as no code: a call without a code distinguishes that. */
const nullCode: CodeTrial = {
  id: "guard.final.code.null",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: "The guard refuses a final call whose code is null",
  why: proof,
  fix: issue,
  async run({ prepare, send, request, walker }) {
    await send("right", await prepare());
    await send("none", await request(walker, null));
    const changed = withMembers(await request(walker, ""), { code: null });
    if (changed !== null) await send("null", changed);
  },
  judge: ({ steps, read }) => {
    const [right, none, changed] = steps.map(({ exchange }) => read(exchange));
    if (right?.kind !== "accepted")
      return skipVerdict(`the app ${right?.says ?? "said nothing"} to a correct final call`);
    if (none?.kind === "accepted") return skipVerdict("the guard no longer asks this user for a code");
    if (changed === undefined) return NOTHING_TO_CHANGE;
    if (changed.kind === "broken") return faulty(nullCode, `the app ${changed.says}, which is not a decision`);
    if (changed.kind === "unclear")
      return { result: "warn", reason: `the app ${changed.says}, which is neither yes nor no` };
    return changed.kind === "accepted" ? faulty(nullCode, `the app ${changed.says}`) : PASSED;
  },
};

/** The final calls about somebody else: with an unknown code, and with the first user's code. */
export const UNKNOWN_CODE = "unknown code";
export const BORROWED_CODE = "borrowed code";

/**
 * Sends a code elsewhere. If a call with a never-issued code is accepted there, the app does not check codes there, and
 * need not.
 * @param told what the verdict says of the accepted call, if not only the answer
 */
export function borrowCheck(
  facts: Pick<CodeTrial, "id" | "title" | "why"> & Partial<Pick<CodeTrial, "choices" | "fix">>,
  nobody: string,
  elsewhere: (tools: FinalTrial, control: RequestParts) => Promise<readonly RequestParts[]>,
  told: (accepted: Exchange) => Partial<Verdict> = () => ({}),
): CodeTrial {
  const check: CodeTrial = {
    area: "guard",
    section: "3.1",
    severity: "must",
    fix: issue,
    ...facts,
    async run(tools) {
      const count = (await elsewhere(tools, await tools.prepare())).length;
      for (let index = 0; index < count; index += 1) {
        const control = await tools.prepare();
        const target = (await elsewhere(tools, control))[index];
        const unknown = target && withMembers(target, { code: tools.madeUp() });
        const borrowed =
          target && withMembers((await elsewhere(tools, control))[index] ?? target, { code: codeOf(control) });
        if (unknown == null || borrowed == null) continue;
        await tools.send(`${UNKNOWN_CODE} ${index}`, unknown);
        await tools.send(`${BORROWED_CODE} ${index}`, borrowed);
      }
    },
    judge: (evidence) => judgeBorrowed(check, evidence, nobody, told),
  };
  return check;
}

/** The verdict on borrowed codes: they must be refused wherever unknown ones are. */
export function judgeBorrowed(
  check: CodeTrial,
  { steps, read }: Evidence,
  nobody: string,
  told: (accepted: Exchange) => Partial<Verdict>,
): Verdict {
  if (steps.length === 0) return skipVerdict(nobody);
  const isRefused = (role: string) =>
    steps.some((step) => step.role === role && read(step.exchange).kind === "refused");
  const telling = steps
    .filter(({ role }) => role.startsWith(BORROWED_CODE) && isRefused(role.replace(BORROWED_CODE, UNKNOWN_CODE)))
    .map(({ exchange }) => ({ exchange, ...read(exchange) }));
  if (telling.length === 0) return skipVerdict("such a call succeeds with any code, so this one proves nothing");
  const accepted = telling.find(({ kind }) => kind === "accepted");
  if (accepted !== undefined) return { ...faulty(check, `the app ${accepted.says}`), ...told(accepted.exchange) };
  const broken = telling.find(({ kind }) => kind === "broken");
  return broken === undefined ? PASSED : { result: "warn", reason: `the app ${broken.says}` };
}

const borrowChecks: readonly CodeTrial[] = [
  borrowCheck(
    {
      id: "guard.final.code.other-user",
      title: "The guard refuses the code of another user",
      why: "Otherwise one user who does what the page asks for opens the door for everybody. The code is proof only for that user.",
    },
    "the guard applies to only one user",
    async ({ otherUser, request }) => (otherUser === null ? [] : [await request(otherUser, "")]),
  ),
  borrowCheck(
    {
      id: "guard.final.token.other-user",
      title: "The guard's final call refuses another user's token, whichever user the body and the code are about",
      choices: ["guard.jwt.claims"],
      why: "The token says whose login it is. If only the body counts, one user's login becomes that of another user, who did pass the page.",
      fix: "Compare the body with the claims of the verified token on the final call, too.",
    },
    "the guard applies to only one user",
    async ({ otherUser, walker, request }) => {
      if (otherUser === null) return [];
      // An app may treat users with an IPv6 address differently.
      const moved = [undefined, IPV6_ADDRESS].map(async (ipAddress = otherUser.ipAddress) =>
        withMembers(await request({ ...otherUser, ipAddress }, ""), { userId: walker.user.id }),
      );
      return (await Promise.all(moved)).filter((each) => each !== null);
    },
  ),
  borrowCheck(
    {
      id: "guard.final.code.other-organization",
      title: "The guard refuses the code of another organization",
      why: "Users of one organization must not open the doors of another. User ids may even be the same in both.",
    },
    "there is no token to change",
    async ({ request, walker }) => {
      const other = await request(walker, "");
      const json = other.body !== null && "json" in other.body ? (other.body.json as Record<string, unknown>) : {};
      const organizationId = Number(json.organizationId) + 1;
      const changed = withClaims(other, strangersClaims(other.token?.claims ?? {}, organizationId));
      const moved = changed && withMembers(changed, { organizationId });
      return moved === null ? [] : [moved];
    },
  ),
  borrowCheck(
    {
      id: "guard.final.code.other-module",
      title: "No other guard accepts the code of this one",
      why: "Each guard asks for something different. Passing one proves nothing to another.",
    },
    "the app has no other guard",
    ({ otherGuards, request, walker }) =>
      Promise.all(
        otherGuards.flatMap((guard) =>
          // A guard without a page may let the user in from some addresses whatever the code.
          [walker.ipAddress, ...(guard.module.type === "direct" ? tellingIpv4 : [])].map((ipAddress) =>
            request({ ...walker, ipAddress }, "", guard),
          ),
        ),
      ),
    acceptedBy,
  ),
];

const reused: CodeTrial = {
  id: "guard.final.code.reused",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: "The guard accepts each code only once",
  why: "Codes end up in URLs, histories and logs. A code that is valid for a second login is a password that nobody chose.",
  fix: once,
  async run({ prepare, send, request, walker, madeUp }) {
    const control = await prepare();
    await send("first", control);
    await send("again", await request(walker, codeOf(control)));
    await send("other", await request(walker, madeUp()));
    // An app that stores only the last used code forgets the previous one.
    await send("next", await prepare());
    await send("again", await request(walker, codeOf(control)));
  },
  judge: ({ steps, read }) => {
    const [first, again, other, , later] = steps.map(({ exchange }) => read(exchange));
    if (first?.kind !== "accepted")
      return skipVerdict(`the app ${first?.says ?? "said nothing"} to a correct final call`);
    if (other?.kind === "accepted") return skipVerdict("the app no longer checks this user's code");
    if (again?.kind === "accepted") return faulty(reused, `the app ${again.says} to a used code`);
    if (later?.kind === "accepted")
      return faulty(reused, `the app ${later.says} to the last code but one, which was used`);
    return again?.kind === "broken" ? { result: "warn", reason: `the app ${again.says}` } : PASSED;
  },
};

const CONCURRENT_CALLS = 5;

const concurrent: CodeTrial = {
  id: "guard.final.code.concurrent",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: `Of ${CONCURRENT_CALLS} simultaneous final calls with one code, only one succeeds`,
  why: "Another call may arrive between looking up a code and deleting it. A quick attacker can use a code twice.",
  fix: once,
  async run({ prepare, send, request, walker, madeUp }) {
    const code = codeOf(await prepare());
    const requests = await Promise.all(Array.from({ length: CONCURRENT_CALLS }, () => request(walker, code)));
    await Promise.all(atOnce(requests).map((each) => send("one", each)));
    await send("other", await request(walker, madeUp()));
  },
  judge: ({ steps, read }) => {
    const replies = steps.filter(({ role }) => role === "one").map(({ exchange }) => read(exchange));
    const other = steps.filter(({ role }) => role === "other").map(({ exchange }) => read(exchange))[0];
    if (other?.kind === "accepted") return skipVerdict("the app no longer checks this user's code");
    const accepted = replies.filter(({ kind }) => kind === "accepted").length;
    if (accepted > 1) return faulty(concurrent, `the app accepted one code in ${accepted} simultaneous calls`);
    const broken = replies.find(({ kind }) => kind === "broken");
    if (broken !== undefined) return { result: "warn", reason: `the app ${broken.says} to one of them` };
    return accepted === 1 ? PASSED : { result: "warn", reason: "the app accepted none of them" };
  },
};

/** The checks of codes that have a correct final call as their control (hardening G14, G15). */
export const codeChecks: readonly (TwinCheck | CodeTrial)[] = [
  ...codeTwins,
  nullCode,
  ...borrowChecks,
  reused,
  concurrent,
];

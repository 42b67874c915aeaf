import { hash } from "node:crypto";
import { sentCookies } from "../../../browser/cookies.ts";
import type { Evidence } from "../../../checking/check.ts";
import { digestBytes } from "../../../checking/derived-values.ts";
import { openlySigned } from "../../../checking/known-secrets.ts";
import { isKeyLike } from "../../../checking/other-value.ts";
import { isLetInAs } from "../../../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { User } from "../../../config/schema.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { harmlessLine } from "../../../protocol/harmless.ts";
import { literalPattern } from "../../../protocol/literal-pattern.ts";
import { percentDecoded } from "../../../protocol/url.ts";
import type { Person } from "../../call.ts";
import { ANY_CODE, OF_NOBODY } from "../any-users-code.ts";
import { textWithOtherInside } from "../form/form.ts";
import { isPassed } from "../walk/answer.ts";
import { cookiesAfter } from "../walk/login.ts";
import type { FormTools } from "../walk/tools.ts";
import { NO_COOKIES, OTHER_STAYS, type ReturnCheck, returnIn } from "./page-return.ts";

const [OPENED_SECOND, RETURNED_SECOND] = ["opened second", "returned second"];
const [FORGED, REDEEMED] = ["forged cookie", "redeemed"];
/** The same for a page on which nothing is filled in. */
const REDEEMED_FREELY = "redeemed, nothing to fill in";
/** Maximum number of cookies that are tried. */
const MOST_COOKIES = 4;

/** The check of cookies that say who has passed the page, and that anybody can write. */
export const forgedCookieCheck: ReturnCheck = {
  id: "page.logins.forged-cookie",
  area: "page",
  title: "A cookie that anybody can write lets nobody pass the page",
  section: "3.1",
  severity: "must",
  why: "A cookie is what the browser sends. If it is a word, a user's id or a hash of that, anybody can write it, and need not pass the page.",
  fix: "Store in the app who has passed the page, under a random key that the cookie holds; or sign the cookie with a secret, and verify the signature.",
  run: async (tools) => {
    const login = await tools.login("opened first");
    const first = cookiesOf(await tools.submit("returned first", login));
    if (login === null || first.size === 0) return;
    const other = tools.other;
    const written = [...first].flatMap(([name, value]) => {
      const forged = writtenFor(value, login.person.user, other.user);
      return forged === null ? [] : [`${name}=${forged}`];
    });
    if (await letsPass(tools, written, other)) return;
    const second = cookiesOf(await tools.submit(RETURNED_SECOND, await tools.login(OPENED_SECOND, { person: other })));
    const same = [...first].filter(([name, value]) => second.get(name) === value && !hasKey(value));
    await letsPass(
      tools,
      same.map(([name, value]) => `${name}=${value}`),
      other,
    );
  },
  judge: (evidence) => {
    const { steps } = evidence;
    if (isLetInAs(OF_NOBODY, steps)) return skipVerdict(ANY_CODE);
    const reason = `a new browser with the cookie ${forgedIn(evidence)}, whose value anybody can write, is not asked`;
    if (isLetInAs(REDEEMED, steps)) return faulty(forgedCookieCheck, reason);
    // Who writes the cookie of such a page could as well press its button.
    if (isLetInAs(REDEEMED_FREELY, steps)) return { result: "warn", reason };
    if (!steps.some(({ role }) => role === OPENED_SECOND)) return NO_COOKIES;
    const isTried = steps.some(({ role }) => role === FORGED) || returnIn(evidence, RETURNED_SECOND) !== null;
    return isTried ? PASSED : skipVerdict(OTHER_STAYS);
  },
};

/** Whether one of these cookies lets a person in who is asked without them. */
async function letsPass(tools: FormTools, cookies: readonly string[], person: Person): Promise<boolean> {
  if (cookies.length === 0 || isPassed(await tools.open("asked", { person }))) return false;
  for (const cookie of cookies.slice(0, MOST_COOKIES)) {
    const landing = await tools.open(FORGED, { person, cookies: cookie });
    const role = Object.keys(tools.configured).length === 0 ? REDEEMED_FREELY : REDEEMED;
    if (await tools.redeem(role, landing, person)) {
      await tools.redeemMadeUp(OF_NOBODY, person);
      return true;
    }
  }
  return false;
}

/** The cookies that a browser has after an answer, by name. */
function cookiesOf(answer: Exchange | null): Map<string, string> {
  return sentCookies([["Cookie", (answer && cookiesAfter(answer)) ?? ""]]);
}

/** The name of the last cookie that was made up: its value may be a password. */
function forgedIn({ steps }: Pick<Evidence, "steps">): string {
  const forged = steps.findLast(({ role }) => role === FORGED);
  const [name = ""] = sentCookies(forged?.exchange.request.headers ?? []).keys();
  return harmlessLine(name);
}

/** Whether a value may hold a key or a secret signature, among other things. */
function hasKey(value: string): boolean {
  const plain = percentDecoded(value) ?? value;
  return (openlySigned(plain)?.content ?? plain).split(/[^\w+/=-]+/).some(isKeyLike);
}

/**
 * The value of a cookie that another user would have, if it is made from the user alone; null: it is not known how it
 * is made. A signature in it stays that of the first user, unless everybody knows its secret.
 */
export function writtenFor(value: string, own: User, other: User): string | null {
  const plain = percentDecoded(value) ?? value;
  const signed = openlySigned(plain);
  if (signed === null) return unsignedFor(value, own, other);
  const content = unsignedFor(signed.content, own, other);
  if (content === null) return null;
  const written = signed.withContent(content);
  return plain === value ? written : encodeURIComponent(written);
}

function unsignedFor(value: string, own: User, other: User): string | null {
  const names = [
    [String(own.id), String(other.id)],
    [own.login, other.login],
  ] as const;
  for (const [mine, theirs] of names) {
    for (const algorithm of Object.keys(digestBytes)) {
      for (const encoding of ["hex", "base64", "base64url"] as const)
        if (hash(algorithm, mine, encoding) === value) return hash(algorithm, theirs, encoding);
    }
  }
  const inside = textWithOtherInside(value, own.id, other.id);
  if (inside !== value) return inside;
  const plain = percentDecoded(value) ?? value;
  const changed = names.reduce((text, [mine, theirs]) => text.replaceAll(wholeWord(mine), () => theirs), plain);
  if (changed === plain) return null;
  return plain === value ? changed : encodeURIComponent(changed);
}

function wholeWord(text: string): RegExp {
  return new RegExp(`(?<![A-Za-z0-9])${literalPattern(text)}(?![A-Za-z0-9])`, "g");
}

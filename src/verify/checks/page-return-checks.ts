import type { Exchange } from "../../journal/exchange.ts";
import { isSamePlace } from "../../protocol/url.ts";
import type { CheckFacts, Evidence, TrialCheck, Verdict } from "../rules/check.ts";
import { everythingIn, type PageReturn, pageOf, redirectTarget, returnOf } from "../rules/page-answer.ts";
import { readGuardReply } from "../rules/reply.ts";
import { faulty, PASSED, skipVerdict } from "../rules/verdict.ts";
import type { FormTools } from "../subjects/page-tools.ts";
import { isNoText } from "./page-frame-checks.ts";
import type { PagePlatform } from "./page-open-checks.ts";

type ReturnCheck = TrialCheck<FormTools>;
type Facts = Omit<CheckFacts, "area" | "section" | "severity"> & Partial<Pick<CheckFacts, "section" | "severity">>;

const stranded =
  "The platform takes the user back at one address, in one form. Anything else ends the login with an error.";
const exactState =
  "The platform finds the login by its state. One that comes back changed belongs to no login, and the user is stranded.";
const keepState =
  "Keep the state as it was read from the query, and encode it once with encodeURIComponent, or what your language has for it.";
const NOT_BACK = "the form did not send the user back";

function lastIn({ steps, landing }: Evidence, role: string): Exchange | null {
  const step = steps.findLast((each) => each.role === role);
  return step === undefined ? null : landing(step.exchange);
}

function returnIn(evidence: Evidence, role: string): PageReturn | null {
  const landing = lastIn(evidence, role);
  return landing && returnOf(landing);
}

/** The state in the page's address, as the app was given it. */
function stateIn({ steps }: Evidence, role: string): string | null {
  const opened = steps.find((step) => step.role === role);
  return opened === undefined ? null : new URL(opened.exchange.request.url).searchParams.get("state");
}

/** A check that passes the page, or fails it, and looks at how the user comes back. */
function lookingBack(
  facts: Facts,
  look: (back: PageReturn, evidence: Evidence) => string | null,
  how: "pass" | "fail" = "pass",
): ReturnCheck {
  const check: ReturnCheck = {
    area: "page",
    section: "4.2",
    severity: "must",
    ...facts,
    run: async (tools) => {
      if (how === "fail") await tools.fail("returned");
      else await tools.submit("returned", await tools.login("opened"));
    },
    judge: (evidence) => {
      const back = returnIn(evidence, "returned");
      if (back === null) return skipVerdict(NOT_BACK);
      const fault = look(back, evidence);
      return fault === null ? PASSED : faulty(check, fault);
    },
  };
  return check;
}

/** What is wrong with the way back, whatever it brings. */
function wayFault({ status }: PageReturn): string | null {
  if (status === null) return "the user came back by a link or element of the page";
  return status === 302 ? null : `the user came back with status ${status}`;
}

function addressFault({ url }: PageReturn, platform: PagePlatform): string | null {
  const right = `${platform.url}/${platform.domain}/guard/callback`;
  const isRight = isSamePlace(url, new URL(right)) && url.pathname === new URL(right).pathname && url.username === "";
  return isRight ? null : `the user was sent to another address than ${right}`;
}

function queryFault({ isInQuery, url }: PageReturn): string | null {
  if (!isInQuery) return "the outcome stands behind #, which no server sees";
  return url.hash === "" ? null : "something stands behind #";
}

function encodingFault({ raw, url }: PageReturn): string | null {
  if (!/^[\x21-\x7e]+$/.test(raw) || /["<>\\^`{|}]/.test(raw)) return "the address has characters that must be encoded";
  try {
    decodeURIComponent(url.search);
    return null;
  } catch {
    return "the query is not percent-encoded UTF-8";
  }
}

function wayChecks(platform: PagePlatform): readonly ReturnCheck[] {
  return [
    lookingBack(
      {
        id: "page.return.status",
        title: "The user is sent back by HTTP 302",
        why: stranded,
        mend: "Answer the form with 302 and the header Location.",
      },
      wayFault,
    ),
    lookingBack(
      {
        id: "page.return.address",
        title: "The user is sent back to {auth_url}/{domain}/guard/callback",
        why: stranded,
        mend: "Build the address from the configured {auth_url} and the organization's domain, and from nothing else.",
      },
      (back) => addressFault(back, platform),
    ),
    lookingBack(
      {
        id: "page.return.query",
        title: "State and code stand in the query",
        why: "A server never sees what is behind #. The login would end without an outcome.",
        mend: "Put state and code behind ?.",
      },
      (back) => queryFault(back) ?? encodingFault(back),
    ),
    lookingBack(
      {
        id: "page.return.outcome",
        title: "The user comes back with one state and one code, and no error",
        why: stranded,
        mend: "Send state and code, or state and error.",
      },
      ({ state, code, error }) => {
        if (state.length !== 1) return state.length === 0 ? "there is no state" : `there are ${state.length} states`;
        if (code.length !== 1) return `there are ${code.length} codes`;
        return error.some((text) => text !== "") ? "there are both a code and an error" : null;
      },
    ),
    lookingBack(
      {
        id: "page.return.state",
        title: "The state comes back unchanged",
        why: exactState,
        mend: keepState,
      },
      ({ state }, evidence) => (state[0] === stateIn(evidence, "opened") ? null : "another state came back"),
    ),
    leadAwayCheck(platform),
    domainCheck(platform),
  ];
}

/** Nobody listens there. */
const ELSEWHERE = "//127.0.0.1:9/app-sim/guard/callback";
const addressParameters: readonly string[] = [
  ...["callback", "callback_url", "callbackUrl", "return", "return_to", "returnTo", "return_url", "returnUrl"],
  ...["redirect", "redirect_to", "redirect_uri", "redirectUri", "redirect_url", "redirectUrl"],
  ...[
    "next",
    "url",
    "uri",
    "target",
    "dest",
    "continue",
    "auth_url",
    "authUrl",
    "base_url",
    "baseUrl",
    "host",
    "origin",
  ],
];

function leadAwayCheck(platform: PagePlatform): ReturnCheck {
  const check: ReturnCheck = {
    id: "page.return.lead-away",
    area: "page",
    title: "Parameters of the page's address do not change where the user is sent",
    section: "4.2",
    severity: "must",
    why: "Anybody can write a link to the page. If it says where the code goes, the code goes to whoever wrote it.",
    mend: "Build the address from the configured {auth_url} and the organization's domain, and from nothing else.",
    run: async (tools) => {
      const domains = Object.fromEntries(["domain", "organization", "org"].map((name) => [name, "app-sim-elsewhere"]));
      for (const [index, address] of [`http:${ELSEWHERE}`, ELSEWHERE].entries()) {
        const query = Object.fromEntries(addressParameters.map((name) => [name, address]));
        const form = await tools.login("opened", { query: { ...query, ...domains } });
        await tools.submit(`returned-${index + 1}`, form);
      }
    },
    judge: (evidence) => {
      const landings = evidence.steps.map(({ exchange }) => evidence.landing(exchange));
      const isAway = landings.some((landing) => {
        const back = returnOf(landing);
        const target = redirectTarget(landing);
        if (back !== null) return addressFault(back, platform) !== null;
        return target !== null && target.url.host === "127.0.0.1:9";
      });
      return isAway ? faulty(check, "the user was sent where the page's address said") : PASSED;
    },
  };
  return check;
}

const OTHER_DOMAIN = "app-sim-other";

function domainCheck(platform: PagePlatform): ReturnCheck {
  const check: ReturnCheck = {
    id: "page.return.domain",
    area: "page",
    title: "The user is sent back to the organization that the token is about",
    section: "4.1",
    severity: "should",
    choices: ["guard.jwt.claims"],
    why: "An app is installed in many organizations. Who is sent to the callback of another one is stranded there.",
    mend: "Take {domain} from the verified token.",
    run: async (tools) => {
      const context = { ...tools.contextClaim, organization_domain: OTHER_DOMAIN };
      await tools.submit("returned", await tools.login("opened", { claims: { domain: OTHER_DOMAIN, context } }));
    },
    judge: (evidence) => {
      const back = returnIn(evidence, "returned");
      // To refuse an organization that it does not know is right.
      if (back === null) return PASSED;
      const fault = addressFault(back, { ...platform, domain: OTHER_DOMAIN });
      return fault === null ? PASSED : faulty(check, "the user was sent to another organization than the token's");
    },
  };
  return check;
}

const oddStates: readonly (readonly [name: string, what: string, state: string])[] = [
  ["reserved", "reserved characters", "a&b=c#d?e/f;g,h:i@j$k!l*m(n)~o[p]"],
  ["plus", "a plus sign", "one+two=three+"],
  ["percent", "percent signs", "10%25%2B%zz%"],
  ["spaces", "spaces", "one two  three "],
  ["quotes", "quotes and brackets", `"one" 'two' <three> \`four\` \\five`],
  ["unicode", "letters of other scripts", "žluťoučký 状態 حالة 😀 é"],
  ["long", "1,000 characters", "0123456789abcdefghijklmnopqrstuvwxyzABCD".repeat(25)],
];

const stateChecks: readonly ReturnCheck[] = oddStates.map(([name, what, state]) => {
  const check: ReturnCheck = {
    id: `page.return.state-${name}`,
    area: "page",
    title: `A state with ${what} comes back unchanged`,
    section: "4.2",
    severity: "must",
    why: exactState,
    mend: keepState,
    run: async (tools) => void (await tools.submit("returned", await tools.login("opened", { state }))),
    judge: (evidence) => {
      const back = returnIn(evidence, "returned");
      if (back === null) return neverBack(check, evidence);
      const sent = stateIn(evidence, "opened");
      return back.state.length === 1 && back.state[0] === sent ? PASSED : faulty(check, "another state came back");
    },
  };
  return check;
});

/** The interface does not say which characters a state has: to refuse some is no failure. */
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
  title: "A state with line ends makes no header of its own",
  section: "RFC 9110, 5.5",
  severity: "must",
  why: "A line end in a header begins another one. Whoever writes the link then sets cookies or redirects in the app's name.",
  mend: "Percent-encode the state in the Location, or refuse a state with control characters.",
  run: async (tools) => {
    const state = "one\r\nX-App-Sim: two\r\nSet-Cookie: app-sim=three";
    await tools.submit("returned", await tools.login("opened", { state }));
  },
  judge: (evidence) => {
    const landings = evidence.steps.map(({ exchange }) => evidence.landing(exchange));
    const headers = landings.flatMap(({ response }) => response?.headers ?? []);
    const isSplit = headers.some(
      ([name, value]) =>
        name.toLowerCase() === "x-app-sim" || (/^set-cookie$/i.test(name) && value.startsWith("app-sim=")),
    );
    if (isSplit) return faulty(lineEndCheck, "the state made a header of the answer");
    const broken = evidence.steps.find(({ exchange }) => evidence.read(exchange).kind === "broken");
    if (broken !== undefined) return faulty(lineEndCheck, `the app ${evidence.read(broken.exchange).says}`);
    const back = returnIn(evidence, "returned");
    const plain = (text: string | null | undefined) => text?.replaceAll(/\r\n?/g, "\n");
    return back === null || plain(back.state[0]) === plain(stateIn(evidence, "opened"))
      ? PASSED
      : faulty(lineEndCheck, "another state came back");
  },
};

const earlyCodeCheck: ReturnCheck = {
  id: "page.code.early",
  area: "page",
  title: "The page holds no code before the user did anything",
  section: "3.1",
  severity: "must",
  why: "The code says that the user passed the check. One that is in the page already can be taken from it without passing.",
  mend: "Issue the code when the user's answer has arrived and is right.",
  run: async (tools) => void (await tools.submit("returned", await tools.login("opened"))),
  judge: (evidence) => {
    const [code] = returnIn(evidence, "returned")?.code ?? [];
    if (code === undefined || code.length < 4) return skipVerdict(NOT_BACK);
    const pages = evidence.steps.filter(({ role }) => role === "opened").map(({ exchange }) => exchange);
    const isThere = pages.some((page) => everythingIn(page).includes(code));
    return isThere ? faulty(earlyCodeCheck, "the page had the code that the form was answered with later") : PASSED;
  },
};

const apart =
  "Users log in at the same time. What one login leaves behind in the app must not reach another: it would open the wrong account, or none.";
const keepApart = "Keep what belongs to a login under its state, and not in a variable that all requests share.";

/** A check with several logins that are open at the same time. */
function severalLogins(
  facts: Pick<CheckFacts, "id" | "title">,
  { count, isOther, isAtOnce }: { readonly count: number; isOther(index: number): boolean; readonly isAtOnce: boolean },
): ReturnCheck {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  const check: ReturnCheck = {
    area: "page",
    section: "3.1",
    severity: "must",
    why: apart,
    mend: keepApart,
    ...facts,
    run: async (tools) => {
      const forms = [];
      for (const index of all) {
        forms.push(await tools.login(`opened-${index}`, isOther(index) ? { person: tools.other } : {}));
      }
      if (forms.includes(null)) return;
      const sent = forms.map((form, index) => () => tools.submit(`returned-${index + 1}`, form));
      const landings = [];
      if (isAtOnce) landings.push(...(await Promise.all(sent.map((send) => send()))));
      else for (const send of sent) landings.push(await send());
      for (const [index, landing] of landings.entries()) {
        const person = forms[index]?.person;
        if (person !== undefined) await tools.redeem(`redeemed-${index + 1}`, landing, person);
      }
    },
    judge: (evidence) => {
      const backs = all.map((index) => returnIn(evidence, `returned-${index}`));
      const codes = backs.flatMap((back) => back?.code[0] ?? []);
      if (codes.length === 0) return skipVerdict("the page is not for both");
      const isOwn = backs.every((back, index) => !back || back.state[0] === stateIn(evidence, `opened-${index + 1}`));
      if (!isOwn) return faulty(check, "one of them came back with the state of another");
      if (codes.length < count) return faulty(check, "only some of them got a code");
      if (new Set(codes).size < count) return faulty(check, "two of them got the same code");
      const redeemed = evidence.steps.filter(({ role }) => role.startsWith("redeemed"));
      const isRefused = redeemed.some(({ exchange }) => readGuardReply(exchange).kind !== "accepted");
      return isRefused ? faulty(check, "the guard refused the code that one of them got") : PASSED;
    },
  };
  return check;
}

const severalLoginChecks: readonly ReturnCheck[] = [
  severalLogins(
    { id: "page.logins.same-user", title: "Two logins of one user keep their states and codes apart" },
    { count: 2, isOther: () => false, isAtOnce: false },
  ),
  severalLogins(
    { id: "page.logins.two-users", title: "Two logins of two users keep their states and codes apart" },
    { count: 2, isOther: (index) => index === 2, isAtOnce: false },
  ),
  severalLogins(
    { id: "page.logins.at-once", title: "Forms that arrive at once keep their states and codes apart" },
    { count: 8, isOther: (index) => index % 2 === 0, isAtOnce: true },
  ),
];

const failing =
  "The platform shows the user why the login ends. Without a reason that people can read, nobody knows what to do next.";

/** The checks of a page that is failed. */
export function failedPageChecks(platform: PagePlatform): readonly ReturnCheck[] {
  const returned: ReturnCheck = {
    id: "page.error.returned",
    area: "page",
    title: "A page that is failed sends the user back with an error and no code",
    section: "4.2",
    severity: "must",
    why: "The platform learns of the failure from the callback only. Without one the user stays on the page; with a code the user is let in.",
    mend: "Redirect to the callback with state and error.",
    run: (tools) => tools.fail("returned"),
    judge: (evidence) => {
      const landing = lastIn(evidence, "returned");
      if (landing === null) return skipVerdict("the page was not asked for");
      const back = returnOf(landing);
      const isAsking = back === null && (pageOf(landing)?.forms.length ?? 0) > 0 && landing.response?.status === 200;
      if (isAsking) return skipVerdict("the page asks on");
      if (back === null) return faulty(returned, `the app ${evidence.read(landing).says}`);
      if (back.code.some((code) => code !== "")) return faulty(returned, "the user came back with a code");
      return back.error.some((text) => text !== "") ? PASSED : faulty(returned, "there is no error");
    },
  };
  return [
    returned,
    lookingBack(
      {
        id: "page.error.way",
        title: "A page that is failed sends the user back as one that is passed does",
        why: stranded,
        mend: "Use the same code for both ways back: 302, the same address, the query.",
      },
      (back) => wayFault(back) ?? addressFault(back, platform) ?? queryFault(back),
      "fail",
    ),
    lookingBack(
      {
        id: "page.error.state",
        title: "The state comes back unchanged with an error",
        why: exactState,
        mend: keepState,
      },
      ({ state }, evidence) =>
        state.length === 1 && state[0] === stateIn(evidence, "returned") ? null : "another state came back, or none",
      "fail",
    ),
    lookingBack(
      {
        id: "page.error.words",
        title: "The error is in words",
        section: "7",
        why: failing,
        mend: "Send a sentence that tells the user why, as text without markup.",
      },
      ({ error: [text = ""] }) => {
        if (isNoText(text)) return "the error is no words";
        if (/<[a-z!/]/i.test(text)) return "the error has markup";
        return /\p{L}{2}/u.test(text) ? null : "the error is no words";
      },
      "fail",
    ),
    lookingBack(
      {
        id: "page.error.encoded",
        title: "The error is URL-encoded once",
        section: "3.1",
        why: "What is not encoded breaks the address apart; what is encoded twice is shown to the user with its percent signs.",
        mend: "Encode the error once with encodeURIComponent, or what your language has for it.",
      },
      (back) => {
        const fault = encodingFault(back);
        if (fault !== null) return fault;
        const [text = ""] = back.error;
        if (text.includes("\ufffd")) return "the error is not in UTF-8";
        return /%[0-9a-f]{2}/i.test(text) ? "the error is encoded twice" : null;
      },
      "fail",
    ),
  ];
}

/** The check of a button that says no. */
export const declineCheck: ReturnCheck = {
  id: "page.error.decline",
  area: "page",
  title: "A button that says no gives no code",
  section: "3.1",
  severity: "must",
  why: "A user who declines must not be let in. Where both buttons do the same, the check means nothing.",
  mend: "Look at which button was pressed, and come back with an error where it says no.",
  run: (tools) => tools.decline("declined"),
  judge: (evidence) => {
    const back = returnIn(evidence, "declined");
    if (back === null) return skipVerdict("no button of the page says no");
    return back.code.some((code) => code !== "") ? faulty(declineCheck, "the user came back with a code") : PASSED;
  },
};

/** The checks of how the page of a redirect guard sends its user back (hardening P3, P4; interface 4.2). */
export function returnChecks(platform: PagePlatform): readonly ReturnCheck[] {
  return [...wayChecks(platform), ...stateChecks, lineEndCheck, earlyCodeCheck, ...severalLoginChecks, declineCheck];
}

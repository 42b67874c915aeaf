import { sentCookies } from "../../../browser/cookies.ts";
import type { CheckFacts, Evidence, TrialCheck, Verdict } from "../../../checking/check.ts";
import { UNGUESSED_BITS, varyingBits } from "../../../checking/randomness.ts";
import { readGuardReply } from "../../../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { GUESSED_BITS } from "../../code-tries.ts";
import { withAddedUser } from "../added-members.ts";
import { ANY_CODE, anyUsersCode, OF_FIRST_USER, OF_NOBODY } from "../any-users-code.ts";
import type { FormTools } from "../walk/tools.ts";
import { buttonsIn } from "./buttons.ts";
import {
  atAddressOf,
  type FormEdit,
  fieldsOf,
  isGuessable,
  userNames,
  withAllOf,
  withCookie,
  withField,
  withFields,
  withForgedToken,
  withOtherInside,
  withUserOutsideBody,
} from "./form.ts";
import { holdsOthersToken } from "./others-token.ts";

type FormCheck = TrialCheck<FormTools>;

const borrowed =
  "Anybody who sends a form can change what it contains. A code for somebody else opens that user's account.";
const boundToToken =
  "Take the user from the verified token, or from a session started with it, never from the form; store the user with the state.";
/** The role of final calls with the codes from the answers to forms. */
export const REDEEMED = "redeemed";

/** A code from the answer to a changed form must not let the other user in. */
function neverForAnother(check: CheckFacts, evidence: Evidence): Verdict {
  if (holdsOthersToken(evidence, ["opened", "opened-other"]))
    return faulty(check, "the page of one user held the token of the other");
  const sent = evidence.steps.filter(({ role }) => role.startsWith("changed"));
  const isRefused = evidence.steps.some(
    ({ role, exchange }) => role === "opened" && (evidence.landing(exchange).response?.status ?? 0) >= 400,
  );
  if (sent.length === 0 && isRefused) return PASSED;
  if (sent.length === 0) return skipVerdict(whyNothing(evidence));
  const redeemed = evidence.steps.find(
    ({ role, exchange }) => role.startsWith(REDEEMED) && readGuardReply(exchange).kind === "accepted",
  );
  if (redeemed !== undefined) return anyUsersCode(evidence) ?? faulty(check, "its code let another user in");
  const broken = sent.find(({ exchange }) => evidence.read(exchange).kind === "broken");
  return broken === undefined ? PASSED : faulty(check, `the app ${evidence.read(broken.exchange).says}`);
}

/** Why no form could be changed: the other user does not reach it, or there is nothing to change in it. */
function whyNothing({ steps }: Evidence): string {
  const walkOf = (opened: string) =>
    steps
      .filter(({ role }) => role === opened)
      .map(({ exchange }) => `${exchange.response?.status} with ${buttonsIn(exchange).length} buttons`);
  const [own, other] = [walkOf("opened"), walkOf("opened-other")];
  return other.length > 0 && other.join() !== own.join()
    ? "another user does not get to the form"
    : "the form sends nothing of this kind";
}

/**
 * A check that sends a user's form with something that belongs to another user, and tries the code for that other user.
 */
function borrowing(
  facts: Pick<CheckFacts, "id" | "title"> & Partial<CheckFacts>,
  edits: (tools: FormTools) => Promise<readonly FormEdit[]>,
): FormCheck {
  const check: FormCheck = {
    area: "page",
    section: "5.1",
    severity: "must",
    why: borrowed,
    fix: boundToToken,
    ...facts,
    run: async (tools) => {
      let isLetIn = false;
      for (const [index, { request }] of (await edits(tools)).entries()) {
        const landing = await tools.send(`changed-${index + 1}`, request);
        isLetIn = (await tools.redeem(`${REDEEMED}-${index + 1}`, landing, tools.other)) || isLetIn;
      }
      if (isLetIn) await tryUnchanged(tools);
    },
    judge: (evidence) => neverForAnother(check, evidence),
  };
  return check;
}

/** Tries for the other user what the guard should refuse whatever the page does. */
async function tryUnchanged(tools: FormTools): Promise<void> {
  await tools.redeemMadeUp(OF_NOBODY, tools.other);
  const landing = await tools.submit("unchanged", await tools.login("opened unchanged"));
  await tools.redeem(OF_FIRST_USER, landing, tools.other);
}

/** The check of a state with which another user has already passed the page. */
const passedStateCheck: FormCheck = {
  id: "page.open.passed-state",
  area: "page",
  title: "The page that a user opens with the state of a user who has passed it gives no code for that user",
  section: "5.1",
  severity: "must",
  why: "An app that finds a code by its state alone gives it to everybody who knows the state. Such a code opens the account of the user who passed.",
  fix: "Store the user with the state, and refuse the state with the token of another user.",
  run: async (tools) => {
    const own = await tools.login("opened-other");
    if ((await tools.submit("passed", own)) === null || own === null) return;
    const second = await tools.login("opened", { person: tools.other, state: own.state });
    const landing = await tools.submit("changed-1", second);
    if (!(await tools.redeem(`${REDEEMED}-1`, landing, own.person))) return;
    // Whether the guard looks at codes at all, once a user has passed the page.
    await tools.submit("unchanged", await tools.login("opened unchanged"));
    await tools.redeemMadeUp(OF_NOBODY, own.person);
    const theirs = await tools.login("opened unchanged", { person: tools.other });
    await tools.redeem(OF_FIRST_USER, await tools.submit("unchanged", theirs), own.person);
  },
  judge: (evidence) => {
    const isBlind = evidence.steps.some(
      ({ role, exchange }) => role === OF_NOBODY && readGuardReply(exchange).kind === "accepted",
    );
    if (isBlind) return skipVerdict(ANY_CODE);
    return neverForAnother(passedStateCheck, evidence);
  },
};

const otherAddress = borrowing(
  {
    id: "page.form.other-address",
    title:
      "A form that is sent to the address of another user's form gets no code for that user, if the address can be guessed",
    why: "Whoever knows the number of one form also knows those of the others. An attacker opens the form of somebody who is logging in, sends it, and gets that user's code.",
    fix: "Store the login under a key of at least 16 random bytes, and put that key in the address; or keep in the browser's session which forms are its own.",
  },
  async (tools) => {
    const other = await tools.login("opened-other", { person: tools.other });
    const own = await tools.login("opened");
    const request = own && other && atAddressOf(own.request, other.request);
    if (own === null || request === null || bitsBetween(own.request.url, request.url) >= UNGUESSED_BITS) return [];
    return [{ name: "address", request }];
  },
);

/** The check of a form at a guessable address. Trying out many addresses takes long if only some of them are forms. */
const otherAddressCheck: FormCheck = {
  ...otherAddress,
  judge: (evidence) => {
    const verdict = otherAddress.judge(evidence);
    const changed = evidence.steps.find(({ role }) => role.startsWith("changed"))?.exchange;
    if (verdict.result !== "fail" || changed === undefined || evidence.before === null) return verdict;
    const bits = bitsBetween(evidence.before.request.url, changed.request.url);
    return bits < GUESSED_BITS ? verdict : { ...verdict, result: "warn" };
  },
};

/** The entropy in bits of the part in which the paths of two forms differ. */
function bitsBetween(one: string, other: string): number {
  return varyingBits([one, other].map((url) => new URL(url).pathname));
}

/** The checks of forms that hold something of another user. */
export const borrowingChecks: readonly FormCheck[] = [
  borrowing(
    {
      id: "page.form.other-state",
      title: "A user's form with the state of another user's login gets no code for that other user",
    },
    async (tools) => {
      const other = await tools.login("opened-other", { person: tools.other });
      const own = await tools.login("opened");
      // Without a token in the form, only the state may say whose login it is.
      if (own === null || other === null || own.request.token === null) return [];
      const request = withFields(own.request, (value) => (value === own.state ? other.state : value));
      return request === null ? [] : [{ name: "state", request }];
    },
  ),
  borrowing(
    {
      id: "page.open.other-state",
      title: "The page that a user opens with the state of another user's login gives no code for that other user",
    },
    async (tools) => {
      const other = await tools.login("opened-other", { person: tools.other });
      const own = other && (await tools.login("opened", { state: other.state }));
      return own === null ? [] : [{ name: "state", request: own.request }];
    },
  ),
  borrowing(
    {
      id: "page.open.shared-state",
      title: "A user's form gets no code for another user who has since opened the page with the same state",
    },
    async (tools) => {
      const own = await tools.login("opened");
      if (own === null || own.request.token === null) return [];
      await tools.login("opened-other", { person: tools.other, state: own.state });
      return [{ name: "state", request: own.request }];
    },
  ),
  passedStateCheck,
  borrowing(
    {
      id: "page.form.other-fields",
      title: "A user's form with a hidden value of another user gets no code for that other user",
    },
    async (tools) => {
      const other = await tools.login("opened-other", { person: tools.other });
      const own = await tools.login("opened");
      if (own === null || other === null) return [];
      const others = new Map(fieldsOf(other.request));
      const edits = fieldsOf(own.request).flatMap(([name, value]) => {
        const foreign = others.get(name);
        if (foreign === undefined || foreign === value || value === own.state || !isGuessable(foreign)) return [];
        const request = withField(own.request, name, foreign);
        return request === null ? [] : [{ name, request }];
      });
      const all = withAllOf(other.request, own.request, { state: other.state, typed: Object.keys(tools.configured) });
      return all === null ? edits : [...edits, { name: "all fields", request: all }];
    },
  ),
  borrowing(
    {
      id: "page.form.other-cookie",
      title: "A user's form with a short cookie of another user gets no code for that other user",
      fix: "Store the login under a key of at least 16 random bytes, and put that key in the cookie.",
    },
    async (tools) => {
      const other = await tools.login("opened-other", { person: tools.other });
      const own = await tools.login("opened");
      if (own === null || other === null) return [];
      const others = sentCookies(other.request.headers);
      return [...sentCookies(own.request.headers)].flatMap(([name, value]) => {
        const foreign = others.get(name);
        if (foreign === undefined || foreign === value || !isGuessable(foreign)) return [];
        return [{ name, request: withCookie(own.request, name, foreign) }];
      });
    },
  ),
  otherAddressCheck,
  borrowing(
    {
      id: "page.form.user-inside",
      title: "A user's form with another user's id inside one of its values gets no code for that other user",
      fix: "Sign data about the user in a form or cookie, and verify it; or store it in the app, under a random key.",
    },
    async (tools) => {
      const own = await tools.login("opened");
      const request = own && withOtherInside(own.request, own.person.user.id, tools.other.user.id);
      return request === null ? [] : [{ name: "user", request }];
    },
  ),
  borrowing(
    {
      id: "page.form.forged-token",
      title: "The form of one user with a forged token for another gets no code for that other user",
      why: "An app that finds the login by its session can do without the token. If it still takes the user from the token, it must verify that token: anybody can write one.",
      fix: "Verify the token wherever it is read, or read it only when the page is opened.",
    },
    async (tools) => {
      const other = await tools.login("opened-other", { person: tools.other });
      const own = await tools.login("opened");
      const request = own && other && withForgedToken(own.request, other.request);
      return request === null ? [] : [{ name: "jwtToken", request }];
    },
  ),
  borrowing(
    {
      id: "page.open.added-user",
      title: "A page that is opened with another user's id in its URL gives no code for that other user",
    },
    async (tools) => {
      const { id, login } = tools.other.user;
      const query = Object.fromEntries([...userNames.map((name) => [name, String(id)]), ["login", login]]);
      const own = await tools.login("opened", { query });
      return own === null ? [] : [{ name: "userId in the page's URL", request: own.request }];
    },
  ),
  borrowing(
    {
      id: "page.form.added-user",
      title: "A user's form with another user's id added gets no code for that other user",
    },
    async (tools) => {
      const own = await tools.login("opened");
      if (own === null) return [];
      const named = withAddedUser(own.request, tools.other.user);
      // A separate login: the app may keep the code of the first.
      const again = await tools.login("opened");
      return [
        ...(named === own.request ? [] : [{ name: "userId", request: named }]),
        ...(again === null
          ? []
          : [
              {
                name: "X-User-Id, and userId in its URL",
                request: withUserOutsideBody(again.request, tools.other.user.id),
              },
            ]),
      ];
    },
  ),
];

import { skipVerdict } from "../checking/verdict.ts";
import { judgeRefusal, type OAuthCheck, type OAuthCheckText, oauthCheck, type RefusedVisit, worstOf } from "./check.ts";
import { type OAuthEvidence, visitOfRole } from "./evidence.ts";

export const FORGED_LOGIN =
  "Anybody can send a browser to this address. If the app does not insist on the right state, that logs the user in as somebody else, who then sees what the user does.";
const compare =
  "Bind the state to the browser that started the login, compare it completely before anything else, and then delete it.";

interface CallbackTwin
  extends Pick<OAuthCheckText, "title" | "why" | "fix" | "severity">,
    Pick<RefusedVisit, "asking" | "mayFailWith"> {
  readonly name: string;
  readonly needsState?: boolean;
  /** Twins of the right callback, by description. */
  twins(location: URL): Readonly<Record<string, string>>;
}

/**
 * For a callback that no platform sends and that nobody gains anything by: as with other malformed callbacks, a page
 * with a server error, which usual libraries cause, is a warning.
 */
const ANY_ERROR_WARNS: readonly number[] = [];

/** The address with other parameters; null removes one. */
export function withQuery(location: URL, changes: Readonly<Record<string, string | null>>): string {
  const url = new URL(location);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.href;
}

function stateOf(location: URL): string {
  return location.searchParams.get("state") ?? "";
}

export function otherCase(text: string): string {
  return [...text]
    .map((letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))
    .join("");
}

function otherLast(text: string): string {
  return text.slice(0, -1) + (text.endsWith("A") ? "B" : "A");
}

const twins: readonly CallbackTwin[] = [
  {
    name: "state-missing",
    title: "The callback refuses a code without a state",
    why: FORGED_LOGIN,
    fix: compare,
    needsState: true,
    twins: (location) => ({
      "a callback without state": withQuery(location, { state: null }),
      "a callback with an empty state": withQuery(location, { state: "" }),
    }),
  },
  {
    name: "state-other",
    title: "The callback refuses a state that the app did not send",
    why: FORGED_LOGIN,
    fix: compare,
    needsState: true,
    twins: (location) => ({
      "a callback with another last character of the state": withQuery(location, {
        state: otherLast(stateOf(location)),
      }),
      "a callback with another first character of the state": withQuery(location, {
        state: [...otherLast([...stateOf(location)].reverse().join(""))].reverse().join(""),
      }),
      "a callback with an unknown state": withQuery(location, {
        state: "app-sim".repeat(20).slice(0, Math.max(8, stateOf(location).length)),
      }),
    }),
  },
  {
    name: "state-case",
    title: "The callback refuses the state in a different letter case",
    why: "The state comes back unchanged (interface 5.2), so any other spelling is not the app's. A case-insensitive comparison makes the state easier to guess.",
    fix: compare,
    needsState: true,
    twins: (location): Record<string, string> => {
      const changed = otherCase(stateOf(location));
      return changed === stateOf(location)
        ? {}
        : { "a callback with the state in a different letter case": withQuery(location, { state: changed }) };
    },
  },
  {
    name: "state-part",
    title: "The callback refuses a part of the state, and a state with something before it",
    why: "If only a part of the state is compared, guessing that part is enough. The state comes back unchanged (interface 5.2).",
    fix: compare,
    needsState: true,
    twins: (location) => {
      const state = stateOf(location);
      return {
        "a callback with the first half of the state": withQuery(location, { state: state.slice(0, state.length / 2) }),
        "a callback with the first character of the state": withQuery(location, { state: state.slice(0, 1) }),
        "a callback with something before the state": withQuery(location, { state: `A${state}` }),
      };
    },
  },
  {
    name: "state-longer",
    title: "The callback refuses the state with something after it",
    // Nobody can make one without the whole state, and some libraries keep data of the app there.
    severity: "should",
    why: "The state comes back unchanged (interface 5.2), so what follows it is not the app's. An app that reads data there, such as the page to continue on, takes it from whoever changed the link.",
    fix: "Compare the whole state of the callback with the whole state that was sent, and keep the data of a login on the server.",
    needsState: true,
    twins: (location) => ({
      "a callback with a longer state": withQuery(location, { state: `${stateOf(location)}A` }),
    }),
  },
  {
    name: "state-inherited",
    title: "The callback refuses states such as __proto__ and undefined",
    why: 'Every object has a __proto__ and a constructor, so a look-up by such a state finds something. As a string, a missing value is "undefined", so two missing values are equal.',
    fix: "Keep states in a Map or a store, not as keys of a plain object, and refuse a state that the app did not issue.",
    needsState: true,
    mayFailWith: ANY_ERROR_WARNS,
    twins: (location) =>
      Object.fromEntries(
        ["__proto__", "constructor", "toString", "undefined", "null", "true"].map((state) => [
          `a callback with the state ${state}`,
          withQuery(location, { state }),
        ]),
      ),
  },
  {
    name: "code-missing",
    title: "The callback refuses an answer without a code",
    why: "Without a code there is nothing to exchange, and nobody to log in. The platform would refuse the request anyway, and the user would see a meaningless error.",
    fix: "Answer 400 if `code` is missing or empty, without a call to the token endpoint.",
    // The platform refuses it, so an app that relies on the answer lets nobody in: many client libraries do so.
    asking: "needless",
    mayFailWith: ANY_ERROR_WARNS,
    twins: (location) => ({
      "a callback without code": withQuery(location, { code: null }),
      "a callback with an empty code": withQuery(location, { code: "" }),
    }),
  },
];

function twinCheck({
  name,
  needsState = false,
  asking = "fault",
  mayFailWith,
  twins: twinsOf,
  ...text
}: CallbackTwin): OAuthCheck {
  const id = `oauth.callback.${name}`;
  const names = (location: URL) => Object.entries(twinsOf(location));
  return oauthCheck(
    { id, section: "5.2", ...text },
    {
      journey: {
        key: id,
        run: async (tools) => {
          for (let index = 0; ; index += 1) {
            const browser = `A${index}`;
            const location = new URL(await tools.begin(browser));
            if (needsState && !location.searchParams.get("state")) return;
            const [, address] = names(location)[index] ?? [];
            if (address === undefined) return;
            await tools.open(browser, "callback", address);
            await tools.use(browser);
          }
        },
      },
      judge: (evidence, check) => {
        const opened = evidence.visits.filter(({ what }) => what === "callback");
        if (opened.length === 0) return skipVerdict("the login has no state that could be changed like this");
        return worstOf(
          opened.map(({ browser, url }) => {
            const what = nameOf(names, evidence, browser, url);
            const allowed = mayFailWith === undefined ? {} : { mayFailWith };
            return judgeRefusal(evidence, check, { browser, what, asking, ...allowed });
          }),
        );
      },
    },
  );
}

/** Which twin of the right callback an address is. */
function nameOf(
  names: (location: URL) => readonly (readonly [string, string])[],
  evidence: OAuthEvidence,
  browser: string,
  url: string,
): string {
  const verdict = visitOfRole(evidence, browser, "start")?.authorization?.verdict;
  const known = verdict?.kind === "decided" ? names(new URL(verdict.location)) : [];
  return known.find(([, address]) => address === url)?.[0] ?? "such a callback";
}

/** Checks of the callback with one changed parameter. */
export const callbackTwinChecks: readonly OAuthCheck[] = twins.map(twinCheck);

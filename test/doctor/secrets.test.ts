import { expect, test } from "vitest";
import { ASK_DOCTOR } from "../../src/app-client/doctor-words.ts";
import { OWN_LOG } from "../../src/app-client/explain-outcome.ts";
import {
  judgeSignedCall,
  needsCause,
  type RefusalCause,
  secretsUntried,
} from "../../src/doctor/rules/judge-secrets.ts";

type Call = Parameters<typeof needsCause>[0];

const call = (changes: Partial<Call>): Call =>
  ({
    outcome: "failed",
    reason: "it answered 401",
    hint: "h",
    failure: "refused",
    user: { role: "member" },
    ...changes,
  }) as Call;
const doubted = call({
  outcome: "denied",
  reason: "the token is invalid",
  failure: null,
  hint: `${ASK_DOCTOR} Is it signed?`,
});
const denied = call({ outcome: "denied", reason: "not you", failure: null, hint: null });
const crashed = call({ failure: "other", hint: `${OWN_LOG} of it` });

test.each<[string, Call, boolean]>([
  ["a refusal", call({}), true],
  ["a crash", crashed, true],
  ["a denial about the token", doubted, true],
  ["a denial about the user", denied, false],
  ["a denial without words", call({ outcome: "denied", reason: null }), false],
  ["another failure", call({ failure: "other" }), false],
  ["a failure without a hint", call({ failure: "no-endpoint", hint: null }), false],
  ["a user who has to do something", call({ outcome: "needs-user", failure: "refused" }), false],
])("%s leaves open what the app would accept: %s", (_, answer, expected) => {
  expect(needsCause(answer)).toBe(expected);
});

const found: RefusalCause = { isFound: true, hint: "use the right secret" };
const notFound: RefusalCause = { isFound: false, hint: "nothing explains it." };

test.each<[string, Call, RefusalCause | null, string | null, object]>([
  ["a denial about the token", doubted, null, null, { result: "warned", hint: "is it signed?" }],
  ["a denial about the token, without a cause", doubted, notFound, null, { result: "warned", hint: "is it signed?" }],
  ["a denial about the token, with a cause", doubted, found, null, { result: "failed", hint: "use the right secret" }],
  [
    "a denial about the user",
    denied,
    found,
    null,
    {
      result: "skipped",
      message: expect.stringContaining("denies the member, in words that are not about its token: not you; "),
    },
  ],
  [
    "a denial without words",
    { ...denied, reason: null },
    null,
    null,
    {
      result: "skipped",
      hint: expect.stringContaining("`app-sim guard --tamper --module office`"),
      message: expect.stringContaining("denies the member; it is unknown"),
    },
  ],
  ["a yes", call({ outcome: "granted" }), null, null, { result: "passed", hint: null }],
  ["a page", call({ outcome: "needs-user" }), null, null, { result: "passed" }],
  [
    "a refusal",
    call({}),
    null,
    "look at .env",
    { result: "failed", message: expect.stringMatching(/failed: it answered 401$/), hint: "h" },
  ],
  [
    "no usable answer",
    call({ reason: null }),
    null,
    null,
    { message: expect.stringMatching(/failed: no usable answer$/) },
  ],
  [
    "a refusal about the token",
    call({ reason: "the token is invalid" }),
    null,
    null,
    { result: "failed", message: "a signed call to guard office failed: the token is invalid" },
  ],
  [
    "a refusal, where nothing was tried",
    call({ hint: `${ASK_DOCTOR} Is it signed?` }),
    { isFound: false, hint: null },
    null,
    { hint: "is it signed?" },
  ],
  ["a refusal with a cause", call({}), found, "look at .env", { hint: "use the right secret" }],
  ["a refusal for the app's own reason", call({ hint: "h." }), notFound, "look at .env", { hint: "look at .env. H" }],
  ["a refusal without a hint", call({ hint: null }), notFound, null, { hint: "nothing explains it" }],
  [
    "a refusal whose hint is the doctor",
    call({ hint: `${ASK_DOCTOR} Is it signed?` }),
    notFound,
    null,
    { hint: "nothing explains it" },
  ],
  [
    "a refusal that may deny",
    call({ hint: `${ASK_DOCTOR} Is it signed? A guard that wants to deny access answers 200` }),
    notFound,
    null,
    { hint: "nothing explains it. A guard that wants to deny access answers 200" },
  ],
  [
    "a crash",
    crashed,
    null,
    null,
    { hint: expect.stringMatching(/Was it started with the variables of app-sim env\?$/) },
  ],
  ["a crash without a cause", crashed, notFound, "look at .env", { hint: expect.stringMatching(/ook at \.env$/) }],
  ["a crash with a cause", crashed, found, null, { hint: "use the right secret" }],
  ["another failure", call({ failure: "other" }), notFound, "look at .env", { hint: "h" }],
])("a signed call with %s", (_, answer, cause, ownHint, expected) => {
  expect(judgeSignedCall("office", answer, { cause, ownHint, isForgedAccepted: false })).toMatchObject(expected);
});

test("secrets are not tried without a guard, and not without a manifest", () => {
  expect(secretsUntried(true)).toMatchObject({ result: "skipped", message: "there is no guard to try them with" });
  expect(secretsUntried(false)).toMatchObject({
    result: "skipped",
    message: "not tried without a manifest",
    hint: null,
  });
});

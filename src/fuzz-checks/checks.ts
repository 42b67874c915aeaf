import type { CheckFacts } from "../checking/check.ts";

type Facts = Pick<CheckFacts, "id" | "title" | "why" | "fix"> &
  Partial<Pick<CheckFacts, "severity" | "section" | "choices">>;

const oneOfMany =
  "Real data has cases that no test thought of, and a file or a login that fails one time in a thousand is hard to reproduce. The smallest failing case is shown and saved.";

const imported = (facts: Facts): CheckFacts => ({
  area: "import",
  section: "2.5",
  severity: "should",
  ...facts,
  isRandom: true,
});

/** Checks of imports with random jobs. */
export const randomImports = {
  answered: imported({
    id: "import.fuzz.answered",
    title: "Random jobs are answered according to the interface: with strings, or with an error message",
    section: "2.4",
    severity: "must",
    why: oneOfMany,
    fix: "Look at the saved job, and at the app's log: some text in it breaks an assumption of the app.",
  }),
  taken: imported({
    id: "import.fuzz.accepted",
    title: "The app accepts random jobs",
    section: "2.3",
    why: oneOfMany,
    fix: "Look at the saved job: the interface allows everything in it.",
  }),
  byUrl: imported({
    id: "import.fuzz.by-url",
    title: "Random jobs give the same result in the request and by URL",
    section: "2.3",
    severity: "must",
    why: "The platform chooses how to send a job only by its size. A file must not give a different result because it has grown.",
    fix: "Read strings and file first, from either place, as UTF-8, and process them with the same code.",
  }),
  repeated: imported({
    id: "import.fuzz.repeated",
    title: "A random job returns the same strings when it is sent again",
    section: "2.4",
    why: "A file is imported again on every update. Strings that come back only the first time are lost the second time.",
    fix: "Keep nothing of a job after answering it.",
  }),
  order: imported({
    id: "import.fuzz.order",
    title: "Random strings give the same result in another order",
    why: "Users get a different result than before, for no apparent reason.",
    fix: "Keep no state from one string to the next, and look strings up by uniqId.",
  }),
  alone: imported({
    id: "import.fuzz.alone",
    title: "A random string gives the same result alone and among others",
    why: "Users get a different result than before, for no apparent reason.",
    fix: "Keep no state from one string to the next.",
  }),
  encoding: imported({
    id: "import.fuzz.encoding",
    title: "Random texts come back in the encoding in which they were sent",
    severity: "must",
    why: "Texts in most languages of the world become unreadable. Tests in English do not show it.",
    fix: "Read and write UTF-8 everywhere, and escape only once.",
  }),
  all: imported({
    id: "import.fuzz.all",
    title: "Random sentences come back complete: all of a job, or none",
    section: "2.4",
    why: "An omitted string may be removed from the project. Nobody learns why it is missing.",
    fix: "Store strings by uniqId, and return each of them, whatever their characters and number.",
  }),
} satisfies Record<string, CheckFacts>;

const delivered = (facts: Facts): CheckFacts => ({
  area: "webhook",
  section: "5.1",
  severity: "must",
  choices: ["webhook.signature.content"],
  ...facts,
  isRandom: true,
});

const signsBytes =
  "Keep the raw bytes of the body, compute their HMAC, and parse them only afterwards (in Express: `express.raw`).";

/** Checks of webhook handlers with random deliveries. */
export const randomDeliveries = {
  acknowledged: delivered({
    id: "webhook.fuzz.acknowledged",
    title: "The app acknowledges random deliveries, with any characters, however their JSON is serialized",
    why: "An app that hashes text instead of bytes, or JSON that it serialized itself, refuses unusual deliveries. Their events are lost.",
    fix: signsBytes,
  }),
  amount: delivered({
    id: "webhook.fuzz.amount",
    title: "The app acknowledges deliveries with any number of events up to 1,000",
    section: "6.1",
    severity: "should",
    choices: ["webhook.batch.events"],
    why: "The platform puts simultaneous events into one delivery. An app that accepts only a limited number at a time loses all of them.",
    fix: "Process all elements of `events`, and set the limit for bodies well above 100 kB.",
  }),
  changed: delivered({
    id: "webhook.fuzz.changed",
    title: "The app refuses deliveries in which any byte was changed after signing",
    why: "The signature must cover everything that the app reads. Otherwise anybody who can intercept a delivery can change it.",
    fix: signsBytes,
  }),
} satisfies Record<string, CheckFacts>;

const loggedIn = (facts: Facts): CheckFacts => ({
  area: "guard",
  section: "2.2",
  severity: "must",
  ...facts,
  isRandom: true,
});

const changing =
  "The platform may change its requests without changing their meaning. An app that then decides differently locks users out, or lets them in.";
const readsJson = "Parse the body as JSON, read the fields that the app needs, and ignore the rest.";

/** Checks of guards with random logins. */
export const randomLogins = {
  answered: loggedIn({
    id: "guard.fuzz.answered",
    title: "The guard decides about random users at random addresses",
    choices: ["guard.jwt.claims"],
    why: "Users join an organization at any time, with any name and from any network. An error locks such a user out.",
    fix: "Parse IPv4 and IPv6 addresses with a library, and handle users who are not in the app's own tables.",
  }),
  strangers: loggedIn({
    id: "guard.fuzz.strangers",
    severity: "should",
    title: "The guard decides about random ids of any size, and other organizations and domains",
    choices: ["guard.jwt.claims"],
    why: "Ids are integers of any size, and an app may be installed anywhere. An error locks a user out.",
    fix: "Store ids in 64 bits, and refuse unknown users with a message.",
  }),
  repeated: loggedIn({
    id: "guard.fuzz.repeated",
    section: "3.1",
    severity: "should",
    title: "The guard decides the same about a repeated random login",
    why: "A denied login is tried again. The repetition must not let the user in.",
    fix: "Decide each call separately, by the rule alone.",
  }),
  spelled: loggedIn({
    id: "guard.fuzz.spelled",
    section: "RFC 8259",
    title: "The guard decides the same about a login however its JSON is serialized, and in any order of headers",
    why: changing,
    fix: readsJson,
  }),
  extraFields: loggedIn({
    id: "guard.fuzz.extra-fields",
    severity: "should",
    title: "The guard decides the same about a login with unknown random fields and claims",
    choices: ["guard.jwt.claims"],
    why: changing,
    fix: readsJson,
  }),
  tokenChanged: loggedIn({
    id: "guard.fuzz.token-changed",
    section: "5.1",
    title: "The guard refuses a token in which any byte was changed",
    choices: ["guard.jwt.claims"],
    why: "The signature must cover the whole token. Otherwise anybody who has seen one can make another from it.",
    fix: "Let a JWT library verify the raw token, with the algorithm and the key that the app expects.",
  }),
} satisfies Record<string, CheckFacts>;

/** Every check with random requests. */
export const randomChecks: readonly CheckFacts[] = [
  ...Object.values(randomImports),
  ...Object.values(randomDeliveries),
  ...Object.values(randomLogins),
];

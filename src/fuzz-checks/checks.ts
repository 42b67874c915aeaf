import type { CheckFacts } from "../checking/check.ts";

type Facts = Pick<CheckFacts, "id" | "title" | "why" | "mend"> &
  Partial<Pick<CheckFacts, "severity" | "section" | "choices">>;

const oneOfMany =
  "People write what no test thought of, and a file or a login that fails once in a thousand times is hard to find again. The smallest case that fails is shown and saved.";

const imported = (facts: Facts): CheckFacts => ({
  area: "import",
  section: "2.5",
  severity: "should",
  ...facts,
  isRandom: true,
});

/** What is checked of imports with random jobs. */
export const randomImports = {
  answered: imported({
    id: "import.fuzz.answered",
    title: "Random jobs are answered in the form of the interface: with strings, or with an error in words",
    section: "2.4",
    severity: "must",
    why: oneOfMany,
    mend: "Look at the job that was saved, and at the app's log: something in it is read in a way that not every text allows.",
  }),
  taken: imported({
    id: "import.fuzz.taken",
    title: "The app takes random jobs",
    section: "2.3",
    why: oneOfMany,
    mend: "Look at the job that was saved: there is nothing in it that the interface does not allow.",
  }),
  byUrl: imported({
    id: "import.fuzz.by-url",
    title: "Random jobs have the same result in the request and by URL",
    section: "2.3",
    severity: "must",
    why: "The platform chooses how a job travels, by its size alone. A file must not come out differently because it grew.",
    mend: "Read strings and file first, from wherever they are, as UTF-8, and let the same code work on them.",
  }),
  repeated: imported({
    id: "import.fuzz.repeated",
    title: "A random job brings the same strings back when it is sent again",
    section: "2.4",
    why: "A file is imported again at every update. Strings that come back only the first time are lost with the second.",
    mend: "Keep nothing of a job once it was answered.",
  }),
  order: imported({
    id: "import.fuzz.order",
    title: "Random strings have the same result in another order",
    why: "Whoever imports the file gets another result than before, for no reason that they could know.",
    mend: "Keep nothing of one string for the next, and look strings up by uniqId.",
  }),
  alone: imported({
    id: "import.fuzz.alone",
    title: "A random string has the same result alone as among others",
    why: "Whoever imports the file gets another result than before, for no reason that they could know.",
    mend: "Keep nothing of one string for the next.",
  }),
  encoding: imported({
    id: "import.fuzz.encoding",
    title: "Random texts come back in the characters in which they came",
    severity: "must",
    why: "Texts in most languages of the world become unreadable. Nobody sees it in a test with English.",
    mend: "Read and write UTF-8 throughout, and escape once.",
  }),
  all: imported({
    id: "import.fuzz.all",
    title: "Random sentences come back in whole: all of a job, or none",
    section: "2.4",
    why: "A string that is left out may be removed from the project. Nobody is told why this one is missing.",
    mend: "Keep strings by their uniqId, and give each of them back, whatever letters and however many they are.",
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
  "Keep the bytes of the body as they came, compute the HMAC of these, and parse them only afterwards (in Express: `express.raw`).";

/** What is checked of webhook handlers with random deliveries. */
export const randomDeliveries = {
  acknowledged: delivered({
    id: "webhook.fuzz.acknowledged",
    title: "The app acknowledges random deliveries, in any characters, however their JSON is serialized",
    why: "An app that hashes a text in place of bytes, or JSON that it wrote itself, refuses deliveries that have something unusual in them. Their events are lost.",
    mend: signsBytes,
  }),
  amount: delivered({
    id: "webhook.fuzz.amount",
    title: "The app acknowledges deliveries of any number of events up to 1000",
    section: "6.1",
    severity: "should",
    choices: ["webhook.batch.events"],
    why: "The platform puts what happened at the same time into one delivery. An app that takes only so many events at a time loses all of them.",
    mend: "Go through all elements of `events`, and let the limit of the body be well above 100 kB.",
  }),
  changed: delivered({
    id: "webhook.fuzz.changed",
    title: "The app refuses deliveries in which any byte was changed after they were signed",
    why: "The signature must cover all that the app reads. Otherwise whoever can change a delivery on its way makes another one of it.",
    mend: signsBytes,
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
  "The platform may change its requests in ways that mean the same. An app that decides otherwise then locks users out, or lets them in.";
const readsJson = "Parse the body as JSON, take the fields that the app needs, and pass over the rest.";

/** What is checked of guards with random logins. */
export const randomLogins = {
  answered: loggedIn({
    id: "guard.fuzz.answered",
    title: "The guard decides about random users at random addresses",
    choices: ["guard.jwt.claims"],
    why: "Users come to an organization at any time, under any name and from any network. A login that is answered with an error locks one of them out.",
    mend: "Read addresses of both versions with a library, and have an answer for users who are not in the app's own tables.",
  }),
  strangers: loggedIn({
    id: "guard.fuzz.strangers",
    severity: "should",
    title: "The guard decides about random ids of any size, and other organizations and domains",
    choices: ["guard.jwt.claims"],
    why: "Ids are integers of any size, and an app may be installed anywhere. A login that is answered with an error locks a user out.",
    mend: "Keep ids in 64 bits, and refuse in words whom the app does not know.",
  }),
  repeated: loggedIn({
    id: "guard.fuzz.repeated",
    section: "3.1",
    severity: "should",
    title: "The guard decides the same about a random login when it comes again",
    why: "A login that was denied is tried again. What was no reason to be let in must not become one by that.",
    mend: "Decide anew at each call, by the rule alone.",
  }),
  spelled: loggedIn({
    id: "guard.fuzz.spelled",
    section: "RFC 8259",
    title: "The guard decides the same about a login however its JSON is serialized, and in any order of headers",
    why: changing,
    mend: readsJson,
  }),
  extraFields: loggedIn({
    id: "guard.fuzz.extra-fields",
    severity: "should",
    title: "The guard decides the same about a login with random fields and claims that it does not know",
    choices: ["guard.jwt.claims"],
    why: changing,
    mend: readsJson,
  }),
  tokenChanged: loggedIn({
    id: "guard.fuzz.token-changed",
    section: "5.1",
    title: "The guard refuses a token in which any byte was changed",
    choices: ["guard.jwt.claims"],
    why: "The signature must cover the whole token. Otherwise anybody who has seen one can make another of it.",
    mend: "Let a JWT library verify the token as it came, with the algorithm and the key that the app expects.",
  }),
} satisfies Record<string, CheckFacts>;

/** Every check with random requests. */
export const randomChecks: readonly CheckFacts[] = [
  ...Object.values(randomImports),
  ...Object.values(randomDeliveries),
  ...Object.values(randomLogins),
];

import { describe, expect, it } from "vitest";
import { type ChoiceId, choiceDefinitions, choiceIds } from "../../src/config/choices.ts";

interface Open {
  readonly section: string;
  readonly what: string;
  readonly decidedBy: readonly [ChoiceId, ...ChoiceId[]];
}

/** What the interface itself calls "not shown", in its order. */
const notShown: readonly Open[] = [
  { section: "2.1", what: "when a guard's description is available", decidedBy: ["guard.description.shown"] },
  { section: "2.1", what: "which type a guard has that names none", decidedBy: ["guard.type.default"] },
  { section: "2.1", what: "how fileName and fileContent go together", decidedBy: ["postImport.patterns"] },
  {
    section: "5.1",
    what: "which claims the JWT has and how it is signed",
    decidedBy: ["guard.jwt.algorithm", "guard.jwt.key", "guard.jwt.claims", "guard.jwt.lifetime"],
  },
  {
    section: "5.1",
    what: "what exactly a webhook signature signs, and how it is written",
    decidedBy: [
      "webhook.signature.content",
      "webhook.signature.encoding",
      "webhook.signature.prefix",
      "webhook.signature.gzip",
    ],
  },
  { section: "5.1", what: "how a post-import call is authenticated", decidedBy: ["postImport.auth"] },
  {
    section: "6",
    what: "what is sent again, when, and in which order",
    decidedBy: ["webhook.retries", "webhook.backoff", "webhook.jitter", "webhook.retryAfter", "webhook.order"],
  },
  {
    section: "7",
    what: "what follows a delivery without a 2XX",
    decidedBy: ["webhook.retries", "webhook.timeout"],
  },
  {
    section: "7",
    what: "what follows when an app takes too long or sends too much",
    decidedBy: ["webhook.timeout"],
  },
  { section: "8", what: "how many calls are too many", decidedBy: ["api.rateLimit"] },
  {
    section: "8",
    what: "how long codes and refresh tokens live",
    decidedBy: ["oauth.code.lifetime", "oauth.refresh.lifetime"],
  },
];

/** What it shows, but not so far that there is only one way to do it. */
const shownInPart: readonly Open[] = [
  { section: "2.1", what: "whether a guard holds for the owner, who is no admin", decidedBy: ["guard.owner.exempt"] },
  { section: "2.1", what: "whether an app is told of its installation", decidedBy: ["install.event"] },
  { section: "2.1", what: "what an app is told of its installation, in which words", decidedBy: ["install.names"] },
  { section: "2.2", what: "the HTTP status of a denial", decidedBy: ["guard.denial.status"] },
  { section: "2.3", what: "whether jobType is the same everywhere", decidedBy: ["wire.jobType"] },
  { section: "2.4", what: "how an app says that nothing changed", decidedBy: ["postImport.notModified"] },
  { section: "2.4", what: "what becomes of a string that does not come back", decidedBy: ["postImport.omitted"] },
  { section: "2.6", what: "whether a delivery has an id", decidedBy: ["webhook.delivery.header"] },
  {
    section: "6",
    what: "how many events a request carries at most",
    decidedBy: ["webhook.batch.events", "webhook.batch.bytes"],
  },
  { section: "2.6", what: "whether ids are always strings, as other bodies have numbers", decidedBy: ["webhook.ids"] },
  {
    section: "2.6",
    what: "whether the header names are the same everywhere",
    decidedBy: ["wire.headerPrefix", "wire.userAgent"],
  },
  { section: "3.1", what: "how often a stage that failed may be tried again", decidedBy: ["login.attempts"] },
  {
    section: "3.1",
    what: "how long the platform waits for its user, and how long a state is good",
    decidedBy: ["guard.state.lifetime"],
  },
  { section: "4.1", what: "which content types the token endpoint reads", decidedBy: ["oauth.token.contentTypes"] },
  { section: "4.1", what: "whether there are other grants", decidedBy: ["oauth.grant.installation"] },
  { section: "4.1", what: "which scope the list of projects needs", decidedBy: ["api.projects.scope"] },
  {
    section: "5.2",
    what: "whether the exchange can do without redirect_uri",
    decidedBy: ["oauth.exchange.redirectUri"],
  },
  {
    section: "5.2",
    what: "whether plain is as good a code_challenge_method as S256, or is there for old apps only",
    decidedBy: ["oauth.pkce.plain"],
  },
  {
    section: "5.2",
    what: "whether the redirect names the server that it comes from, beside code and state",
    decidedBy: ["oauth.redirect.iss"],
  },
  {
    section: "5.3",
    what: "whether a client with PKCE refreshes without a secret",
    decidedBy: ["oauth.refresh.secret"],
  },
  {
    section: "8",
    what: "how long an access token lives where the response is not the default one",
    decidedBy: ["oauth.accessToken.lifetime"],
  },
  { section: "8", what: "the limit of the final guard call", decidedBy: ["guard.timeout.final"] },
  { section: "8", what: "how many bytes 5 MB are", decidedBy: ["limits.size"] },
  { section: "8", what: "whether a test has to wait for 2 minutes, too", decidedBy: ["postImport.timeout"] },
  {
    section: "8",
    what: "how large a file may be that an answer names, and how long it may take",
    decidedBy: ["postImport.fetch.size", "postImport.fetch.timeout"],
  },
];

const open = [...notShown, ...shownInPart];

describe("what the interface leaves open", () => {
  it.each(open)("$section, $what: is decided by choices that exist", ({ decidedBy }) => {
    expect(decidedBy.filter((id) => !choiceIds.includes(id))).toEqual([]);
  });

  it.each(choiceIds)("%s names a section of the interface that leaves it open", (id) => {
    const sections = open.filter(({ decidedBy }) => decidedBy.includes(id)).map(({ section }) => section);
    expect(sections).toContain(choiceDefinitions[id].section);
  });

  it("is decided in its own section by at least one choice", () => {
    const sections = (ids: readonly ChoiceId[]) => ids.map((id) => choiceDefinitions[id].section);
    expect(open.filter(({ section, decidedBy }) => !sections(decidedBy).includes(section))).toEqual([]);
  });
});

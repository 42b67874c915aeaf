import { addressText } from "../../browser/addresses.ts";
import { appSecrets, type NamedSecret } from "../../config/secrets.ts";
import { answerParts, isHttpOnly } from "../../journal/answer-parts.ts";
import type { Exchange } from "../../journal/exchange.ts";
import { type FindSecrets, findSecrets } from "../../journal/secrets-in.ts";
import { clip, harmlessLine } from "../../protocol/harmless.ts";
import { type Found, fail, type OAuthLoginFacts, pass, warn } from "./login-facts.ts";

/** What only the app and the platform may see. */
const hidden: readonly string[] = ["client secret", "app secret", "refresh_token"];
const KEEP = "keep secrets and tokens on the app's server, and the session in a cookie";

/** A place in an answer of the app, and the secrets in it. */
interface Spill {
  readonly place: string;
  readonly names: readonly string[];
  readonly isMild: boolean;
}

/**
 * Secrets in anything that the app sends to its user: pages, redirect targets, cookies and other headers (hardening
 * C12). They are searched for before redaction.
 */
export function checkSecrets(facts: OAuthLoginFacts): Found {
  if (facts.callback === null) return null;
  const spills = spillsOf(facts);
  const [worst = spills[0]] = spills.filter(({ isMild }) => !isMild);
  if (worst === undefined) return pass("the app sends no secret to its user");
  return (worst.isMild ? warn : fail)(`the app's ${worst.place} holds the ${worst.names.join(", ")}`, KEEP);
}

function spillsOf({ app, issued, answers, callback, use, turns }: OAuthLoginFacts): Spill[] {
  const secrets: readonly NamedSecret[] = [...appSecrets(app), ...issued];
  const named = (...names: readonly string[]) => findSecrets(secrets.filter(({ name }) => names.includes(name)));
  const grave = named(...hidden);
  const token = named("access_token");
  const graveOrToken = named(...hidden, "access_token");
  const tokenOrCode = named("access_token", "code");
  const verifier = named("code_verifier");
  const ownSecrets = named("client secret", "app secret");
  const spill = (place: string, text: string, find: FindSecrets, isMild: boolean): Spill[] => {
    const names = find(text);
    return names.length === 0 ? [] : [{ place, names, isMild }];
  };
  const pages = [callback, use, ...turns].flatMap((visit) =>
    visit !== null && visit.landing.kind === "page" ? [visit.landing.body] : [],
  );
  return [
    ...pages.flatMap((page) => [
      ...spill("page", page, grave, false),
      // Some apps pass their access token to a page's script on purpose; a code is used up by then.
      ...spill("page", page, tokenOrCode, true),
      ...spill("page", page, verifier, false),
    ]),
    ...answers.flatMap(partsOf).flatMap(({ kind, place, text, from }) => {
      if (kind === "body") return spill("answer", text, grave, false);
      if (kind === "header") return [...spill(place, text, grave, false), ...spill(place, text, token, true)];
      if (kind === "cookie" && isHttpOnly(text)) return spill(place, text, ownSecrets, false);
      // The platform's login page is judged separately.
      const isAuthorize = kind === "address" && new URL(text).pathname === "/oauth/authorize";
      if (isAuthorize) return [];
      const way = kind === "address" ? `redirect from ${pathOf(from)} to ${addressText(new URL(text))}` : place;
      // A secret may be in the path itself.
      return spill(graveOrToken(way).length === 0 ? way : place, text, graveOrToken, false);
    }),
  ];
}

function partsOf(answer: Exchange) {
  return answerParts(answer).map((part) => ({ ...part, from: answer.request.url }));
}

function pathOf(url: string): string {
  return clip(harmlessLine(new URL(url).pathname), 100);
}

import { redirectTarget } from "../../browser/redirect-target.ts";
import type { Exchange } from "../../journal/exchange.ts";
import { bodyText } from "../../journal/journal.ts";
import { type Found, fail, type OAuthLoginFacts, pass, warn } from "./login-facts.ts";
import { type NamedSecret, secretsIn } from "./secrets-in.ts";

/** What nobody but the app and the platform may see, wherever it stands. */
const hidden: readonly string[] = ["client secret", "app secret", "refresh_token"];
const KEEP = "keep secrets and tokens on the app's server, and the user's session in a cookie";

/** Where an answer of the app holds which secrets. */
interface Spill {
  readonly place: string;
  readonly names: readonly string[];
  readonly isMild: boolean;
}

/**
 * Secrets in whatever the app sends to its user: pages, addresses that it redirects to, cookies and other headers (hardening
 * C12). They are looked for in what was sent, before anything of it is hidden.
 */
export function findSecrets(facts: OAuthLoginFacts): Found {
  if (facts.callback === null) return null;
  const spills = spillsOf(facts);
  const [worst = spills[0]] = spills.filter(({ isMild }) => !isMild);
  if (worst === undefined) return pass("no secret is in what the app sends to its user");
  return (worst.isMild ? warn : fail)(`the app's ${worst.place} holds the ${worst.names.join(", ")}`, KEEP);
}

function spillsOf({ app, issued, answers, callback, use, turns }: OAuthLoginFacts): Spill[] {
  const secrets: readonly NamedSecret[] = [
    { name: "client secret", value: app.clientSecret },
    { name: "app secret", value: app.appSecret },
    ...issued,
  ];
  const named = (...names: readonly string[]) => secrets.filter(({ name }) => names.includes(name));
  const grave = named(...hidden);
  const token = named("access_token");
  const spill = (place: string, text: string, among: readonly NamedSecret[], isMild: boolean): Spill[] => {
    const names = secretsIn(text, among);
    return names.length === 0 ? [] : [{ place, names, isMild }];
  };
  const pages = [callback, use, ...turns].flatMap((visit) =>
    visit !== null && visit.landing.kind === "page" ? [visit.landing.body] : [],
  );
  return [
    ...pages.flatMap((page) => [
      ...spill("page", page, grave, false),
      // Some apps hand their access token to a script of the page on purpose; a code is used up by then.
      ...spill("page", page, named("access_token", "code"), true),
      ...spill("page", page, named("code_verifier"), false),
    ]),
    ...answers.flatMap((answer) => [
      ...spill("answer", answer.response === null ? "" : bodyText(answer.response.body), grave, false),
      ...spill("redirect to an address", addressOf(answer), [...grave, ...token], false),
      ...headersOf(answer).flatMap(([name, value]) =>
        /^set-cookie$/i.test(name)
          ? spill(
              "cookie",
              value,
              isHttpOnly(value) ? named("client secret", "app secret") : [...grave, ...token],
              false,
            )
          : [...spill(`header ${name}`, value, grave, false), ...spill(`header ${name}`, value, token, true)],
      ),
    ]),
  ];
}

/** Where the app redirects to; "" where that is nowhere, or the platform's login page, which is judged by itself. */
function addressOf(answer: Exchange): string {
  const url = redirectTarget(answer)?.url;
  return url === undefined || url.pathname === "/oauth/authorize" ? "" : url.href;
}

function headersOf({ response }: Exchange): readonly (readonly [name: string, value: string])[] {
  return (response?.headers ?? []).filter(([name]) => !/^location$/i.test(name));
}

/** Such a cookie no script can read: an app may keep its tokens there. */
function isHttpOnly(cookie: string): boolean {
  return /;\s*httponly\b/i.test(cookie);
}

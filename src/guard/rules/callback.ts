import type { NamedSecret } from "../../config/secrets.ts";
import { secretsIn } from "../../journal/secrets-in.ts";
import { isNoValueWord } from "../../protocol/no-value.ts";
import { readQuery } from "../../protocol/url.ts";

/** The query of a guard callback (interface 4.1): every value of each known parameter, in order. */
export interface CallbackQuery {
  readonly state: readonly string[];
  readonly code: readonly string[];
  readonly error: readonly string[];
  /** The values of all other parameters. */
  readonly others: readonly string[];
}

/**
 * Reads the query of a callback; null if it is not percent-encoded UTF-8.
 * @param search the query with its question mark, or ""
 */
export function callbackQuery(search: string): CallbackQuery | null {
  const query = readQuery(search);
  if (query === null) return null;
  const named = { state: query.getAll("state"), code: query.getAll("code"), error: query.getAll("error") };
  const others = [...query].flatMap(([name, value]) => (Object.hasOwn(named, name) ? [] : [value]));
  return { ...named, others };
}

/** A state that was issued: for whom, and whether it is still valid. */
export interface IssuedState {
  /** The domain of the organization in which the login takes place; null: it has none. */
  readonly domain: string | null;
  readonly type: "redirect" | "frame";
  readonly status: "open" | "used" | "expired";
}

/** How the user came back from the app's page. */
export type Return =
  | {
      /** The one-time code that the app issued. */
      readonly code: string;
    }
  | {
      /** Why the user is not let in. */
      readonly error: string;
    };

/** Why a callback is not accepted: the login stays where it is. */
export interface CallbackRefusal {
  readonly status: 400 | 404 | 409 | 410;
  readonly reason:
    | `state-${"missing" | "repeated" | "unknown" | "used" | "expired"}`
    | `return-${"missing" | "ambiguous" | "repeated"}`
    | "domain-foreign";
  readonly message: string;
  readonly hint: string;
}

export type CallbackVerdict =
  | { readonly ok: true; readonly outcome: Return }
  | ({ readonly ok: false } & CallbackRefusal);

/**
 * Judges a callback (interface 3.1, 4.1). A state is valid for one return, from the redirect guard that it was issued
 * for, in its own domain; a refused callback does not use it up.
 * @param domain the one in the callback's path; null: there is none
 * @param issued what is known about the state in the query; null: it was never issued
 */
export function judgeCallback(
  domain: string | null,
  query: CallbackQuery,
  issued: IssuedState | null,
): CallbackVerdict {
  if (query.state.length > 1) return refuse("state-repeated");
  if (!query.state[0]) return refuse("state-missing");
  // A frame guard reports to its page: the app never gets its state.
  if (issued === null || issued.type !== "redirect")
    return refuse("state-unknown", noValueHint(query.state[0], "state"));
  if (issued.domain !== domain) return refuse("domain-foreign", noValueHint(domain, "domain"));
  if (issued.status === "used") return refuse("state-used");
  if (issued.status === "expired") return refuse("state-expired");
  if (query.code.length > 1 || query.error.length > 1) return refuse("return-repeated");
  const [code = ""] = query.code;
  const [error = ""] = query.error;
  if (code !== "" && error !== "") return refuse("return-ambiguous");
  if (code !== "") return { ok: true, outcome: { code } };
  return error !== "" ? { ok: true, outcome: { error } } : refuse("return-missing", emptyHint(query));
}

/** Warnings about a callback, whatever it means for the login: secrets in it, or an extra empty outcome. */
export function callbackWarnings(
  { state, code, error, others }: CallbackQuery,
  secrets: readonly NamedSecret[],
): string[] {
  const names = secretsIn([...state, ...code, ...error, ...others].join("\n"), secrets);
  const holds = `the address of the callback holds the ${names.join(", ")}: addresses are kept in logs and histories`;
  const beside = emptyBeside(code, error);
  return [...(names.length === 0 ? [] : [holds]), ...(beside === null ? [] : [beside])];
}

/** One of the two is empty and ignored here; the interface does not say what a platform does with it. */
function emptyBeside([code, ...codes]: readonly string[], [error, ...errors]: readonly string[]): string | null {
  if (code === undefined || error === undefined || codes.length + errors.length > 0) return null;
  if ((code === "") === (error === "")) return null;
  const [given, empty] = code === "" ? ["error", "code"] : ["code", "error"];
  return `the callback has an empty \`${empty}\` as well as \`${given}\`: leave it out, the interface shows only one of them (4.2)`;
}

const restart = "start a new login; the state of a page is valid for one return, and only for a short time";
const shape = "the app redirects to this address with `state` and `code`, or `state` and `error` (interface 4.2)";
const unchanged =
  "the app must return the state of the page unchanged; was it truncated, encoded twice, or issued before a restart?";
const inPath =
  "the callback's path starts with the organization's domain, the claim `domain` of the page's jwtToken; without a domain it is /guard/callback";

const refusals: Record<
  CallbackRefusal["reason"],
  readonly [status: CallbackRefusal["status"], message: string, hint: string]
> = {
  "state-missing": [400, "The callback has no state.", shape],
  "state-repeated": [400, "The callback has more than one state.", shape],
  "state-unknown": [400, "This state was not issued by this platform.", unchanged],
  "state-used": [409, "This state has already been used.", restart],
  "state-expired": [410, "This state has expired.", restart],
  "domain-foreign": [404, "This state belongs to a login of another organization.", inPath],
  "return-missing": [400, "The callback has neither a code nor an error.", shape],
  "return-ambiguous": [400, "The callback has both a code and an error.", shape],
  "return-repeated": [400, "The callback has more than one code or error.", shape],
};

/** @param cause a hint from the callback itself, which replaces the usual one */
function refuse(reason: CallbackRefusal["reason"], cause: string | null = null): CallbackVerdict {
  const [status, message, hint] = refusals[reason];
  return { ok: false, reason, status, message, hint: cause ?? hint };
}

const meant = {
  code: "the one-time code",
  state: "the `state` of the page's address",
  domain: "the organization's domain, the claim `domain` of the page's jwtToken",
};

/** The hint for an app that sent a placeholder such as `undefined`; null: it sent a value. */
export function noValueHint(text: string | null | undefined, what: keyof typeof meant): string | null {
  if (text == null || !isNoValueWord(text)) return null;
  const look = what === "code" ? "was one made, and awaited" : "does it read it by the right name";
  return `the app sent "${text}" instead of ${meant[what]}, so the app had no value; ${look}?`;
}

/** The hint for parameters that are empty although one of them needs a value; null: none is. */
function emptyHint(query: CallbackQuery): string | null {
  const empty = (["code", "error"] as const).filter((name) => query[name].length > 0);
  if (empty.length === 0) return null;
  return `its ${empty.map((name) => `\`${name}\``).join(" and ")} ${empty.length === 1 ? "is" : "are"} empty; ${shape}`;
}

import type { Exchange, RecordedBody, RecordedRequest } from "./exchange.ts";
import { bodyBytes } from "./journal.ts";
import type { JournalRecord } from "./record.ts";

/** What stands in the place of what is hidden. */
export const REDACTED = "‹redacted›";

/** Names of headers that hold credentials. */
export const authorizationHeader = /authorization$/i;

/** A compact JWT within a text; its signature may be hidden already. */
export const jwt = new RegExp(String.raw`(?<![\w-])eyJ[\w-]+\.[\w-]+\.(?:${REDACTED}|[\w-]*)`, "g");

/** Bytes: a call to a guard is smaller, whatever the code. */
const LONGEST_GUARD_BODY = 64 * 1024;
const SHORTEST_TELLING_CODE = 8;

/** What was sent to authenticate calls, in these records: an app may say it back in another one. */
export function credentialsSent(records: readonly (JournalRecord | null)[]): string[] {
  const exchanges = records.filter((record): record is Exchange => record?.type === "exchange");
  return exchanges.flatMap(({ request }) => credentialsIn(request));
}

/**
 * What a request carries to authenticate itself or its user, as secrets: an app may say it back in any form. Those of webhooks as the
 * header's value and without a prefix such as `sha256=`, those of JWTs by themselves.
 */
export function credentialsIn({ url, headers, body }: RecordedRequest): string[] {
  const signatures = headers.flatMap(([name, value]) => (/signature/i.test(name) ? [value] : []));
  const bearers = headers.flatMap(([name, value]) => (authorizationHeader.test(name) ? [value] : []));
  const tokens = [url, ...bearers].flatMap((text) => text.match(jwt) ?? []);
  return [
    ...signatures.flatMap((value) => [value, value.replace(/^[\w-]+=/, "")]),
    ...tokens.map((token) => token.slice(token.lastIndexOf(".") + 1)),
    ...codesIn(body),
  ];
}

/** The code of a final call to a guard (interface 2.2), unless it is so short that it stands in any text by chance. */
function codesIn(body: RecordedBody): string[] {
  if (body.size > LONGEST_GUARD_BODY) return [];
  const [, json = ""] = /"code":("(?:[^"\\]|\\.)*")\}$/.exec(bodyBytes(body).toString("utf8")) ?? [];
  const code = json === "" ? "" : textOf(json);
  return code.length >= SHORTEST_TELLING_CODE ? [code] : [];
}

/** What a JSON string says; what only looks like one, such as with a line feed in it, says what stands there. */
function textOf(json: string): string {
  try {
    return JSON.parse(json);
  } catch {
    return json.slice(1, -1);
  }
}

/** Header and claims of a JWT, for showing: nothing is verified. Null when the token is not a JWT. */
export function decodeJwt(token: string): { header: unknown; claims: unknown } | null {
  const [, header, claims] = /^([\w-]+)\.([\w-]+)\.[\w-]*$/.exec(token) ?? [];
  if (header === undefined || claims === undefined) return null;
  try {
    return { header: decodePart(header), claims: decodePart(claims) };
  } catch {
    return null;
  }
}

function decodePart(part: string): unknown {
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(part, "base64url")));
}

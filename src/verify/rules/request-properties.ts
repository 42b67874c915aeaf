import { decodeJwt } from "../../journal/credentials.ts";
import { headerValue, type RecordedRequest } from "../../journal/exchange.ts";
import { bodyText } from "../../journal/journal.ts";
import { mediaType } from "../../protocol/media-type.ts";

/** The properties of a request, decoded: `token.claims.exp`, `headers.content-type`, `json.userId`, `url.state` … */
export type RequestProperties = ReadonlyMap<string, unknown>;

/** The property `token` of a request with a JWT, whose parts are properties of their own. */
export const A_JWT = "a JWT";
/** Where a JWT may be in a query or a form. */
const TOKEN_FIELD = "jwtToken";
/** Headers that follow from the body and the connection. */
const derived: ReadonlySet<string> = new Set(["content-length", "host", "connection", "transfer-encoding"]);

/** Takes a request of the journal apart. A part that cannot be decoded stays text. */
export function requestProperties({ method, url, headers, body }: RecordedRequest): RequestProperties {
  const properties = new Map<string, unknown>([["method", method]]);
  const address = new URL(url);
  properties.set("url", `${address.origin}${address.pathname}`);
  addFields(properties, "url", address.searchParams);
  for (const [line, value] of headers) {
    const name = line.toLowerCase();
    if (derived.has(name)) continue;
    if (name === "authorization") addAuthorization(properties, value);
    else properties.set(`headers.${name}`, joined(properties.get(`headers.${name}`), value));
  }
  addBody(properties, bodyText(body), mediaType(headerValue(headers, "content-type")));
  return properties;
}

function joined(earlier: unknown, value: string): string {
  return earlier === undefined ? value : `${String(earlier)}, ${value}`;
}

function addAuthorization(properties: Map<string, unknown>, value: string): void {
  const [, scheme = "", credentials = ""] = /^(\S*)\s*(.*)$/s.exec(value) ?? [];
  properties.set("headers.authorization", scheme);
  addToken(properties, credentials);
}

function addToken(properties: Map<string, unknown>, compact: string): void {
  const decoded = decodeJwt(compact);
  if (decoded === null) {
    properties.set("token", compact);
    return;
  }
  properties.set("token", A_JWT);
  addMembers(properties, "token.header", decoded.header);
  addMembers(properties, "token.claims", decoded.claims);
  properties.set("token.signature", compact.slice(compact.lastIndexOf(".") + 1));
}

function addFields(properties: Map<string, unknown>, prefix: string, fields: URLSearchParams): void {
  for (const name of new Set(fields.keys())) {
    const values = fields.getAll(name);
    if (name === TOKEN_FIELD && values.length === 1) addToken(properties, values[0] ?? "");
    else properties.set(`${prefix}.${name}`, values.length === 1 ? values[0] : values);
  }
}

function addBody(properties: Map<string, unknown>, text: string, type: string): void {
  if (text === "") return;
  if (type === "application/x-www-form-urlencoded") {
    addFields(properties, "form", new URLSearchParams(text));
    return;
  }
  try {
    addMembers(properties, "json", JSON.parse(text));
  } catch {
    properties.set("body", text);
  }
}

function addMembers(properties: Map<string, unknown>, path: string, value: unknown): void {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) {
    properties.set(path, value);
    return;
  }
  for (const [name, member] of Object.entries(value)) addMembers(properties, `${path}.${name}`, member);
}

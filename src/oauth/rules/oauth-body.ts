import { parseJson } from "../../protocol/json.ts";
import { mediaType } from "../../protocol/media-type.ts";
import { accept, type Judged, refuse } from "../../protocol/wire-answer.ts";
import { type Parameters, parametersOf } from "./oauth-parameters.ts";

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/**
 * Reads the body of a request to the token endpoint: JSON as in the interface (section 5.2), or a form as in RFC 6749
 * (choice `oauth.token.contentTypes`). In JSON null stands for a missing parameter, and a whole number for its digits,
 * because an installation event has the user's id as a number.
 */
export function readTokenBody(
  contentType: string | undefined,
  body: Uint8Array,
  contentTypes: "json-and-form" | "json",
): Judged<Parameters> {
  const type = mediaType(contentType);
  if (type === JSON_TYPE) return readJsonBody(body);
  if (type === FORM_TYPE && contentTypes === "json-and-form") {
    return readFormBody(Buffer.from(body).toString("utf8"));
  }
  const allowed = contentTypes === "json" ? JSON_TYPE : `${JSON_TYPE} or ${FORM_TYPE}`;
  return refuse("invalid_request", `the content type must be ${allowed}`, { status: 415 });
}

function readFormBody(body: string): Judged<Parameters> {
  // curl and urllib send JSON with this type by default: without this they would be told that everything is missing.
  if (/^\s*\{/.test(body))
    return refuse("invalid_request", `the body looks like JSON, but its content type is ${FORM_TYPE}`);
  return accept(parametersOf(new URLSearchParams(body)));
}

function readJsonBody(body: Uint8Array): Judged<Parameters> {
  const parsed = parseJson(body);
  if (!parsed.ok) return refuse("invalid_request", parsed.reason);
  const { value } = parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse("invalid_request", "the body must be a JSON object");
  }
  const given = Object.entries(value)
    .filter(([, member]) => member !== null)
    .map(([name, member]) => [name, Number.isSafeInteger(member) ? String(member) : member] as const);
  const notText = given.find(([, member]) => typeof member !== "string");
  if (notText !== undefined) return refuse("invalid_request", `${notText[0]} must be a string`);
  return accept(parametersOf(given));
}

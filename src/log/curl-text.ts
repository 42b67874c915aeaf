import { headerName } from "../config/choice-definition.ts";
import { REDACTED } from "../journal/credentials.ts";
import { type Exchange, type HeaderLines, headerValue } from "../journal/exchange.ts";
import { bodyBytes } from "../journal/journal.ts";
import { isIncoming } from "../journal/purposes.ts";
import { redactExchange } from "../journal/redact.ts";
import { printCommand } from "../output/shell-text.ts";
import { shellQuoted } from "../output/shell-word.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { type SignatureScheme, signCommand } from "../webhook/rules/signature.ts";

export interface ShellSigning {
  readonly scheme: SignatureScheme;
  /** The signature covers the body before compression. */
  readonly signsUncompressed: boolean;
  /** Name of the shell variable with the app secret. */
  readonly variable: string;
}

/** Headers that curl sets itself. */
const OWN_HEADERS = new Set(["host", "connection", "content-length"]);
const BEARER = /^Bearer /i;
const TOKEN_IN_URL = new RegExp(`([?&]jwtToken=)${REDACTED}`);

/**
 * Commands of a POSIX shell that send a request again, with curl and Node (hardening S27): a signature is computed with the secret from a variable, a token comes from another variable, other secrets are redacted. Whatever the
 * request contains, the shell treats it as data.
 * @param raw an exchange whose request has an http(s) address, and whose body was kept completely
 */
export function curlText(raw: Exchange, secrets: readonly string[], signing: ShellSigning): string {
  const { request } = redactExchange(raw, secrets);
  const body = bodyBytes(request.body);
  const isSigned = raw.purpose === "webhook" && headerValue(request.headers, signing.scheme.header) !== undefined;
  const url = shellQuoted(harmlessLine(request.url)).replace(TOKEN_IN_URL, `$1'"$TOKEN"'`);
  const options = [
    ...headerOptions(raw.request.headers, request.headers, isSigned ? signing.scheme : null),
    ...unwanted(request.headers, body.length > 0),
    ...(body.length > 0 ? ["--data-binary @-"] : []),
    url,
  ];
  const method = request.method === "HEAD" ? "--head" : `-X ${shellQuoted(harmlessLine(request.method))}`;
  // -g and --path-as-is: the address is sent unchanged.
  const curl = `curl -sSi -g --path-as-is ${method} \\\n${options.map((option) => `  ${option}`).join(" \\\n")}`;
  const isCompressed = headerValue(request.headers, "content-encoding")?.toLowerCase() === "gzip";
  const { idHeader } = signing.scheme;
  const signedId = idHeader === undefined ? null : harmlessLine(headerValue(request.headers, idHeader) ?? "");
  const token = isIncoming(raw.purpose) ? "access token" : "JWT";
  const needsToken = options.some((option) => option.includes('"$TOKEN"'));
  const another =
    token === "JWT" && /^[\w.-]+$/.test(raw.module ?? "")
      ? `; app-sim token --module ${raw.module} prints one like it`
      : "";
  return [
    ...(curl.includes(REDACTED) || body.includes(REDACTED) ? [`# ${REDACTED} stands for a secret`] : []),
    ...(body.length > 0 ? [`body() { ${printCommand(body)}; }`] : []),
    ...(isSigned ? signatureLines(signing, isCompressed, signedId) : []),
    ...(needsToken
      ? [expected("TOKEN", `is not set: give it the ${token} of this call, which app-sim does not show${another}`)]
      : []),
    `${body.length > 0 ? "body | " : ""}${curl}\n`,
  ].join("\n");
}

/** @param id of the delivery, if it is signed too */
function signatureLines(
  { scheme, signsUncompressed, variable }: ShellSigning,
  isGzip: boolean,
  id: string | null,
): string[] {
  const signedBody = isGzip && signsUncompressed ? "body | gzip -dc" : "body";
  const isTimed = scheme.timestampHeader !== null;
  const before = [
    ...(id === null ? [] : [`printf %s. ${shellQuoted(id)};`]),
    ...(isTimed ? ['printf %s. "$timestamp";'] : []),
  ];
  const signed = before.length > 0 ? `{ ${before.join(" ")} ${signedBody}; }` : signedBody;
  return [
    ...(isTimed ? ["timestamp=$(date +%s)"] : []),
    `signature() { ${signed} | ${signCommand(scheme.encoding, variable)}; }`,
    expected(variable, "is not set: app-sim env prints it"),
  ];
}

/** Aborts the command with a message if the shell variable is empty. */
function expected(variable: string, what: string): string {
  return `: "\${${variable}:?${what}}" &&`;
}

function headerOptions(sent: HeaderLines, shown: HeaderLines, scheme: SignatureScheme | null): string[] {
  const allowedName = headerName();
  return sent.flatMap(([name, value], index) => {
    const lower = name.toLowerCase();
    // curl reads -H @name as a file name.
    if (OWN_HEADERS.has(lower) || !allowedName.safeParse(name).success) return [];
    if (lower === scheme?.header.toLowerCase()) return [`-H ${shellQuoted(`${name}: ${scheme.prefix}`)}"$(signature)"`];
    if (lower === scheme?.timestampHeader?.toLowerCase()) return [`-H ${shellQuoted(`${name}: `)}"$timestamp"`];
    if (lower === "authorization" && BEARER.test(value)) return [`-H ${shellQuoted(`${name}: Bearer `)}"$TOKEN"`];
    const [, shownValue = ""] = shown[index] ?? [];
    // curl needs a semicolon to send a header without a value.
    return [`-H ${shellQuoted(harmlessLine(shownValue === "" ? `${name};` : `${name}: ${shownValue}`))}`];
  });
}

/** An empty value keeps curl from adding a header. */
function unwanted(headers: HeaderLines, hasBody: boolean): string[] {
  const added = ["Accept", "User-Agent", ...(hasBody ? ["Content-Type", "Expect"] : [])];
  return added.filter((name) => headerValue(headers, name) === undefined).map((name) => `-H '${name}:'`);
}

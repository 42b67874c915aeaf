import { isUtf8 } from "node:buffer";
import { csrfHint } from "../app-client/framework-hints.ts";
import { type AppSecretKey, appSecretKey } from "../config/app-variables.ts";
import { type Choices, readChoices } from "../config/choices.ts";
import { type Exchange, headerValue } from "../journal/exchange.ts";
import { bodyBytes, bodyText } from "../journal/journal.ts";
import { fitLines } from "../output/fit-lines.ts";
import { indent } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { printCommand } from "../output/shell-text.ts";
import { choicesLine, type ExchangeLines, plural } from "../output/text.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { languageTitles, type VerifierLanguage, verifierLanguages } from "../platform/verifier-language.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { signatureScheme, signCommand, signedContent } from "./rules/signature.ts";
import type { SignatureResult } from "./signature-result.ts";
import type { WebhookResult } from "./webhook-result.ts";

/** The JSON result has the rest of a longer body. */
const SHOWN_CHARACTERS = 2000;
/** Enough of a signature to compare it with another, but too little to use it (hardening S27). */
const DIGEST_CHARACTERS = 12;

/** How a delivery is signed, step by step, and code that verifies it in one language. */
export function signatureText(result: SignatureResult, language: VerifierLanguage, paint: Paint): string[] {
  const { signed, key, algorithm, encoding, header, id, timestamp, prefix } = result;
  const code = result.verifiers.find((verifier) => verifier.language === language)?.code ?? "";
  const others = verifierLanguages.filter((other) => other !== language);
  const fitted = (line: string) => fitLines([line], paint.width);
  return [
    ...fitted(`${paint.strong("Signed")}: ${signed.what}`),
    ...indent(signedLines(result, paint.width), 2),
    ...fitted(
      `${paint.strong("Key")}: ${key.setting} (${plural(key.characters, "character")}), which app-sim env prints as ${key.variable}`,
    ),
    ...fitted(
      `${paint.strong("Signature")}: ${algorithm} of these bytes with this key, in ${encoding}${prefix === "" ? "" : `, after ${prefix}`}`,
    ),
    ...indent([paint.quiet(signingCommand(result))], 2),
    `${paint.strong("Sent as")}:`,
    ...[...(id === null ? [] : [id]), ...(timestamp === null ? [] : [timestamp]), header].map(
      ({ name, value }) => `  ${name}: ${value}`,
    ),
    "",
    `${paint.strong(`Verified in ${languageTitles[language]}`)}:`,
    ...indent(code.split("\n"), 2),
    "",
    ...fitted(paint.quiet(`other languages: --explain ${others.join(", ")}; all of them: --format json`)),
    ...fitted(paint.quiet(`nothing was sent; --seed ${result.seed} makes the same body again`)),
    ...choicesLine(result.choices, paint),
  ];
}

/** The bytes that are signed, with nothing between the lines. */
function signedLines({ signed }: SignatureResult, width: number): string[] {
  const bytes = decoded(signed.base64);
  if (!isUtf8(bytes)) return [`not text: --format json has these ${plural(bytes.length, "byte")} in base64`];
  const text = clip(harmlessLine(bytes.toString()), SHOWN_CHARACTERS);
  const room = Math.max(20, Math.min(width - 2, SHOWN_CHARACTERS));
  return text.match(new RegExp(`.{1,${room}}`, "gsu")) ?? [];
}

/** A shell command that signs exactly these bytes. */
function signingCommand({ signed, encoding, key }: SignatureResult): string {
  const bytes = decoded(signed.base64);
  const isShort = isUtf8(bytes) && bytes.length <= SHOWN_CHARACTERS;
  const print = isShort
    ? printCommand(bytes)
    : "app-sim webhook … --explain --format json | jq -j .signed.base64 | openssl base64 -d -A";
  return `${print} | ${signCommand(encoding, key.variable)}`;
}

function decoded(base64: string): Buffer {
  return Buffer.from(base64, "base64");
}

/** Shows how a refused delivery was signed, in short. */
export function refusedSignatures(
  { journal, config: { apps }, choices }: Pick<SimulatorContext, "journal" | "config" | "choices">,
  { deliveries, diagnosis }: WebhookResult,
): ExchangeLines {
  return (id) => {
    const exchange = journal.find(id);
    const delivery = deliveries.find(({ attempts }) => attempts.some((attempt) => attempt.exchange === id));
    const app = apps.find(({ url }) => url === delivery?.app);
    if (exchange?.type !== "exchange" || app === undefined) return [];
    return refusedSignatureLines(exchange, appSecretKey(apps, app), choices, diagnosis.length > 0);
  };
}

/**
 * How a delivery that the app refused was signed, in short; empty if it had no signature, or the app says that it was
 * refused for another reason.
 */
export function refusedSignatureLines(
  exchange: Exchange,
  key: AppSecretKey,
  choices: Choices,
  isDiagnosed = false,
): string[] {
  const { headers, body } = exchange.request;
  const { response } = exchange;
  if (response !== null && csrfHint({ ...response, body: bodyBytes(response.body) }, false) !== null) return [];
  const { header, encoding, prefix, timestampHeader, idHeader } = signatureScheme(readChoices(choices));
  const signature = headerValue(headers, header);
  if (signature === undefined) return [];
  const isGzip = headerValue(headers, "content-encoding") !== undefined;
  const before = [idHeader, timestampHeader].flatMap((name) =>
    name == null ? [] : (headerValue(headers, name) ?? []),
  );
  const beginning = signature.slice(0, prefix.length + DIGEST_CHARACTERS);
  return [
    `signed: ${harmlessLine(signedContent(body.size, before, isGzip ? choices["webhook.signature.gzip"] : null))}`,
    `key: ${key.setting}, which app-sim env prints as ${key.variable}`,
    harmlessLine(`${header}: ${beginning}… (HMAC-SHA256 in ${encoding})`),
    "usual causes: another secret, such as the client secret; a body that was parsed and serialized again; a signature read from another header; another encoding or prefix, or upper-case hex",
    `app-sim webhook ${eventIn(exchange)} --explain shows each step, and code that verifies it${isDiagnosed ? "" : "; --diagnose finds out what the app would accept"}`,
  ];
}

/** Name of the first event, for a command that explains one like it. */
function eventIn({ request: { body } }: Exchange): string {
  const [, name = "project.translated"] = /^\{"events":\[\{"event":"([\w.-]+)"/.exec(bodyText(body)) ?? [];
  return name;
}

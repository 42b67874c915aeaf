import { hash } from "node:crypto";
import { attributeValues } from "../../../browser/read-html.ts";
import { digestBytes } from "../../../checking/derived-values.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { unpackedBytes } from "../../../journal/readable-body.ts";

/** Names of fields for a secret, even if they show what is typed. */
const secretNames = ["pin", "pincode", "otp", "totp", "passcode", "passphrase", "password", "secret"];
/** Fields for a value that the user knows. */
const passwords = [
  "input[type=password i]",
  "input[autocomplete=one-time-code i]",
  "input[autocomplete=current-password i]",
  ...secretNames.map((name) => `input[name=${name} i]`),
].join();

/** Codes that are no secret, by the word before `code` in the name of their field. */
const openCodes = ["area", "country", "currency", "dial", "lang", "language", "post", "postal", "promo", "zip"];

/** The names of the fields in which a page asks for a value that the user knows. */
export function secretsAskedIn(page: Exchange): string[] {
  return [...passwordsIn(page), ...codeFieldsIn(page)];
}

/** The names of the fields of a page that take a password. */
export function passwordsIn(page: Exchange): string[] {
  return [...namesIn(page, passwords), ...digitFieldsIn(page)];
}

/** Whether a page has a field of this name that takes a number. */
export function asksForNumber(page: Exchange, name: string): boolean {
  return namesIn(page, "input[type=number i]").includes(name);
}

/** A page with this many fields for a single character asks for a code in them. */
const FEWEST_DIGITS = 4;

/** The names of the first and the last field of a page that has one for each digit of a code. */
function digitFieldsIn(page: Exchange): string[] {
  const names = namesIn(page, "input[maxlength='1']:not([type=hidden i])");
  return names.length < FEWEST_DIGITS ? [] : [...names.slice(0, 1), ...names.slice(-1)];
}

/** The names of a page's fields that, by their words, are for a code that the user was sent or can read somewhere. */
function codeFieldsIn(page: Exchange): string[] {
  return namesIn(page, "input:not([type=hidden i])").filter(isSecretName);
}

/**
 * Whether a field is for a value that the user knows.
 * @param name its name, id or label; a page that its scripts draw has no field to look at
 */
export function asksForSecret(page: Exchange, name: string): boolean {
  return isSecretName(name) || [...namesIn(page, passwords), ...namesIn(page, passwords, "id")].includes(name);
}

/** Whether a name is, by its words, that of a field for a value that the user knows. */
export function isSecretName(name: string): boolean {
  const words = name.split(/[^a-zA-Z\d]+|(?<=[a-z\d])(?=[A-Z])/).map((word) => word.toLowerCase());
  if (words.some((word) => secretNames.includes(word))) return true;
  return words.at(-1) === "code" && !words.some((word) => openCodes.includes(word));
}

function namesIn({ response }: Exchange, selector: string, attribute = "name"): string[] {
  if (response === null) return [];
  return attributeValues({ headers: response.headers, body: unpackedBytes(response) }, selector, attribute);
}

/** The parts of a page that nobody sees; not its placeholders, which may hold an example that is right in a test. */
export function unseenIn(html: string): string {
  const unseen =
    /<!--[\s\S]*?-->|<script[\s\S]*?<\/script>|\s(?:value|content|data-[\w-]+)\s*=\s*(?:"[^"]*"|'[^']*')/gi;
  return (html.match(unseen) ?? []).join("\n");
}

/** A hash as password libraries write it: bcrypt, Argon2, scrypt, PBKDF2 and SHA-crypt. */
const PASSWORD_HASH =
  /\$2[abxy]?\$\d\d\$[./\w]{53}|\$(?:argon2(?:id?|d)|scrypt|pbkdf2(?:-sha\d+)?|[56])\$[^\s"'<>]{20,}/;

/** Whether a part of a page that nobody sees has the hash of a password: a short one is found by trying. */
export function holdsPasswordHash(html: string): boolean {
  return PASSWORD_HASH.test(unseenIn(html));
}

/** A shorter password may be in a page by chance. */
const FEWEST_CHARACTERS = 4;

/** Whether a text has this password as a word: as it is, encoded, or as a hash, which a program finds by trying. */
export function isWordOf(text: string, word: string): boolean {
  if (word.length < FEWEST_CHARACTERS) return false;
  const bytes = [Buffer.from(word), ...Object.keys(digestBytes).map((name) => hash(name, word, "buffer"))];
  const encoded = bytes.flatMap((each) => [each.toString("hex"), each.toString("base64url")]);
  // Base64 has two alphabets, and hex two letter cases.
  const words = new Set(text.split(/[^\w+/-]+/).flatMap((each) => [each, each.toLowerCase(), urlSafe(each)]));
  return text.split(/[^\w-]+/).includes(word) || encoded.some((each) => words.has(each));
}

function urlSafe(base64: string): string {
  return base64.replaceAll("+", "-").replaceAll("/", "_");
}

import { gunzipSync } from "node:zlib";
import type { CheckFacts, Verdict } from "../checking/check.ts";
import type { ManifestReading } from "../checking/declared-app.ts";
import type { Choices } from "../config/choices.ts";
import type { App } from "../config/schema.ts";
import { appSecrets } from "../config/secrets.ts";
import { type Exchange, headerValue } from "../journal/exchange.ts";
import { bodyBytes } from "../journal/journal.ts";
import { type FindSecrets, findSecrets } from "../journal/secrets-in.ts";
import { inUsualWords } from "../platform/manifest-words.ts";
import { withoutByteOrderMark } from "../protocol/byte-order-mark.ts";
import { parseJson } from "../protocol/json.ts";
import { inspectJson } from "../protocol/json-notes.ts";
import { SMALL_ANSWER_LIMIT_BYTES } from "../protocol/limits.ts";

/** A check of a manifest as it was read. */
export interface ManifestCheck extends CheckFacts {
  judge(reading: ManifestReading): Verdict;
}

/** How a manifest is read: its app's addresses, the deployment's names (choice `manifest.names`), its secrets. */
export interface ReadingTerms extends Pick<ManifestReading, "origins" | "guardType"> {
  readonly names: Choices["manifest.names"];
  readonly find: FindSecrets;
}

export function readingTerms(app: App, choices: Choices): ReadingTerms {
  const find = findSecrets(appSecrets(app));
  const guardType = choices["guard.type.default"];
  return { origins: [app.url, ...app.fileOrigins], guardType, names: choices["manifest.names"], find };
}

/** The manifest in these reads; the journal may be one of an earlier run. */
export function readingOfExchanges(terms: ReadingTerms, exchanges: readonly Exchange[]): ManifestReading {
  const [first] = exchanges;
  const bytes = first?.response?.status === 200 ? wholeBody(first) : null;
  return { ...readingOfBytes(terms, bytes), exchanges };
}

/** The manifest in the bytes of a file. */
export function readingOfBytes(terms: ReadingTerms, bytes: Uint8Array | null): ManifestReading {
  const { origins, guardType, names, find } = terms;
  const secrets = find(new TextDecoder().decode(bytes ?? undefined));
  const nothing = { exchanges: [], value: undefined, fault: null, repeatedName: null };
  const reading = { ...nothing, origins, guardType, bytes, secrets };
  if (bytes === null) return reading;
  const json = withoutByteOrderMark(bytes);
  const parsed = parseJson(json, "the manifest");
  if (parsed.ok) return { ...reading, value: inUsualWords(parsed.value, names) };
  const value = inUsualWords(patiently(json), names);
  const repeatedName = value === undefined ? null : inspectJson(new TextDecoder().decode(json), "").repeatedKey;
  return { ...reading, value, fault: repeatedName === null ? parsed.reason : null, repeatedName };
}

/** The JSON value of a read; undefined if it is not JSON. */
export function valueOfExchange(exchange: Exchange): unknown {
  const bytes = wholeBody(exchange);
  return bytes === null ? undefined : patiently(bytes);
}

/** Of repeated names the last counts, as for most parsers. */
function patiently(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function wholeBody({ outcome, response }: Exchange): Uint8Array | null {
  if (outcome.kind !== "answered" || response === null) return null;
  const bytes = bodyBytes(response.body);
  if (bytes.length < response.body.size) return null;
  // Some servers compress regardless of Accept-Encoding.
  if (headerValue(response.headers, "content-encoding")?.toLowerCase() !== "gzip") return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: SMALL_ANSWER_LIMIT_BYTES });
  } catch {
    return null;
  }
}

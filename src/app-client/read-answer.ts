import { type HeaderLines, headerValue } from "../journal/exchange.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { noteText, parseJson } from "../protocol/json.ts";
import type { JsonNote } from "../protocol/json-notes.ts";
import { aroundJson, ENDS_EARLY, isHtml, locateJsonSlip, withoutPlace } from "../protocol/json-slip.ts";
import { mediaType } from "../protocol/media-type.ts";
import type { Explanation } from "./explain-outcome.ts";

/** A complete answer of the app, decoded. */
export interface Answer {
  readonly status: number;
  readonly headers: HeaderLines;
  readonly body: Uint8Array;
}

export type JsonAnswer =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** What is wrong with its Content-Type. */
      readonly typeFault: string | null;
      readonly notes: readonly JsonNote[];
      readonly warnings: readonly string[];
    }
  | ({
      readonly ok: false;
      /** An HTML page came instead of data. */
      readonly isPage?: true;
      /** It looks like intended JSON: the hint says what makes it invalid. */
      readonly isSlip?: true;
    } & Explanation);

const EXCERPT_CHARACTERS = 200;

/** What to ask if an HTML page came instead of data. */
export const PAGE_INSTEAD = "does a page, or a catch-all route, answer at this address?";

/**
 * The JSON value of an answer's body, or why there is none.
 * @param shape describes what was expected
 * @param least the smallest valid body
 */
export function readJsonAnswer({ status, headers, body }: Answer, shape: string, least: string): JsonAnswer {
  const type = mediaType(headerValue(headers, "content-type"));
  const parsed = parseJson(body);
  if (parsed.ok) {
    const isJson = type === "application/json" || type.endsWith("+json");
    const typeFault = isJson
      ? null
      : `its Content-Type is ${type === "" ? "missing" : harmlessLine(type)}, expected application/json`;
    const { value, notes } = parsed;
    return {
      ok: true,
      value,
      typeFault,
      notes,
      warnings: [...(typeFault === null ? [] : [typeFault]), ...notes.map(noteText)],
    };
  }
  const expected = `expected ${shape}`;
  if (body.length === 0) {
    const hint = `the handler sent no body: send JSON, at least ${least}`;
    return { ok: false, reason: `the app answered ${status} with an empty body, ${expected}`, hint };
  }
  const start = Buffer.from(body.subarray(0, 4 * EXCERPT_CHARACTERS))
    .toString("utf8")
    .trim();
  const excerpt = `its answer begins: ${clip(harmlessLine(start), EXCERPT_CHARACTERS)}`;
  if ((type === "text/html" && start.startsWith("<")) || isHtml(start)) {
    const hint = `${PAGE_INSTEAD} ${excerpt}`;
    return { ok: false, reason: `the app answered ${status} with an HTML page, ${expected}`, hint, isPage: true };
  }
  const slip = slipIn(body);
  const isCut = slip?.endsWith(ENDS_EARLY) === true || parsed.reason.endsWith("it ends in the middle of a character");
  const cut = isCut ? countedText(headers, body) : "";
  const failed = (reason: string) => ({
    ok: false as const,
    reason: `the app answered ${status}, but ${reason}; ${expected}`,
  });
  if (slip !== null) return { ...failed(withoutPlace(parsed.reason)), hint: slip + cut, isSlip: true };
  return { ...failed(parsed.reason), hint: `send JSON, at least ${least}; ${excerpt}${cut && `.${cut}`}` };
}

/** What makes a body that was meant as JSON invalid; null if the cause is unknown, or it is something else. */
function slipIn(body: Uint8Array): string | null {
  const text = Buffer.from(body).toString();
  if (text.startsWith("\ufeff"))
    return "send it as UTF-8 without a byte order mark (BOM), the invisible bytes EF BB BF at its start";
  return aroundJson(text) ?? (/^\s*(?:[[{]|\/[/*])/.test(text) ? locateJsonSlip(body) : null);
}

/**
 * A possible cause if a body ends too early, is exactly as long as its Content-Length says, and has multi-byte
 * characters.
 */
function countedText(headers: HeaderLines, body: Uint8Array): string {
  const length = headerValue(headers, "content-length");
  if (length !== String(body.length) || body.every((byte) => byte < 0x80)) return "";
  return ` Or does its Content-Length, ${length}, count characters? It must count bytes (Buffer.byteLength(body), in Node)`;
}

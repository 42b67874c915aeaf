import type { TrialCheck, Verdict } from "../checking/check.ts";
import type { RequestParts } from "../checking/request-parts.ts";
import { PASSED, skipVerdict } from "../checking/verdict.ts";
import { keepsBytes, named, withEvents } from "./body.ts";

const PLAIN = "plain";
/** What stands in the name for the text under test: letters that JSON writes in only one way. */
const MARK = "app-sim-text";

/** How a name can be spelled in the bytes of a body, in ways that some layer before the app's own code may decode. */
const spelled: Readonly<Record<string, string>> = {
  [PLAIN]: "Sizes",
  "a slash": "S/M",
  "an escaped slash": String.raw`S\/M`,
  "an escaped quote": String.raw`\"S\"`,
  "an escaped backslash": String.raw`S\\M`,
  "a percent sign": "50%25 and %41",
  "a plus sign": "S+M",
  "an HTML entity": "S &amp; M",
  "angle brackets": "<b>S</b>",
  apostrophes: "Men's 'S'; --",
  braces: "{{S}} {0}",
};

const withName = (request: RequestParts, text: string): RequestParts | null => {
  const marked = withEvents(request, (events) => events.map(named(MARK)));
  if (marked === null || marked.body === null || !("json" in marked.body)) return null;
  const body = JSON.stringify(marked.body.json).replaceAll(MARK, () => text);
  return { ...marked, body: { bytes: Buffer.from(body) } };
};

/** The check of signed deliveries whose text the app's own layers may decode or clean before they hash it (hardening W2). */
export const decodedText: TrialCheck = {
  id: "webhook.spelling.special",
  area: "webhook",
  title: "The app accepts signed deliveries with slashes, quotes, percent signs and markup in their text",
  section: "5.1",
  severity: "must",
  choices: ["webhook.signature.content"],
  why: "An app that decodes, unescapes or cleans the body before hashing it gets other bytes. Then it refuses every delivery with such a text in it.",
  fix: keepsBytes,
  async run({ prepare, send }) {
    for (const [role, text] of Object.entries(spelled)) {
      const request = withName(await prepare(), text);
      if (request !== null) await send(role, request);
    }
  },
  judge({ steps, read }): Verdict {
    const plain = steps.find(({ role }) => role === PLAIN)?.exchange;
    if (plain === undefined) return skipVerdict("nothing was sent");
    if (read(plain).kind !== "accepted") return skipVerdict("the app refuses new fields: see webhook.events.new-field");
    const refused = steps.filter(({ role, exchange }) => role in spelled && read(exchange).kind !== "accepted");
    if (refused.length === 0) return PASSED;
    const says = refused.map(({ role, exchange }) => `${role}: the app ${read(exchange).says}`).join("; ");
    return { result: "fail", reason: `${says}; it accepts a plain name` };
  },
};

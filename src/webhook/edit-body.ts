import type { Invocation } from "../action/invocation.ts";
import { tell } from "../output/tell.ts";
import { parseJson } from "../protocol/json.ts";
import { editText } from "./edit-text.ts";

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Lets the user edit a body. What is saved is the new body, byte for byte; one that was not changed stays as it was,
 * however it was laid out for editing.
 * @throws UsageError as {@link editText} does
 */
export async function editBody(invocation: Invocation, body: Uint8Array): Promise<Uint8Array> {
  const shown = laidOut(body);
  const endsLine = shown.at(-1) === NEWLINE;
  // Editors end a last line that does not end.
  const saved = await editText(invocation, "body.json", endsLine ? shown : Buffer.concat([shown, Buffer.from("\n")]));
  const edited = endsLine ? saved : withoutLineEnd(saved);
  if (edited.equals(shown)) {
    tell(invocation, "the body was not changed: its bytes are sent as they were (an editor with a window has to wait)");
    return body;
  }
  const parsed = parseJson(edited, "the edited body");
  if (!parsed.ok) tell(invocation, `warning: ${parsed.reason}; it is sent as it is`);
  return edited;
}

/** JSON line by line, unless it would come back from that as something else. */
function laidOut(body: Uint8Array): Buffer {
  const bytes = Buffer.from(body);
  const parsed = parseJson(bytes);
  if (!parsed.ok || JSON.stringify(parsed.value) !== bytes.toString()) return bytes;
  return Buffer.from(JSON.stringify(parsed.value, null, 2));
}

function withoutLineEnd(text: Buffer): Buffer {
  if (text.at(-1) !== NEWLINE) return text;
  return text.subarray(0, text.at(-2) === CARRIAGE_RETURN ? -2 : -1);
}

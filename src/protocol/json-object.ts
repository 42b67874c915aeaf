/** Whether a value is what JSON calls an object: neither null nor an array. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is an object or an array. */
export function hasMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** A JSON object in base64 or base64url; null: the text is none. */
export function jsonInBase64(text = ""): Readonly<Record<string, unknown>> | null {
  try {
    const json: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    return isJsonObject(json) ? json : null;
  } catch {
    return null;
  }
}

import { parseJson, Refusal } from "./request.ts";

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** What the platform answered to a call of this app. */
export interface PlatformAnswer {
  readonly status: number;
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown;
}

/**
 * Calls the platform. Refuses with 502 what cannot be reached or breaks off, does not answer in full within 10 seconds,
 * answers more than 1 MiB, or redirects: the secrets that go along are for this one address.
 * @param who the part of the platform that is called, as a refusal names it
 */
export async function callPlatform(who: string, address: string, init: RequestInit): Promise<PlatformAnswer> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(address, { ...init, redirect: "error", signal });
    return { status: response.status, body: jsonOf(await readAnswer(response)) };
  } catch {
    // What exactly went wrong may name inner addresses, and is nothing that the user could do anything about.
    const what = signal.aborted
      ? "did not answer in time"
      : "cannot be reached, or broke off, or sent this app elsewhere";
    throw new Refusal(502, `${who} ${what}. Try again later.`);
  }
}

async function readAnswer({ body }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new RangeError("The answer is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function jsonOf(body: Buffer): unknown {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}

import { createHmac } from "node:crypto";
import { randomIds } from "../app-client/ports.ts";
import { isSameSecret } from "../protocol/same-secret.ts";

/** 132 bits in base64url. */
const CODE_CHARACTERS = 22;
/** Links that were made and never opened, of which the newest are kept. */
const MOST_CODES = 50;

/**
 * The address that opens the inspector, once, for the browser that is first. Its code stands in the fragment, which no
 * browser sends to a server, and is not the token of the run: a terminal, a process list and a history may show it.
 */
export function inspectorLink(url: string, code: string): string {
  return `${url}/#open=${code}`;
}

/** The code of the first link of a run; whoever started the platform knows it too. */
export function firstInspectorCode(token: string): string {
  return createHmac("sha256", token).update("inspector").digest("base64url").slice(0, CODE_CHARACTERS);
}

/** The codes of links that were not opened yet. */
export class InspectorCodes {
  #codes: readonly string[];

  /** @param token of the run */
  constructor(token: string) {
    this.#codes = [firstInspectorCode(token)];
  }

  /** Makes the code of another link. */
  add(): string {
    const code = randomIds.secret().slice(0, CODE_CHARACTERS);
    this.#codes = [...this.#codes, code].slice(-MOST_CODES);
    return code;
  }

  /** Whether it is one of them, which it is no longer afterwards. */
  spend(given: string): boolean {
    const rest = this.#codes.filter((code) => !isSameSecret(given, code));
    const isOne = rest.length < this.#codes.length;
    this.#codes = rest;
    return isOne;
  }
}

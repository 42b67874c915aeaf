import { createHmac } from "node:crypto";
import { randomIds } from "../app-client/ports.ts";
import { isSameSecret } from "../protocol/same-secret.ts";

/** 132 bits in base64url. */
const CODE_CHARACTERS = 22;
/** Unopened links are kept up to this number, the newest first. */
const MOST_CODES = 50;

/**
 * The address that opens the inspector, once, for the first browser. Its code is in the fragment, which browsers never
 * send to a server, and is not the token of the run: terminals, process lists and histories may show it.
 */
export function inspectorLink(url: string, code: string): string {
  return `${url}/#open=${code}`;
}

/** The code of the first link of a run; the process that started the platform derives it as well. */
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

  /** Creates the code of another link. */
  add(): string {
    const code = randomIds.secret().slice(0, CODE_CHARACTERS);
    this.#codes = [...this.#codes, code].slice(-MOST_CODES);
    return code;
  }

  /** Whether it is one of them; it is not valid again. */
  spend(given: string): boolean {
    const rest = this.#codes.filter((code) => !isSameSecret(given, code));
    const isOne = rest.length < this.#codes.length;
    this.#codes = rest;
    return isOne;
  }
}

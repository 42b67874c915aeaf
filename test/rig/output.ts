import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import type { Exchange } from "../../src/journal/exchange.ts";
import { journalPath } from "../../src/journal/journal-file.ts";
import { type ParsedJournal, parseJournal } from "../../src/journal/journal-lines.ts";

/** A file of this repository's `fixtures/`, as an absolute path. */
export function fixturePath(name: string): string {
  return resolve(import.meta.dirname, "../../fixtures", name);
}

/** The one JSON object that `stdout` or `stderr` is to be; throws if there is anything before, after or instead. */
// biome-ignore lint/suspicious/noExplicitAny: what a test looks at in it, the test knows.
export function onlyObject(output: string): any {
  if (!output.startsWith("{") || !output.endsWith("}\n")) throw new Error(`Not one JSON object: ${output}`);
  return JSON.parse(output);
}

/**
 * Every character that a terminal obeys or that reorders what is read, line feeds aside: C0, DEL, C1, bidi
 * controls, line separators (hardening S15).
 */
export function rawControls(output: string): string[] {
  return output.match(/[^\P{Cc}\n]|\p{Bidi_Control}|[\u2028\u2029]/gu) ?? [];
}

/** What the journal in `cwd` holds. */
export function journalIn(cwd: string): ParsedJournal {
  return parseJournal(readFileSync(journalPath(join(cwd, ".app-sim"))));
}

/** The exchanges of the journal in `cwd`, oldest first. */
export function exchangesIn(cwd: string): Exchange[] {
  return journalIn(cwd).records.filter((record) => record.type === "exchange");
}

/** Whether anything listens at the port of 127.0.0.1. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const answer = (isOpen: boolean) => () => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", answer(true)).once("error", answer(false));
  });
}

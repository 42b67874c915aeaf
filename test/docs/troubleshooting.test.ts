import { describe, expect, it } from "vitest";
import { explainOutcome } from "../../src/app-client/explain-outcome.ts";
import { explainStatus } from "../../src/app-client/explain-status.ts";
import type { FailedOutcome } from "../../src/journal/exchange.ts";
import { readPages } from "../rig/docs.ts";
import { readSources, withoutComments } from "../rig/sources.ts";

const page = readPages().find(({ name }) => name === "docs/troubleshooting.md")?.text ?? "";
const code = readSources()
  .map(({ text }) => withoutComments(text))
  .join("\n");

/** Messages of other programs: one that an app made up, and npm's question. */
const ofOthers = ["bad code", "npx app-sim"];

const outcomes: readonly FailedOutcome[] = [
  { kind: "unreachable", code: "ECONNREFUSED", detail: "", elsewhere: "http://[::1]:3000" },
  { kind: "disconnected", phase: "headers", detail: "" },
  { kind: "tls-failed", code: "DEPTH_ZERO_SELF_SIGNED_CERT", detail: "self-signed certificate" },
  { kind: "timed-out", limitMs: 10_000, phase: "headers" },
];

/** What app-sim says of calls that failed, or that the app refused. */
function explanations(): string {
  const url = "http://127.0.0.1:3000/check";
  const facts = { by: "signature", header: "X-Platform-Signature", url } as const;
  const explained = [
    ...outcomes.map((outcome) => explainOutcome(outcome, outcome.kind === "tls-failed" ? `https${url.slice(4)}` : url)),
    ...[401, 403, 404, 413].map((status) => explainStatus({ status, headers: [], body: Buffer.from("") }, facts)),
  ];
  return explained.map(({ reason, hint }) => `${reason}\n${hint}`).join("\n");
}

/** The messages in the first columns of the page's tables. */
const messages = [...page.matchAll(/^\| ([^|]*`[^|]*) \|/gm)].map(([, cell = ""]) => /`([^`]+)`/.exec(cell)?.[1] ?? "");

/** What differs from one message to the next, and is `${…}` in the code: addresses, numbers and quoted words. */
const values = /https?:\/\/\S+\d|\d[\d.]*|"\w+"/;

/** Whether the code has the words of a message: between two values, or from an ellipsis to the next, in one piece. */
function isInCode(message: string): boolean {
  return message.split("…").every((part) => {
    const words = part.split(values).map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(words.join("\\$\\{[^}]+\\}").trim()).test(code);
  });
}

describe("docs/troubleshooting.md quotes messages", () => {
  const said = explanations();

  it("of four kinds", () => {
    expect(page.match(/^\| message \|/gm)).toHaveLength(4);
    expect(messages.length).toBeGreaterThan(20);
  });

  it.each(messages.filter((message) => !ofOthers.includes(message)))("that app-sim prints: %s", (message) => {
    expect(said.includes(message) || isInCode(message)).toBe(true);
  });

  it("that app-sim does not print, which come from other programs", () => {
    expect(ofOthers.filter((message) => !messages.includes(message) || isInCode(message))).toEqual([]);
  });
});

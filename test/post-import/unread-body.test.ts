import { describe, expect, it } from "vitest";
import { unreadBodyHint } from "../../src/post-import/rules/unread-body.ts";

function hintOf(sent: number, answered: readonly [status: number, body: string] | null, hint: string | null = null) {
  const answer = answered && { status: answered[0], headers: [], body: Buffer.from(answered[1]) };
  return unreadBodyHint({ sent, answer, hint });
}

const large = 180_640;
const OWN_LOG = "look in the app's own log";

describe("an app that did not read the whole body of a job", () => {
  it.each<[what: string, answered: [number, string] | null, hint: string | null]>([
    ["500", [500, '{"error":"Something went wrong"}'], OWN_LOG],
    ["500, perhaps without a secret", [500, ""], `${OWN_LOG}; if that names no cause: does the app run with …?`],
    ["400", [400, ""], null],
    [
      "an error for its user that says nothing",
      [200, '{"error":{"message":"Something went wrong"}}'],
      "the user is shown this text",
    ],
    ["no answer", null, "did the app crash or exit on this call?"],
  ])("may have a size limit: it answers %s to a large job", (_, answered, hint) => {
    expect(hintOf(large, answered, hint)).toMatch(
      /^the job has 180,640 bytes: does the app's body size limit allow that\? The default is 100 kB in Express; the platform sends up to 5 MB/,
    );
    expect(hintOf(2_000_000, answered, hint)).toContain("100 kB in Express, and 1 MB in Fastify, Koa and nginx;");
    expect(hintOf(large, answered, hint)?.toLowerCase()).toContain(hint?.toLowerCase() ?? "");
    expect(hintOf(2000, answered, hint)).toBe(hint);
  });

  it.each<[answered: [number, string]]>([
    [[400, '{"error":{"message":"request entity too large"}}']],
    [[200, '{"error":{"message":"request entity too large"}}']],
    [[500, "PayloadTooLargeError: request entity too large"]],
    [[400, "Request body is too large"]],
  ])("says so: %j", (answered) => {
    expect(hintOf(large, answered, "is this message for the user?")).toMatch(/^raise the app's body size limit/);
  });

  it.each([
    "Unterminated string in JSON at position 64859",
    "SyntaxError: Unexpected end of JSON input",
    "unexpected EOF",
    "EOF while parsing a string at line 1 column 65536",
  ])("read a part of it: %s", (message) => {
    expect(hintOf(large, [400, JSON.stringify({ error: { message } })])).toMatch(/did the app parse only a part/);
  });

  it.each<[what: string, answered: [number, string], hint: string | null]>([
    ["a hint that names the cause", [500, "no key"], "does the app run with PLATFORM_CLIENT_SECRET?"],
    [
      "its own words about the file",
      [200, '{"error":{"message":"The file is too large."}}'],
      "the user is shown this text",
    ],
    [
      "a file that is not JSON",
      [200, '{"error":{"message":"Unexpected end of JSON input"}}'],
      "the user is shown this text",
    ],
    ["another status", [422, ""], null],
    ["413, which is explained already", [413, "request entity too large"], "raise it"],
  ])("is not suspected of it after %s", (_, answered, hint) => {
    expect(hintOf(large, answered, hint)).toBe(hint);
  });
});

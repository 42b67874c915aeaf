import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { defaultConfig } from "../../src/config/default-world.ts";
import { findUser } from "../../src/config/users.ts";
import { writtenFor } from "../../src/guard-checks/pages/return/forged-cookie-check.ts";

const own = findUser(defaultConfig, "manager");
const other = findUser(defaultConfig, "member");
const sha256 = (text: string | number) => createHash("sha256").update(String(text)).digest("hex");
const inBase64 = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

test.each([
  ["the id", String(own.id), String(other.id)],
  ["the login", own.login, other.login],
  ["a hash of the id", sha256(own.id), sha256(other.id)],
  ["the id beside a word", `user:${own.id}`, `user:${other.id}`],
  ["JSON", encodeURIComponent(`{"user":${own.id}}`), encodeURIComponent(`{"user":${other.id}}`)],
  ["JSON in base64", inBase64({ user: own.id, ok: true }), inBase64({ user: other.id, ok: true })],
  ["a larger number", `${own.id}7`, null],
  ["a hash of something else", sha256(`${own.id}!`), null],
  ["a random key", "m8Cq1vXW0bYpZ3nTt5sRaw", null],
  ["a word", "yes", null],
])("a cookie with %s is written for another user", (_, value, expected) => {
  expect(writtenFor(value, own, other)).toBe(expected);
});

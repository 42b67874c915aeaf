import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import fastify from "fastify";
import { expect, test } from "vitest";
import { fixturePath } from "../rig/output.ts";

// It has no types.
const express = createRequire(import.meta.url)("express");
const comment = readFileSync(fixturePath("verifiers/verifier.mjs"), "utf8");

/** What an app answers to a delivery without a Content-Type, which is forged: nobody signed it. */
async function answerOf(url: string): Promise<string> {
  const response = await fetch(url, { method: "POST", body: new Uint8Array(Buffer.from('{"events":[]}')) });
  return response.text();
}

const kindOf = (body: unknown) => (Buffer.isBuffer(body) ? "bytes" : typeof body);

test("the parser named for Express also gives the bytes of a body without a Content-Type", async () => {
  expect(comment).toContain('express.raw({ type: () => true, limit: "1mb" })');
  const app = express();
  app.post(
    "/",
    express.raw({ type: () => true, limit: "1mb" }),
    (request: { body: unknown }, response: { send(text: string): void }) => response.send(kindOf(request.body)),
  );
  const server = app.listen(0, "127.0.0.1");
  try {
    await new Promise((resolve) => server.once("listening", resolve));
    expect(await answerOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).toBe("bytes");
  } finally {
    server.close();
  }
});

test("so does the one for Fastify", async () => {
  expect(comment).toContain('removeAllContentTypeParsers() and addContentTypeParser("*", { parseAs: "buffer" },');
  const app = fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.post("/", async ({ body }) => kindOf(body));
  try {
    expect(await answerOf(await app.listen({ port: 0, host: "127.0.0.1" }))).toBe("bytes");
  } finally {
    await app.close();
  }
});

import { describe, expect, it } from "vitest";
import { explainStatus, readJsonAnswer } from "../../src/app-client/read-answer.ts";

const read = (body: string, type = "application/json") =>
  readJsonAnswer({ status: 200, headers: [["content-type", type]], body: Buffer.from(body) }, "an object");

describe("readJsonAnswer", () => {
  it("R17, R18: warns of what readers differ about, with its path", () => {
    expect(read('{"id":9007199254740993,"text":["\\ud83d"]}', "text/plain")).toMatchObject({
      ok: true,
      warnings: [
        "its Content-Type is text/plain, expected application/json",
        expect.stringMatching(/^id is 9007199254740993, beyond 2\^53/),
        expect.stringMatching(/^text\[0\] holds half a character \(\\ud83d\)/),
      ],
    });
    expect(read('{"id":1}')).toMatchObject({ ok: true, warnings: [] });
  });

  it("R17: names where a key stands twice", () => {
    expect(read('{"data":{"strings":[{"a":1,"a":2}]}}')).toMatchObject({
      ok: false,
      reason:
        'the app answered 200, but the body has the key "a" twice in one object (data.strings[0]); expected an object',
    });
  });
});

describe("a 404", () => {
  const reasonOf = (body: string) =>
    explainStatus({ status: 404, headers: [], body: Buffer.from(body) }, "signature").reason;

  it.each([
    ["Express", "<!DOCTYPE html><pre>Cannot POST /webhooks</pre>"],
    ["Express in text", "Cannot POST /webhooks"],
    ["Fastify", '{"message":"Route POST:/webhooks not found","error":"Not Found","statusCode":404}'],
    ["FastAPI", '{"detail":"Not Found"}'],
    ["Spring", '{"timestamp":"2030-01-01T00:00:00Z","status":404,"error":"Not Found","path":"/webhooks"}'],
    ["Go", "404 page not found\n"],
    ["Koa", "Not Found"],
    ["Laravel", '{"message":"The route webhooks could not be found."}'],
    ["Flask", "<title>404 Not Found</title><p>The requested URL was not found on the server.</p>"],
    ["a problem document", '{"type":"about:blank","title":"Not Found","status":404}'],
    ["nothing", ""],
  ])("of a router is no such endpoint: %s", (_, body) => {
    expect(reasonOf(body)).toBe("the app answered 404: it has no such endpoint");
  });

  it.each([
    ["an error", '{"error":"project 42 not found"}', "project 42 not found"],
    ["a text", "unknown organization", "unknown organization"],
    ["a denial", '{"success":false}', '{"success":false}'],
    ["within", '{"errors":[{"code":404,"message":"No user with this id"}]}', "No user with this id"],
  ])("whose body says something else is the handler's own: %s", (_, body, says) => {
    expect(reasonOf(body)).toBe(`the app answered 404, in its own words: ${says}`);
  });
});

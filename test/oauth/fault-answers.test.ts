import { describe, expect, test } from "vitest";
import { faultAnswer, parseFault } from "../../src/oauth/rules/faults.ts";
import { type FaultPlace, faultKinds } from "../../src/protocol/fault-kinds.ts";

const notKept = { "cache-control": "no-store", pragma: "no-cache" };
const json = { "content-type": "application/json; charset=utf-8", ...notKept };
const asked = (fault: string) => `app-sim was asked for this fault: ${fault}`;

const oauthError = (fault: string, status: number, error: string) => ({
  status,
  headers: json,
  value: { error, error_description: asked(fault) },
});
const apiFault = (fault: string, code: number, headers: Record<string, string> = {}) => ({
  status: code,
  headers: { ...json, ...headers },
  value: { error: { message: asked(fault), code } },
});
const challenge = (fault: string, error: string) => ({
  "www-authenticate": `Bearer error="${error}", error_description="${asked(fault)}"`,
});

const inJson: Record<string, { status: number; headers: Record<string, string>; value: unknown }> = {
  "token=400": oauthError("token=400", 400, "invalid_request"),
  "token=500": oauthError("token=500", 500, "server_error"),
  "token=503": oauthError("token=503", 503, "temporarily_unavailable"),
  "refresh=refused": oauthError("refresh=refused", 400, "invalid_grant"),
  "refresh=400": oauthError("refresh=400", 400, "invalid_request"),
  "refresh=500": oauthError("refresh=500", 500, "server_error"),
  "refresh=503": oauthError("refresh=503", 503, "temporarily_unavailable"),
  "api=401": apiFault("api=401", 401, challenge("api=401", "invalid_token")),
  "api=403": apiFault("api=403", 403, challenge("api=403", "insufficient_scope")),
  "api=404": apiFault("api=404", 404),
  "api=429": apiFault("api=429", 429, { "retry-after": "1" }),
  "api=500": apiFault("api=500", 500),
  "api=503": apiFault("api=503", 503),
};
const pages = ["token=html", "refresh=html", "api=html"];
const broken = ["token=garbage", "refresh=garbage", "api=garbage"];
const without = [
  "token=slow",
  "refresh=slow",
  "api=slow",
  "consent=denied",
  "consent=server_error",
  "consent=temporarily_unavailable",
];

test("covers every fault", () => {
  const places = Object.keys(faultKinds) as FaultPlace[];
  const all = places.flatMap((place) => faultKinds[place].map((kind) => `${place}=${kind}`));
  expect([...Object.keys(inJson), ...pages, ...broken, ...without].sort()).toEqual(all.sort());
});

describe("the answer to", () => {
  test.each(Object.entries(inJson))("%s is an error in JSON, in the style of the place", (text, expected) => {
    const { body, ...head } = faultAnswer(parseFault(text)) ?? expect.fail("no answer");
    expect({ ...head, value: JSON.parse(body) }).toEqual(expected);
  });

  test.each(pages)("%s is the page of a load balancer", (text) => {
    const { body, ...head } = faultAnswer(parseFault(text)) ?? expect.fail("no answer");
    expect(head).toEqual({ status: 502, headers: { "content-type": "text/html" } });
    expect(body).toMatch(/^<html>.*<h1>502 Bad Gateway<\/h1>.*<\/html>\r\n$/s);
    expect(body).toContain(asked(text));
  });

  test.each(broken)("%s is a success that ends in the middle of its JSON", (text) => {
    const { body, ...head } = faultAnswer(parseFault(text)) ?? expect.fail("no answer");
    expect(head).toEqual({ status: 200, headers: json });
    expect(body).toMatch(/^\{"/);
    expect(() => JSON.parse(body)).toThrow(SyntaxError);
  });

  test.each(without)("%s is not one of its own", (text) => {
    expect(faultAnswer(parseFault(text))).toBeNull();
  });
});

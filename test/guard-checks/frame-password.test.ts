import { describe, expect, test } from "vitest";
import type { RequestParts } from "../../src/checking/request-parts.ts";
import { framePasswordCheck } from "../../src/guard-checks/pages/frame/frame-password.ts";
import type { FrameTools } from "../../src/guard-checks/pages/walk/frame-tools.ts";
import type { Exchange } from "../../src/journal/exchange.ts";

const form = "application/x-www-form-urlencoded";

function requestWith(body: string, type: string, query = ""): RequestParts {
  return {
    method: "POST",
    url: `http://127.0.0.1:3000/check${query}`,
    headers: [["Content-Type", type]],
    body: body === "" ? null : { bytes: Buffer.from(body) },
    token: null,
    tokenIn: { placeholder: "TOKEN" },
  };
}

/** What the check sends in place of the page's right request, as its query and body. */
async function spoiled(
  right: RequestParts,
  configured: Record<string, unknown>,
  othersWhoFill: readonly unknown[] = [],
): Promise<string[]> {
  const refusal = { response: { status: 403, headers: [], body: { size: 0 } } } as unknown as Exchange;
  const sent: string[] = [];
  await framePasswordCheck.run({
    configured,
    person: { user: { id: 104, login: "milan" } },
    othersValues: () => ["1357"],
    othersWhoFill,
    valueOf: () => "1357",
    redeemAll: async () => false,
    earlier: [],
    open: async () => ({ response: null }) as Exchange,
    prepare: async () => right,
    send: async (role: string, { url, body }: RequestParts) => {
      const text = body !== null && "bytes" in body ? Buffer.from(body.bytes).toString() : "";
      if (role !== "right") sent.push(new URL(url).search + text);
      return refusal;
    },
  } as unknown as FrameTools);
  return sent;
}

describe("a password in the call of a frame page is replaced", () => {
  test("in JSON, whatever its Content-Type", async () => {
    const right = requestWith('{"jwtToken":"TOKEN","answer":{"pin":"2468"}}', "text/plain");
    const wrong = (answer: string) => `{"jwtToken":"TOKEN","answer":${answer}}`;
    expect(await spoiled(right, { pin: "2468" })).toEqual([
      wrong('{"pin":"3579"}'),
      wrong('{"pin":""}'),
      wrong("{}"),
      wrong('{"pin":"0"}'),
      wrong('{"pin":"24"}'),
      wrong('{"pin":"68"}'),
      wrong('{"pin":true}'),
      wrong('{"pin":["3579"]}'),
      wrong('{"pin":"1357"}'),
      wrong('{"pin":"2468.0"}'),
    ]);
  });

  test("with that of another user, together with the user's id", async () => {
    const other = { user: { id: 103, login: "maria" } };
    const json = (text: string) => requestWith(text, "application/json");
    expect(await spoiled(json('{"id":104,"pin":"2468"}'), { pin: "2468" }, [other])).toContain(
      '{"id":103,"pin":"1357"}',
    );
    const [about] = (await spoiled(json('{"pin":"2468"}'), { pin: "2468" }, [other])).filter((sent) =>
      sent.includes("103"),
    );
    expect(JSON.parse(about ?? "{}")).toMatchObject({ pin: "1357", userId: 103, user_id: 103, login: "maria" });
  });

  test("in JSON as a number, under another name", async () => {
    const sent = await spoiled(requestWith('{"n":2468,"m":1}', "application/json"), { pin: "2468" });
    expect(sent.slice(0, 2)).toEqual(['{"n":3579,"m":1}', '{"n":"","m":1}']);
    expect(sent).not.toContain('{"n":2468,"m":1}');
  });

  test("in a form", async () => {
    const right = requestWith("visit=a1&pin=2468", form);
    expect(await spoiled(right, { pin: "2468" })).toEqual([
      "visit=a1&pin=3579",
      "visit=a1&pin=",
      "visit=a1",
      "visit=a1&pin=0",
      "visit=a1&pin=24",
      "visit=a1&pin=68",
      "visit=a1&pin=1357",
      "visit=a1&pin=2468.0",
    ]);
  });

  test("in the address", async () => {
    const [other, , missing] = await spoiled(requestWith("", "", "?pin=2468&a=1"), { PIN: "2468" });
    expect([other, missing]).toEqual(["?pin=3579&a=1", "?a=1"]);
  });

  test.each([
    ["is none", '{"name":"2468"}', { name: "2468" }],
    ["is sent hashed", '{"pin":"1f2e"}', { pin: "2468" }],
    ["may be anything else", '{"step":"1"}', { pin: "1" }],
  ])("unless it %s", async (_, body, configured) => {
    expect(await spoiled(requestWith(body, "application/json"), configured)).toEqual([]);
  });
});

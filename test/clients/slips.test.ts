import { describe, expect, it } from "vitest";
import { codeFor, exchange, garden, REDIRECT_URI, send, startPlatform } from "../rig/oauth.ts";

/** What a person who writes a client by hand gets wrong, and is told. */
describe("a client written by hand", () => {
  const type = "application/x-www-form-urlencoded";

  it.each([
    ["JSON without its content type, as curl -d and urllib send it", type, '{"grant_type":"refresh_token"}', 400],
    ["JSON as fetch sends it", "text/plain;charset=UTF-8", '{"grant_type":"refresh_token"}', 415],
    ["a form that says it is JSON", "application/json", "grant_type=refresh_token", 400],
    ["a form with boundaries, as curl -F sends it", "multipart/form-data; boundary=x", "--x--", 415],
  ])("gets the error for %s", async (_slip, contentType, body, status) => {
    await using sim = await startPlatform();
    const headers = { "content-type": contentType };
    const answer = await send(`${sim.url}/oauth/token`, { method: "POST", headers, body });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toEqual({
      error: "invalid_request",
      error_description: expect.stringMatching(/content type|not valid JSON/),
    });
  });

  it("learns which redirect_uri it sent before, if the two differ", async () => {
    await using sim = await startPlatform();
    const code = await codeFor(sim);
    const answer = await exchange(sim, { code, redirect_uri: `${REDIRECT_URI}/` });
    expect(JSON.parse(answer.body).error_description).toContain(`: ${REDIRECT_URI}`);
    const stranger = await exchange(sim, { code, redirect_uri: "x", client_secret: "wrong" });
    expect(stranger.body, "only the client itself is told").not.toContain(garden.redirectUris[0]);
  });
});

import { describe, expect, it } from "vitest";
import { unregisteredRedirect } from "../../src/oauth/rules/near-redirect.ts";

const say = (sent: string, ...registered: string[]) => unregisteredRedirect(sent, registered, "REGISTER");

describe("unregisteredRedirect", () => {
  it.each([
    ["http://localhost:3000/cb", "http://127.0.0.1:3000/cb", "its host (localhost instead of 127.0.0.1)"],
    ["http://[::1]:3000/cb", "http://localhost:3000/cb", "its host ([::1] instead of localhost)"],
    ["http://127.0.0.1/cb/?a=b", "http://127.0.0.1/cb?a=b", "the trailing slash of its path"],
    ["https://app.example", "https://app.example/", "the trailing slash of its path"],
    ["https://localhost:3000/cb", "http://localhost:3000/cb", "its scheme (https instead of http)"],
    ["http://localhost:3000/CB", "http://localhost:3000/cb", "the case of its path"],
    ["http://localhost:3000/cb?a", "http://localhost:3000/cb", "its query"],
    ["http://localhost:3000/cb", "http://localhost:3000/cb?a", "its query"],
    [
      "http://localhost:3000/cb/",
      "http://127.0.0.1:3000/cb",
      "its host (localhost instead of 127.0.0.1) and the trailing slash of its path",
    ],
  ])("says by what %s differs from %s", (sent, registered, difference) => {
    const said = say(sent, registered);
    expect(said.difference).toBe(`; it differs from the registered ${registered} only by ${difference}`);
    expect(said.hint).toContain("register exactly this text: REGISTER; ");
    expect(said.hint).toMatch(/; otherwise let the app send \S+$/);
    expect(said.hint.endsWith(registered)).toBe(true);
  });

  it.each([
    ["/cb", ["http://127.0.0.1:3000/other", "http://127.0.0.1:3000/cb"], "http://127.0.0.1:3000/cb"],
    ["undefined/cb", ["http://127.0.0.1:3000/other", "http://127.0.0.1:3000/cb"], "http://127.0.0.1:3000/cb"],
    ["/elsewhere", ["http://127.0.0.1:3000/cb"], "http://127.0.0.1:3000/cb"],
    ["/cb", [], "such as http://127.0.0.1:3000/oauth/callback"],
  ])("says that %s is not a full URL, if %j is registered", (sent, registered, meant) => {
    expect(say(sent, ...registered)).toEqual({
      difference: ", and is not a full URL",
      hint: `let the app send the full URL, ${meant}`,
    });
  });

  it("says which of the two to change", () => {
    expect(say("http://localhost/cb", "http://127.0.0.1/cb").hint).toMatch(/^if the login starts at localhost \(/);
    expect(say("http://localhost/cb/", "http://localhost/cb").hint).toMatch(/serves its callback with the slash, /);
    expect(say("http://localhost/cb", "http://localhost/cb/").hint).toMatch(/serves its callback without the slash, /);
  });

  it("names the nearest of several", () => {
    const registered = ["http://app.example/cb", "http://localhost:3000/cb/", "http://127.0.0.1:3000/cb/"];
    expect(say("http://127.0.0.1:3000/cb", ...registered).hint).toMatch(
      /let the app send http:\/\/127\.0\.0\.1:3000\/cb\/$/,
    );
  });

  it.each([
    ["http://localhost:3000/cb", "http://127.0.0.1:3001/cb"],
    ["http://localhost:3000/cb//", "http://localhost:3000/cb"],
    ["http://localhost:3000/auth/cb", "http://localhost:3000/cb"],
    ["http://localhost.evil.example/cb", "http://localhost/cb"],
    ["http://localhost@evil.example/cb", "http://localhost/cb"],
    ["http://local\thost/cb", "http://localhost/cb"],
    ["javascript:alert(1)", "http://localhost/cb"],
  ])("calls %j and %s not near", (sent, registered) => {
    expect(say(sent, registered)).toEqual({ difference: "", hint: "register exactly this text: REGISTER" });
  });

  it("says how to register if nothing is registered", () => {
    expect(say("http://localhost/cb")).toEqual({ difference: "", hint: "register exactly this text: REGISTER" });
  });
});

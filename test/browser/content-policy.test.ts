import { describe, expect, it } from "vitest";
import { allowsAddress, forbidsForms, readPolicies, sourcesFor } from "../../src/browser/content-policy.ts";

const platform = new URL("http://127.0.0.1:7410/host.js");
const self = new URL("http://localhost:3000/page");

describe("a source of a Content-Security-Policy", () => {
  it.each<[source: string, address: string, isAllowed: boolean]>([
    ["*", "http://127.0.0.1:7410/", true],
    ["'none'", "http://127.0.0.1:7410/", false],
    ["'self'", "http://127.0.0.1:7410/", false],
    ["'self'", "http://localhost:3000/x", true],
    ["http:", "http://127.0.0.1:7410/", true],
    ["http:", "https://platform.example/", true],
    ["https:", "http://127.0.0.1:7410/", false],
    ["http://127.0.0.1:7410", "http://127.0.0.1:7410/host.js", true],
    ["HTTP://127.0.0.1:7410", "http://127.0.0.1:7410/host.js", true],
    ["127.0.0.1:7410", "http://127.0.0.1:7410/host.js", true],
    ["127.0.0.1:*", "http://127.0.0.1:7410/host.js", true],
    ["127.0.0.1", "http://127.0.0.1:7410/host.js", false],
    ["http://127.0.0.1:7411", "http://127.0.0.1:7410/host.js", false],
    ["http://localhost:7410", "http://127.0.0.1:7410/host.js", false],
    ["http://127.0.0.1:7410/host.js", "http://127.0.0.1:7410/host.js", true],
    ["http://127.0.0.1:7410/sdk/", "http://127.0.0.1:7410/host.js", false],
    ["http://127.0.0.1:7410/sdk/", "http://127.0.0.1:7410/sdk/host.js", true],
    ["platform.example", "http://platform.example/", true],
    ["platform.example:80", "http://platform.example/", true],
    ["https://platform.example:443", "https://platform.example/", true],
    ["*.platform.example", "http://acme.platform.example/", true],
    ["*.platform.example", "http://platform.example/", false],
    ["ws://127.0.0.1:7410", "http://127.0.0.1:7410/", false],
    ["///", "http://127.0.0.1:7410/", false],
  ])("%s: %s %s", (source, address, isAllowed) => {
    expect(allowsAddress([source], new URL(address), self)).toBe(isAllowed);
  });
});

describe("a policy on forms", () => {
  it.each<[policy: string, by: "form" | "redirect", isForbidden: boolean]>([
    ["form-action 'self'", "form", true],
    ["default-src 'none'", "form", false],
    ["sandbox allow-scripts", "form", true],
    ["sandbox allow-forms", "redirect", false],
    ["form-action http://127.0.0.1:7410", "redirect", false],
    ["form-action http://127.0.0.1:7411", "redirect", true],
    ["form-action http://127.0.0.1:7410/other", "form", true],
    ["form-action http://127.0.0.1:7410/other", "redirect", false],
    ["form-action 127.0.0.1:7410/other", "redirect", false],
  ])("%s, by a %s: %s", (line, by, isForbidden) => {
    expect(readPolicies(line).some((policy) => forbidsForms(policy, platform, self, by))).toBe(isForbidden);
  });
});

describe("a header of policies", () => {
  it("holds one policy or several, each with directives in any case, of which the first of a name counts", () => {
    const [first, second] = readPolicies(
      " Script-Src 'self'  a ; script-src b; ; default-src 'none' , frame-ancestors",
    );
    expect([...(first ?? [])].filter(([name]) => name === "script-src")).toEqual([["script-src", ["'self'", "a"]]]);
    expect(second?.get("frame-ancestors")).toEqual([]);
  });

  it("gives a kind of content the sources of the nearest directive", () => {
    const [policy = new Map()] = readPolicies("default-src a; script-src b");
    expect(sourcesFor(policy, "script-src-elem", "script-src", "default-src")).toEqual(["b"]);
    expect(sourcesFor(policy, "style-src", "default-src")).toEqual(["a"]);
    expect(sourcesFor(policy, "frame-ancestors")).toBeNull();
    expect(allowsAddress(["a", "http://127.0.0.1:*"], platform, self)).toBe(true);
  });
});

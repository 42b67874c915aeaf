import { expect, it } from "vitest";
import { explainOutcome } from "../../src/app-client/explain-outcome.ts";

const unreachable = (code: string, detail = code) => ({ kind: "unreachable", code, detail, elsewhere: null }) as const;

it.each([
  ["EMFILE", "app-sim"],
  ["ENFILE", "this machine"],
])("%s is not the app's fault, and says which limit there is", (code, who) => {
  expect(explainOutcome(unreachable(code), "http://127.0.0.1:3000/webhook")).toEqual({
    reason: `no connection to http://127.0.0.1:3000: ${who} has reached its limit of open files and connections (${code})`,
    hint: "raise the limit (ulimit -n), or use fewer connections at a time",
  });
});

it("S29 an address that may not be called is explained for files and for load", () => {
  const outcome = unreachable("FORBIDDEN_ADDRESS", "8.8.8.8 is a public address");
  const { reason, hint } = explainOutcome(outcome, "http://example.test/webhook");
  expect(reason).toBe("http://example.test is not called: 8.8.8.8 is a public address");
  expect(hint).toMatch(/files need .* public one; load tests and invalid requests .* private networks/);
});

it("EADDRNOTAVAIL is reported as a lack of this machine", () => {
  const { reason, hint } = explainOutcome(unreachable("EADDRNOTAVAIL"), "http://127.0.0.1:9/w");
  expect(reason).toBe(
    "no connection to http://127.0.0.1:9: this machine has no address or no free port for it (EADDRNOTAVAIL)",
  );
  expect(hint).toContain("fewer connections");
});

it.each(["ENOTFOUND", "ECONNREFUSED", "EHOSTUNREACH"])(
  "S21 %s at an address that is not the app's: --app is not blamed",
  (code) => {
    const elsewhere = explainOutcome(unreachable(code), "http://guard.example/check", ["http://127.0.0.1:3000/base"]);
    expect(elsewhere.hint).toMatch(/^this address is not the app's own: /);
    expect(explainOutcome(unreachable(code), "http://127.0.0.1:3000/x", ["http://127.0.0.1:3000/base"]).hint).toContain(
      "--app",
    );
  },
);

it.each([
  { kind: "disconnected", phase: "headers", detail: "" },
  { kind: "not-http", detail: "it begins with a TLS alert" },
] as const)("$kind: an app that may expect TLS has the address that it is to be given by", (outcome) => {
  const hintAt = (url: string) => explainOutcome(outcome, url).hint;
  expect(hintAt("http://127.0.0.1:3000/x")).toContain("give its address as https://127.0.0.1:3000");
  if (outcome.kind === "disconnected")
    expect(hintAt("http://127.0.0.1:3000/x")).toMatch(
      /^did the app crash .*\. If it expects TLS there, give its address/,
    );
  expect(hintAt("https://127.0.0.1:3000/x") ?? "").not.toContain("address");
  const url = "http://127.0.0.1:3000/x";
  expect(explainOutcome(outcome, url, [url], () => true).hint ?? "").not.toContain("TLS");
});

it("an app that expects TLS is called by https", () => {
  const outcome = { kind: "disconnected", phase: "headers", detail: "", expectsTls: true } as const;
  const explained = explainOutcome(outcome, "http://127.0.0.1:3000/x");
  expect(explained.reason).toBe("http://127.0.0.1:3000 expects TLS, so it did not answer over HTTP");
  expect(explained.hint).toBe("use --app https://127.0.0.1:3000");
  const other = explainOutcome(outcome, "http://127.0.0.1:9/x", ["http://127.0.0.1:3000"]);
  expect(other.hint).toBe("its address begins with https: https://127.0.0.1:9");
});

it.each([
  ["http://localhost/x", /no port, so 80 is used: .*--app http:\/\/localhost:3000$/],
  ["https://127.0.0.1/x", /no port, so 443 is used: /],
  ["http://localhost:3000/x", /^start the app, or set its address/],
  ["https://app.example/x", /^start the app, or set its address/],
])("nothing listens at %s: a port that was left out is asked for", (url, says) => {
  expect(explainOutcome(unreachable("ECONNREFUSED"), url).hint).toMatch(says);
});

it("an app that answered before is gone", () => {
  const url = "http://127.0.0.1:3000/x";
  expect(explainOutcome(unreachable("ECONNREFUSED"), url, [url], () => true)).toEqual({
    reason: "nothing listens at http://127.0.0.1:3000 any more",
    hint: "did the app crash or exit? Its own log may say why",
  });
});

import { expect, it } from "vitest";
import type { OAuthEvidence } from "../../src/oauth-checks/evidence.ts";
import { recoveringRefreshCheck } from "../../src/oauth-checks/failing-refresh-check.ts";
import { judgeRecovery } from "../../src/oauth-checks/kept-session.ts";

interface Seen {
  readonly what: string;
  readonly status: number;
  readonly retryAfter?: string;
  readonly asks?: boolean;
}

const visit = ({ what, status, retryAfter, asks = false }: Seen) => ({
  journey: "oauth.refresh.recovers",
  browser: "A",
  what,
  landing: { kind: "page", url: "http://127.0.0.1:3000/projects", status, text: "", body: "", links: [] },
  own: [{ response: { status, headers: retryAfter === undefined ? [] : [["Retry-After", retryAfter]] } }],
  requests: asks ? [{ record: { step: "api" }, exchange: { response: { status: 200 } } }] : [],
});

function judge(...seen: readonly Seen[]) {
  const visits = seen.map(visit);
  const own = { ...visit({ what: "use", status: 200, asks: true }), journey: "login" };
  const stranger = { ...visit({ what: "use", status: 401 }), journey: "login", browser: "S" };
  const evidence = { visits, all: [own, stranger, ...visits] } as unknown as OAuthEvidence;
  const { result, reason } = judgeRecovery(evidence, recoveringRefreshCheck, "A");
  return [result, reason];
}

const spared: Seen = { what: "after", status: 503 };

it.each<[string, unknown[], readonly Seen[]]>([
  ["goes on at once", ["pass", null], [{ what: "after", status: 200, asks: true }]],
  ["loses the session, which another check reports", ["pass", null], [{ what: "after", status: 403 }]],
  ["goes on in the end", ["pass", null], [spared, { what: "after-long", status: 200, asks: true }]],
  [
    "asks for a longer pause",
    ["skip", "after a fault, the app asks for a pause of more than a minute"],
    [{ ...spared, retryAfter: "61" }],
  ],
  [
    "never goes on",
    [
      "warn",
      "the refresh failed temporarily, and a minute after the fault, the app answered 503, still without calling the platform",
    ],
    [spared, { ...spared, what: "after-again" }, { ...spared, what: "after-long" }],
  ],
  [
    "does not go on when it said",
    [
      "warn",
      "the refresh failed temporarily, and when the pause was over that the app asked for, the app answered 500",
    ],
    [
      { ...spared, retryAfter: "3" },
      { what: "after-long", status: 500, asks: true },
    ],
  ],
])("an app that %s after a fault", (_, expected, seen) => {
  expect(judge(...seen)).toEqual(expected);
});

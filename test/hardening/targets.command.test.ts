import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { canHaveNetwork, runInOwnNetwork } from "../rig/own-network.ts";

// S21, S29: where a manifest can lead app-sim, and where wrong requests go.

interface Tried {
  readonly outcome: string;
  /** The hint, or the problems of a refusal. */
  readonly hint: string | null;
  /** Requests that were received, with the address to which each was sent. */
  readonly calls: readonly string[];
}

interface Results {
  readonly never: Readonly<Record<string, Tried>>;
  readonly asApp: Tried;
  readonly asManifest: Tried;
  readonly publicRight: Tried;
  readonly unresolved: Tried;
  readonly tamper: Aimed;
  readonly verify: Aimed;
}

interface Aimed {
  readonly module: Tried;
  readonly app: Tried;
}

const spellings = [
  "169.254.169.254",
  "2852039166",
  "0251.0376.0251.0376",
  "0xa9fea9fe",
  "0xa9.254.43518",
  "[::ffff:a9fe:a9fe]",
  "[::a9fe:a9fe]",
  "[64:ff9b::a9fe:a9fe]",
];

describe.skipIf(!canHaveNetwork())("in a network of its own", () => {
  let results: Results;
  beforeAll(async () => {
    const names = { "metadata.example": "169.254.169.254", "public.example": "8.8.8.8" };
    const script = path.join(import.meta.dirname, "targets.mjs");
    results = await runInOwnNetwork(script, names, { hosts: [...spellings, "metadata.example"] });
  });

  it("S21 a manifest cannot lead to cloud metadata in any spelling, even if its origin is allowed", () => {
    for (const host of spellings) {
      const tried = results.never[host];
      expect([host, tried?.outcome, tried?.calls]).toEqual([host, "manifest-invalid", []]);
      expect(tried?.hint).toContain("is an address where clouds keep their credentials");
    }
  });

  it("S21 a name that resolves there is not called as a module, as the app or for the manifest", () => {
    for (const tried of [results.never["metadata.example"], results.asApp, results.asManifest]) {
      expect(tried).toMatchObject({ outcome: "failed", calls: [] });
    }
  });

  it("S21 an allowed origin gets correct requests", () => {
    expect(results.publicRight).toMatchObject({ outcome: "granted", calls: ["8.8.8.8 POST /guard"] });
  });

  it("S21 when an allowed host does not resolve, --app is not blamed", () => {
    expect(results.unresolved.outcome).toBe("failed");
    expect(results.unresolved.hint).toContain("make nobody.example resolve here");
    expect(results.unresolved.hint).not.toContain("--app");
  });

  it.each(["tamper", "verify"] as const)("S29 %s sends nothing to a public address", (what) => {
    expect(results[what].app).toMatchObject({ outcome: "verify-target", calls: [] });
    expect(results[what].module.calls).toEqual([]);
  });
});

import type { AppAnswer, AppCall, AppGateway } from "../../src/app-client/ports.ts";
import type { GuardRequest } from "../../src/guard/checks/verification.ts";

/** What an app may answer to a verification request, and what may become of the call. */
export type GuardAnswer = "approve" | "refuse" | "status" | "no-boolean" | "garbage" | "unreachable";

/** A verification request that was made, and what came of it; null while the app has not answered. */
interface GuardCall {
  readonly body: GuardRequest;
  answer: GuardAnswer | "interrupted" | null;
}

/** A gateway without a network: the test answers each verification request when it likes. */
export interface SteeredGateway extends AppGateway {
  /** Every verification request so far. */
  readonly calls: readonly GuardCall[];
  /** The unanswered request of the login from this address, of which there is at most one. */
  pending(ipAddress: string): GuardCall | null;
  answer(ipAddress: string, answer: GuardAnswer): void;
  /** Calls the listener after every request; the returned function ends that. */
  subscribe(listener: () => void): () => void;
}

/** Makes a gateway to an app with this manifest. */
export function steeredGateway(manifest: unknown): SteeredGateway {
  const calls: GuardCall[] = [];
  const ends = new Map<GuardCall, (answer: AppAnswer) => void>();
  const listeners = new Set<() => void>();
  const pending = (ipAddress: string) => [...ends.keys()].find(({ body }) => body.ipAddress === ipAddress) ?? null;
  const end = (call: GuardCall, answer: GuardAnswer | "interrupted") => {
    const resolve = ends.get(call);
    if (resolve === undefined) return;
    ends.delete(call);
    call.answer = answer;
    resolve(answers[answer]);
  };
  return {
    calls,
    pending,
    call({ method, body, signal }: AppCall) {
      if (method === "GET") return Promise.resolve(answered(200, manifest));
      const call: GuardCall = { body: JSON.parse(Buffer.from(body).toString()), answer: null };
      calls.push(call);
      return new Promise((resolve) => {
        ends.set(call, resolve);
        signal?.addEventListener("abort", () => end(call, "interrupted"));
        if (signal?.aborted === true) end(call, "interrupted");
        for (const listener of [...listeners]) listener();
      });
    },
    answer(ipAddress, answer) {
      const call = pending(ipAddress);
      if (call === null) throw new Error(`no call of ${ipAddress} waits for an answer`);
      end(call, answer);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const facts = { sentHeaders: [], timings: { headersMs: 1, totalMs: 1 } } as const;

const answers: Readonly<Record<GuardAnswer | "interrupted", AppAnswer>> = {
  approve: answered(200, { success: true }),
  refuse: answered(200, { success: false }),
  status: answered(500, { success: true }),
  "no-boolean": answered(200, { success: "true" }),
  garbage: answered(200, undefined),
  unreachable: {
    ...facts,
    ok: false,
    response: null,
    outcome: { kind: "unreachable", code: "ECONNREFUSED", detail: "connect ECONNREFUSED", elsewhere: null },
  },
  interrupted: { ...facts, ok: false, response: null, outcome: { kind: "interrupted" } },
};

function answered(status: number, value: unknown): AppAnswer {
  const body = Buffer.from(JSON.stringify(value) ?? "<html>");
  const headers = [["content-type", "application/json"]] as const;
  return { ...facts, ok: true, response: { status, headers, raw: body, size: body.length }, body };
}

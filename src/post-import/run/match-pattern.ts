import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { limitConcurrency } from "../../app-client/limit-concurrency.ts";
import { patternProblem } from "../../protocol/pattern-syntax.ts";
import type { MatchPattern, PatternOutcome } from "../rules/import-modules.ts";

/** How long one pattern may take (hardening S23), in wall time: on a busy machine harmless ones are slow, too. */
const PATTERN_TIMEOUT_MS = 1000;

/** Matches the regular expressions of apps. */
export interface PatternMatcher {
  /** One at a time, in another thread; a pattern that takes too long is abandoned. */
  readonly test: MatchPattern;
  /** Ends the thread when all matches are done. */
  close(): Promise<void>;
}

/** Creates a matcher. Its thread starts with the first pattern and does not keep the process alive. */
export function createPatternMatcher(): PatternMatcher {
  const inTurn = limitConcurrency(1);
  let worker: Worker | null = null;

  async function stop(): Promise<void> {
    const stopped = worker;
    worker = null;
    await stopped?.terminate();
  }

  async function tryPattern(pattern: string, text: string): Promise<PatternOutcome> {
    worker ??= await startWorker();
    const deadline = new AbortController();
    // An answer that arrived while this thread was busy is read first.
    const timer = setTimeout(() => setImmediate(() => deadline.abort()), PATTERN_TIMEOUT_MS);
    try {
      worker.postMessage({ pattern, text });
      const [outcome] = await once(worker, "message", { signal: deadline.signal });
      return outcome;
    } catch (error) {
      await stop();
      if (deadline.signal.aborted) return { kind: "too-slow", ms: PATTERN_TIMEOUT_MS };
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    test: async (pattern, text) => {
      const found = patternProblem(pattern);
      if (found?.isReadable === false) return { kind: "invalid", reason: found.problem };
      return inTurn(() => tryPattern(pattern, text));
    },
    close: () => inTurn(stop),
  };
}

async function startWorker(): Promise<Worker> {
  const { Worker } = await import("node:worker_threads");
  // Without this process's own options: one of them sets the module type of such a script.
  const worker = new Worker(PATTERN_WORKER, { eval: true, execArgv: [] });
  await once(worker, "online");
  worker.unref();
  return worker;
}

/** The thread's script, as text: the same in the sources and in the bundle. */
const PATTERN_WORKER = `"use strict";

const { parentPort } = require("node:worker_threads");

function outcomeOf(pattern, text) {
  try {
    return { kind: new RegExp(pattern).test(text) ? "match" : "no-match" };
  } catch (error) {
    // Some patterns need more memory for backtracking than there is.
    return { kind: "invalid", reason: error.message };
  }
}

parentPort.on("message", ({ pattern, text }) => {
  parentPort.postMessage(outcomeOf(pattern, text));
});
`;

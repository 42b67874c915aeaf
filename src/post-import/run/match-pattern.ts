import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { limitConcurrency } from "../../app-client/limit-concurrency.ts";
import { patternProblem } from "../../protocol/pattern-syntax.ts";
import type { MatchPattern, PatternOutcome } from "../rules/import-modules.ts";
import { PATTERN_WORKER } from "./match-pattern-worker.ts";

/**
 * How long one pattern may take (hardening S23). Wall time: a busy machine needs some of it for a harmless one, too.
 */
const PATTERN_TIMEOUT_MS = 1000;

/** Tries the regular expressions of apps. */
export interface PatternMatcher {
  /** One at a time, beside everything else that this process does; a pattern that takes too long is given up. */
  readonly test: MatchPattern;
  /** Ends the thread, once what was asked for is answered. */
  close(): Promise<void>;
}

/** A matcher with a thread of its own, which starts with the first pattern and keeps no process alive. */
export function createPatternMatcher(): PatternMatcher {
  const inTurn = limitConcurrency(1);
  let worker: Worker | null = null;

  async function stop(): Promise<void> {
    const stopped = worker;
    worker = null;
    await stopped?.terminate();
  }

  async function tryOut(pattern: string, text: string): Promise<PatternOutcome> {
    worker ??= await startWorker();
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), PATTERN_TIMEOUT_MS);
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
      return inTurn(() => tryOut(pattern, text));
    },
    close: () => inTurn(stop),
  };
}

async function startWorker(): Promise<Worker> {
  // Not this process's own options: one of them is what kind of module such a text is.
  const worker = new Worker(PATTERN_WORKER, { eval: true, execArgv: [] });
  await once(worker, "online");
  worker.unref();
  return worker;
}

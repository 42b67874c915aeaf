/**
 * What the thread runs that tries the regular expressions of apps: each message is a pattern with a text, each answer
 * what came of it. As text, so that it is the same in the sources and in what is built of them.
 */
export const PATTERN_WORKER = `"use strict";

const { parentPort } = require("node:worker_threads");

function outcomeOf(pattern, text) {
  try {
    return { kind: new RegExp(pattern).test(text) ? "match" : "no-match" };
  } catch (error) {
    // Some patterns need more memory for their way back than there is.
    return { kind: "invalid", reason: error.message };
  }
}

parentPort.on("message", ({ pattern, text }) => {
  parentPort.postMessage(outcomeOf(pattern, text));
});
`;

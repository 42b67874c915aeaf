/**
 * host.js, the script with which the app's page in a frame reports its outcome (interface 4.2). Plain enough for any
 * page and any browser. It speaks to its own platform only: to the origin that it was loaded from.
 */
export const HOST_SCRIPT = `(function () {
  "use strict";
  var NAME = "app-sim host.js: ";
  var LONGEST_TEXT = 10000;
  var script = document.currentScript;
  var isInFrame = window.parent !== window;
  var isReported = false;
  var origin = null;

  function warn(message) {
    console.warn(NAME + message);
  }

  function fail(message) {
    console.error(NAME + message);
  }

  function isText(value) {
    return typeof value === "string" && value !== "";
  }

  // What is wrong with the argument of AP.verifyAuth(); null: nothing.
  function problemOf(outcome) {
    var usage = "; use AP.verifyAuth({ code: CODE }) or AP.verifyAuth({ error: TEXT })";
    if (typeof outcome !== "object" || outcome === null) return "AP.verifyAuth() needs an object" + usage;
    var hasCode = outcome.code !== undefined;
    var hasError = outcome.error !== undefined;
    if (!hasCode && !hasError) return "AP.verifyAuth() was given neither a code nor an error" + usage;
    if (hasCode && hasError) return "AP.verifyAuth() was given both a code and an error" + usage;
    var text = hasCode ? outcome.code : outcome.error;
    if (isText(text) && text.length > LONGEST_TEXT) {
      return "AP.verifyAuth(): the " + (hasCode ? "code" : "error") + " is longer than " + LONGEST_TEXT + " characters";
    }
    if (isText(text)) return null;
    return "AP.verifyAuth(): the " + (hasCode ? "code" : "error") + " must be a string that is not empty" + usage;
  }

  function post(message) {
    window.parent.postMessage(message, origin);
  }

  function verifyAuth(outcome) {
    var problem = problemOf(outcome);
    if (problem !== null) return fail(problem + ". Nothing was sent.");
    if (!isInFrame) return fail("this page is not in a frame, so there is nobody to tell. Nothing was sent.");
    if (origin === null) return fail("it was not loaded by a script element of its own. Nothing was sent.");
    if (isReported) return warn("AP.verifyAuth() was called already; a login takes one outcome. Nothing was sent.");
    isReported = true;
    post(
      outcome.code !== undefined
        ? { type: "app-sim:verify-auth", code: outcome.code }
        : { type: "app-sim:verify-auth", error: outcome.error }
    );
  }

  var AP = (window.AP = window.AP || {});
  if (AP.verifyAuth) {
    warn("AP.verifyAuth is there already: is the script loaded twice? The first one stays.");
    return;
  }
  AP.verifyAuth = verifyAuth;
  if (!isInFrame) {
    warn("this page is not in a frame. Open it through a login of the platform: AP.verifyAuth() tells nobody here.");
    return;
  }
  if (!script || !script.src) {
    fail('load it with an element <script src=".../host.js">, and do not copy it into the page.');
    return;
  }
  origin = new URL(script.src).origin;
  post({ type: "app-sim:ready" });
})();
`;

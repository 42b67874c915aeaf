/**
 * host.js, the script with which the app's page in a frame reports its outcome (interface 4.2). It talks only to its
 * own platform: the origin that it was loaded from. Any page may load it, so it is written for old browsers.
 */
export function hostScript() {
  var NAME = "app-sim host.js: ";
  var MAX_TEXT_LENGTH = 10000;
  var script = /** @type {HTMLScriptElement | null} */ (document.currentScript);
  var isInFrame = window.parent !== window;
  var isReported = false;
  /** @type {string | null} */
  var origin = null;

  /** @param {string} message */
  function warn(message) {
    console.warn(NAME + message);
  }

  /** @param {string} message */
  function fail(message) {
    console.error(NAME + message);
  }

  /** @param {unknown} value */
  function isText(value) {
    return typeof value === "string" && value !== "";
  }

  /**
   * The type of a value, without the value: it may be a code.
   * @param {any} value
   */
  function kindOf(value) {
    if (value === undefined) return "nothing";
    if (value === null) return "null";
    return (typeof value === "object" ? "an " : "a ") + typeof value;
  }

  /**
   * How an object without any outcome may have come about, if it shows.
   * @param {any} outcome
   */
  function insteadOf(outcome) {
    if (typeof outcome.then === "function") return ", but a promise: await it first";
    if ("code" in outcome) return ": its code is undefined";
    return "error" in outcome ? ": its error is undefined" : "";
  }

  /**
   * What is wrong with the argument of AP.verifyAuth(); null: nothing.
   * @param {any} outcome
   */
  function problemOf(outcome) {
    if (typeof outcome !== "object" || outcome === null)
      return "AP.verifyAuth() needs an object, but was given " + kindOf(outcome);
    var hasCode = outcome.code !== undefined;
    var hasError = outcome.error !== undefined;
    if (!hasCode && !hasError) return "AP.verifyAuth() was given neither a code nor an error" + insteadOf(outcome);
    if (hasCode && hasError) return "AP.verifyAuth() was given both a code and an error";
    var name = hasCode ? "code" : "error";
    var text = outcome[name];
    var given = text === "" ? "an empty one" : kindOf(text);
    if (!isText(text)) return "AP.verifyAuth(): the " + name + " must be a non-empty string, but was " + given;
    if (text.length <= MAX_TEXT_LENGTH) return null;
    return "AP.verifyAuth(): the " + name + " is longer than " + MAX_TEXT_LENGTH + " characters";
  }

  /** @param {object} message */
  function post(message) {
    if (origin !== null) window.parent.postMessage(message, origin);
  }

  /** @param {any} outcome */
  function verifyAuth(outcome) {
    var problem = problemOf(outcome);
    if (problem !== null) {
      fail(problem + "; use AP.verifyAuth({ code: CODE }) or AP.verifyAuth({ error: TEXT }). Nothing was sent.");
      if (isInFrame) post({ type: "app-sim:misuse", problem: problem });
      return;
    }
    if (!isInFrame) return fail("this page is not in a frame, so there is nobody to report to. Nothing was sent.");
    if (origin === null) return fail("it was not loaded by its own script element. Nothing was sent.");
    if (isReported)
      return warn("AP.verifyAuth() has already been called; a login accepts only one outcome. Nothing was sent.");
    isReported = true;
    var type = "app-sim:verify-auth";
    post(outcome.code !== undefined ? { type: type, code: outcome.code } : { type: type, error: outcome.error });
  }

  var page = /** @type {{ AP?: { verifyAuth?: typeof verifyAuth } }} */ (window);
  page.AP = page.AP || {};
  if (page.AP.verifyAuth) {
    warn("AP.verifyAuth already exists: is the script loaded twice? The first one is kept.");
    return;
  }
  page.AP.verifyAuth = verifyAuth;
  if (!isInFrame) {
    warn("this page is not in a frame, so AP.verifyAuth() reports to nobody: open it in a login of the platform.");
    return;
  }
  if (!script || !script.src) {
    fail('load it with <script src=".../host.js">, and do not copy it into the page.');
    return;
  }
  origin = new URL(script.src).origin;
  post({ type: "app-sim:ready" });
}

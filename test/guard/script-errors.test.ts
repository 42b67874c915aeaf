import { expect, test } from "vitest";
import { NOT_CALLED, scriptErrorHint } from "../../src/guard/visit/silent-frame.ts";

const failed = (error: string) => `a script of the page failed: ${error}`;
const unread = "Cannot read properties of undefined (reading 'verifyAuth')";
const oneFunction = /^host\.js has one function; call AP\.verifyAuth\(\{ code \}\)/;
const above = /^is <script src=".*host\.js">, without async and defer, above/;

test.each([
  ["AP.verify is not a function", undefined, oneFunction],
  ["window.AP?.verify is not a function", NOT_CALLED, oneFunction],
  [
    "Access to fetch at 'http://localhost:3000/code' from origin 'http://127.0.0.1:3000' has been blocked by CORS policy",
    NOT_CALLED,
    /^is that the app itself under another name, .* Then use a relative URL; /,
  ],
  ["AP is not defined", undefined, above],
  ["AP is not defined", NOT_CALLED, above],
  [unread, NOT_CALLED, above],
])("4.2: of %j and %j", (error, found, says) => {
  expect(scriptErrorHint(failed(error), found)).toMatch(says);
});

test.each([
  ["AP is not defined", "the page's HTML does not load http://127.0.0.1:7410/host.js"],
  ["AP.verifyAuth is not a function", NOT_CALLED],
  ["MAP is not defined", NOT_CALLED],
  ["MAP.verify is not a function", undefined],
  ["boom", NOT_CALLED],
])("4.2: nothing of %j and %j", (error, found) => {
  expect(scriptErrorHint(failed(error), found)).toBeNull();
});

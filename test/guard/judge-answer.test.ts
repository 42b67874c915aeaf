import { expect, test } from "vitest";
import { type Choices, defaultChoices, readChoices } from "../../src/config/choices.ts";
import { judgeGuardAnswer } from "../../src/guard/checks/verification.ts";

const SHAPE = '{"success": true|false, "message"?: text}';

/** The verdict about an answer with this JSON. */
function verdict(json: unknown, status = 200, choices: Partial<Choices> = {}) {
  const headers = [["content-type", "application/json"]] as const;
  const answer = {
    status,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    body: Buffer.from(JSON.stringify(json)),
  };
  return judgeGuardAnswer(answer, readChoices({ ...defaultChoices, ...choices }), { by: "none" });
}

test.each<[unknown, object]>([
  [{ success: true }, { success: true, message: null, warnings: [] }],
  [
    { success: false, message: null },
    { success: false, message: null, warnings: [] },
  ],
  [
    { success: false, message: "no" },
    { success: false, message: "no", warnings: [] },
  ],
])("%j is an answer", (json, expected) => {
  expect(verdict(json)).toEqual({ kind: "answered", ...expected });
});

test.each(["error", "reason", "errorMessage", "error_message"])(
  "a denial whose text is in %s has a warning",
  (name) => {
    const warning = `in its answer, "${name}" is not part of the interface, so it is ignored. Did you mean "message"?`;
    expect(verdict({ success: false, [name]: "no" })).toMatchObject({ warnings: [warning] });
    expect(verdict({ success: false, message: "no", [name]: "no" })).toMatchObject({ warnings: [] });
    expect(verdict({ success: true, [name]: "no" })).toMatchObject({ warnings: [] });
  },
);

const EMPTY = "the answer is an empty object: is an await missing, or does a response schema leave success out?";
const AWAIT = "a promise becomes {} in JSON: is an await missing?";

test.each<[unknown, RegExp, string | null]>([
  ["yes", /: it is not an object$/, null],
  [null, /: it is not an object$/, null],
  [5, /: it is not an object$/, null],
  [[], /: it is not an object$/, null],
  [{}, /: success is missing/, EMPTY],
  [{ success: {} }, /: success /, AWAIT],
  [{ success: [] }, /: success /, null],
  [{ success: null }, /: success /, null],
  [{ success: { a: 1 } }, /: success /, null],
  [{ success: "true" }, /: success /, null],
  [{ success: true, message: 5 }, /: message /, null],
  [
    { data: null, result: { success: true } },
    /: success is missing/,
    'success is inside "result": put it at the top level of the answer',
  ],
  [{ data: { ok: true } }, /: success is missing/, null],
  [[{ success: true }], /: it is not an object$/, "success is inside an array: answer with the object alone"],
])("%j is no answer", (json, reason, hint) => {
  const judged = verdict(json);
  expect(judged).toMatchObject({ kind: "failed", reason: expect.stringMatching(reason), hint, warnings: [] });
  expect("reason" in judged && judged.reason).toContain(`the app's answer is not ${SHAPE}: `);
});

const SHOWS_200 = /^it answered \d+, but the interface shows 200: nobody is let in, whatever success says$/;

test.each<[number, unknown, object]>([
  [
    201,
    { success: true },
    { hint: "a guard that lets somebody in answers 200", warnings: [expect.stringMatching(SHOWS_200)] },
  ],
  [201, { success: false, message: "no" }, { reason: "no", warnings: [expect.stringMatching(SHOWS_200)] }],
  [402, { success: false, message: "no" }, { reason: "no", hint: "a guard that wants to deny access answers 200" }],
  [201, { success: false }, { reason: "the app answered 201", warnings: [expect.stringMatching(SHOWS_200)] }],
  [201, { success: false, message: null }, { reason: "the app answered 201" }],
  [201, { ok: true }, { reason: `the app answered 201; expected 200 with ${SHAPE}`, warnings: [] }],
  [300, { ok: true }, { reason: expect.not.stringContaining("expected 200"), warnings: [] }],
  [404, { ok: true }, { reason: expect.not.stringContaining("expected 200"), warnings: [] }],
])("with status %i, %j lets nobody in", (status, json, expected) => {
  expect(verdict(json, status)).toMatchObject({ kind: "failed", ...expected });
});

test("with another status, its own message does not count if the choice says so", () => {
  const strict = { "guard.denial.status": "strict" } as const;
  expect(verdict({ success: false, message: "no" }, 402, strict)).toMatchObject({
    kind: "failed",
    reason: expect.stringMatching(/^the app answered 402/),
    warnings: [],
  });
});

import { expect, test } from "vitest";
import { failCheck } from "../../src/guard-checks/pages/frame/frame-checks.ts";
import { passCheck } from "../../src/guard-checks/pages/frame/frame-passed.ts";
import { recordBody } from "../../src/journal/journal.ts";
import { exchangeRecord } from "../rig/journal-lines.ts";

const reported = (report: object) => {
  const exchange = exchangeRecord("1", {
    check: { run: 1, subject: "page.frame:office", id: null, role: "report" },
  });
  const body = recordBody(Buffer.from(JSON.stringify({ pressed: null, ...report })));
  return { ...exchange, request: { ...exchange.request, body } };
};

test("a page that the browser did not even request is not accused", () => {
  const unopened = "Chromium could not walk the app's page: it crashed";
  const of = (walkedAs: string) => [reported({ walkedAs, unopened })];
  expect(passCheck.observe(of("pass"), {} as never)).toMatchObject({ result: "inconclusive", reason: unopened });
  expect(failCheck.observe(of("fail"), {} as never)).toMatchObject({ result: "skip", reason: unopened });
  expect(passCheck.observe([reported({ walkedAs: "pass" })], {} as never)).toMatchObject({ result: "fail" });
});

import type { CheckResult, VerifyResult } from "../../checking/verify-result.ts";
import type { ResultEvidence } from "../../platform/result-evidence.ts";
import { harmless, harmlessLine } from "../../protocol/harmless.ts";
import { summaryLine } from "../text/closing-text.ts";
import { grouped } from "../text/groups.ts";
import { plainFinding } from "./plain-finding.ts";

/**
 * The result as JUnit XML for Jenkins, GitLab and others: a suite for each part of the app, a test case for each check.
 * Inconclusive checks are errors; warnings and known findings pass with a note.
 */
export function junitReport(result: VerifyResult, evidences: ResultEvidence): string[] {
  const suites = grouped(result.checks, ({ subject }) => subject);
  const counts = (checks: readonly CheckResult[]) => ({
    tests: String(checks.length),
    failures: String(checks.filter(isFailure).length),
    errors: String(checks.filter(isError).length),
  });
  const seconds = (result.summary.ms / 1000).toFixed(3);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    open("testsuites", { name: "app-sim verify", time: seconds, ...counts(result.checks) }),
    ...suites.flatMap(({ key, members }) => {
      const skipped = String(members.filter((check) => check.result === "skip").length);
      return [
        `  ${open("testsuite", { name: harmlessLine(key), ...counts(members), skipped })}`,
        `    <properties>${open("property", { name: "seed", value: String(result.seed) }, "/")}</properties>`,
        ...members.flatMap((check) => testCase(check, evidences)),
        "  </testsuite>",
      ];
    }),
    ...runFailure(result),
    "</testsuites>",
  ];
}

/** A run that failed for a reason other than a check, such as an app that is not running, is a separate failure. */
function runFailure(result: VerifyResult): string[] {
  if (result.reason === null) return [];
  return [
    `  ${open("testsuite", { name: "the run", tests: "1", failures: "0", errors: "1", skipped: "0" })}`,
    `    ${open("testcase", { name: "completes", classname: "verify" })}`,
    element("error", { message: harmlessLine(result.reason), type: "run" }, [result.hint ?? "", summaryLine(result)]),
    "    </testcase>",
    "  </testsuite>",
  ];
}

const isKnown = ({ known }: CheckResult) => known !== null;
const isFailure = (check: CheckResult) => check.result === "fail" && !isKnown(check);
const isError = (check: CheckResult) => check.result === "inconclusive" && !isKnown(check);

function testCase(check: CheckResult, evidences: ResultEvidence): string[] {
  const classname = [check.area, ...(check.module === null ? [] : [harmlessLine(check.module)])].join(".");
  const attributes = { name: `${check.id}: ${check.title}`, classname };
  const message = harmlessLine(check.reason ?? "");
  const body = () => plainFinding(check, evidences);
  const inner = isFailure(check)
    ? [element("failure", { message, type: check.id }, body())]
    : isError(check)
      ? [element("error", { message, type: "inconclusive" }, body())]
      : check.result === "skip"
        ? [element("skipped", { message }, [check.hint ?? ""])]
        : check.result === "pass"
          ? []
          : [element("system-out", {}, [noteOf(check), ...body()])];
  if (inner.length === 0) return [`    ${open("testcase", attributes, "/")}`];
  return [`    ${open("testcase", attributes)}`, ...inner, "    </testcase>"];
}

function noteOf({ known, result }: CheckResult): string {
  return known === null ? "warning" : `${result}, known until ${known.until}: ${harmlessLine(known.reason)}`;
}

function open(name: string, attributes: Readonly<Record<string, string>>, end: "" | "/" = ""): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`);
  return `<${name}${written.join("")}${end}>`;
}

function element(name: string, attributes: Readonly<Record<string, string>>, lines: readonly string[]): string {
  const text = lines.filter((line) => line !== "").join("\n");
  return `      ${open(name, attributes)}${escapeXml(harmless(text))}</${name}>`;
}

/** U+FFFE and U+FFFF are not allowed in XML; control characters are already visible. */
function escapeXml(text: string): string {
  const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[\uFFFE\uFFFF]/g, "\uFFFD").replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

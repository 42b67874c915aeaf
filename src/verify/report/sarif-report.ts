import { createHash } from "node:crypto";
import type { CheckResult, VerifyResult } from "../../checking/verify-result.ts";
import type { ResultEvidence } from "../../platform/result-evidence.ts";
import { harmlessLine } from "../../protocol/harmless.ts";
import { allChecks } from "../checks.ts";
import { isFinding } from "../rules/known-findings.ts";
import { summaryLine } from "../text/closing-text.ts";
import { sectionName } from "../text/finding-facts.ts";
import { plainFinding } from "./plain-finding.ts";

/** The location of findings: an app that is verified from outside has no source line to point to. */
const PLACE = "app";

/**
 * The findings as SARIF 2.1.0, for code scanning: each check is a rule, each finding a result at its module. Known ones
 * are suppressed.
 */
export function sarifReport(result: VerifyResult, evidences: ResultEvidence) {
  const found = result.checks.filter(isFinding);
  const ids = [...new Set(found.map(({ id }) => id))];
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0" as const,
    runs: [
      {
        tool: { driver: { name: "app-sim", rules: ids.map(ruleOf) } },
        automationDetails: { id: "app-sim/verify/" },
        invocations: [
          {
            executionSuccessful: result.reason === null,
            ...(result.reason === null
              ? {}
              : {
                  toolExecutionNotifications: [
                    { level: "error" as const, message: { text: harmlessLine(result.reason) } },
                  ],
                }),
          },
        ],
        results: found.map((check) => sarifResult(check, ids.indexOf(check.id), evidences)),
        properties: { seed: result.seed, summary: summaryLine(result) },
      },
    ],
  };
}

function ruleOf(id: string) {
  const check = allChecks.find((each) => each.id === id);
  const { title = id, why = "", fix = "", section = "", severity = "must" } = check ?? {};
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: why === "" ? title : why },
    help: { text: `${fix === "" ? title : fix} (${sectionName(section)})` },
    defaultConfiguration: { level: severity === "must" ? ("error" as const) : ("warning" as const) },
  };
}

const levels = { fail: "error", warn: "warning", inconclusive: "note", pass: "none", skip: "none" } as const;

function sarifResult(check: CheckResult, ruleIndex: number, evidences: ResultEvidence) {
  const { id, result, known, subject, module, area } = check;
  return {
    ruleId: id,
    ruleIndex,
    level: levels[result],
    message: { text: plainFinding(check, evidences).join("\n") },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: PLACE }, region: { startLine: 1 } },
        logicalLocations: [{ name: harmlessLine(module ?? area), fullyQualifiedName: harmlessLine(subject) }],
      },
    ],
    partialFingerprints: {
      checkAtModule: createHash("sha256")
        .update(`${id} ${module ?? ""}`)
        .digest("hex"),
    },
    ...(known === null
      ? {}
      : {
          suppressions: [
            { kind: "external" as const, justification: `until ${known.until}: ${harmlessLine(known.reason)}` },
          ],
        }),
  };
}

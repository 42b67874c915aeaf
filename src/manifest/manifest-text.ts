import { indent, table } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { choicesLine, markOf, reasonText } from "../output/text.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import type { ManifestResult } from "./manifest-result.ts";

/** Manifests as lines: each app with its modules and their full addresses. */
export function manifestText({ outcome, reason, hint, apps, choices }: ManifestResult, paint: Paint): string[] {
  if (outcome === "failed") {
    return [
      `${markOf("denied", paint)} ${paint.bad(reasonText(reason ?? ""))}`,
      ...(hint === null ? [] : [`  hint: ${harmlessLine(hint)}`]),
    ];
  }
  return [...apps.flatMap((app) => appLines(app, paint)), ...choicesLine(choices, paint)];
}

function appLines({ url, source, guards, imports, webhooks }: ManifestResult["apps"][number], paint: Paint): string[] {
  const modules = [
    ...guards.map((guard) => [
      "auth-guard",
      guard.key,
      guard.url,
      `${guard.type}${guard.applyToAdmins ? ", admins too" : ""}${guard.optionsUrl === null ? "" : `, page ${guard.optionsUrl}`}`,
    ]),
    ...imports.map(({ key, url: address, signaturePatterns }) => [
      "file-post-import",
      key,
      address,
      patternsText(signaturePatterns),
    ]),
    ...webhooks.map(({ key, url: address, events, environments }) => [
      "webhook",
      key,
      address,
      `${events.join(", ")}${environments === null ? "" : `; only ${environments.join(", ")}`}`,
    ]),
  ];
  const rows = table(modules.map((row) => row.map(harmlessLine)));
  return [
    `App ${paint.strong(url)} with the manifest ${source}`,
    ...indent(rows.length === 0 ? ["no modules"] : rows, 2),
    "",
  ];
}

function patternsText({
  fileName,
  fileContent,
}: {
  fileName?: string | undefined;
  fileContent?: string | undefined;
}): string {
  const patterns = [
    ...(fileName === undefined ? [] : [`name ${fileName}`]),
    ...(fileContent === undefined ? [] : [`content ${fileContent}`]),
  ];
  return patterns.length === 0 ? "every file" : patterns.join(", ");
}

import { indent, table } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { choicesLine, markOf, reasonText, restLine, shownParts } from "../output/text.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import type { ManifestResult } from "./manifest-result.ts";

/** Manifests as lines: each app with its modules and their full addresses, followed by what is wrong. */
export function manifestText(result: ManifestResult, paint: Paint): string[] {
  const { outcome, reason, hint, apps, choices } = result;
  const modules = apps.flatMap((app) => appLines(app, paint));
  if (outcome === "ok") return [...modules, ...choicesLine(choices, paint)];
  return [
    ...modules,
    `${markOf("denied", paint)} ${paint.bad(reasonText(reason ?? ""))}`,
    ...problemLines(result),
    ...(hint === null ? [] : [`  hint: ${harmlessLine(hint)}`]),
  ];
}

/** What the reason does not say already; warnings of a usable manifest are on stderr. */
function problemLines({ problems, apps, reason }: ManifestResult): string[] {
  const isInReason = (message: string) => reason?.includes(message) === true;
  const listed = problems.filter(
    ({ path, message, severity }) =>
      (path !== "" || !isInReason(message)) && (severity === "error" || apps.length === 0),
  );
  const shown = shownParts(listed, ({ severity }) => severity === "error");
  const lines = shown.map(({ path, message, severity }) =>
    harmlessLine(`${path} ${message}${severity === "warning" ? " (a warning)" : ""}`.trimStart()),
  );
  return indent([...lines, ...restLine(listed.length - shown.length, "problem")], 2);
}

function appLines({ url, source, guards, imports, webhooks }: ManifestResult["apps"][number], paint: Paint): string[] {
  const modules = [
    ...guards.map(({ key, url: address, type, applyToAdmins, optionsUrl }) => {
      const admins = applyToAdmins ? ", admins too" : "";
      return ["auth-guard", key, address, `${type}${admins}${optionsUrl === null ? "" : `, page ${optionsUrl}`}`];
    }),
    ...imports.map(({ key, url: address, signaturePatterns: { fileName, fileContent } }) => {
      const name = fileName === undefined ? [] : [`name ${fileName}`];
      const content = fileContent === undefined ? [] : [`content ${fileContent}`];
      return ["file-post-import", key, address, [...name, ...content].join(", ") || "every file"];
    }),
    ...webhooks.map(({ key, url: address, events, environments }) => {
      const only = environments === null ? "" : `; only ${environments.join(", ")}`;
      return ["webhook", key, address, `${events.join(", ")}${only}`];
    }),
  ];
  const shown = shownParts(modules);
  const rows = [
    ...table(shown.map((row) => row.map(harmlessLine))),
    ...restLine(modules.length - shown.length, "module"),
  ];
  return [
    `App ${paint.strong(url)} with the manifest ${source}`,
    ...indent(rows.length === 0 ? ["no modules"] : rows, 2),
    "",
  ];
}

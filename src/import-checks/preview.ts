import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { headerValue } from "../journal/exchange.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { mediaType } from "../protocol/media-type.ts";
import type { ImportCheck } from "./check.ts";
import { PREVIEW_OF, previewOf, readImport } from "./reading.ts";
import { MARKUP_NAME, surveyCheck, surveyed } from "./survey.ts";

const typeCheck: ImportCheck = surveyCheck(
  {
    id: "import.answer.preview-type",
    title: "The file at previewUrl is sent as HTML",
    section: "2.4",
    severity: "should",
    why: "Browsers go by the Content-Type. Plain text is shown with all its tags, and other types are saved as a file.",
    fix: "Serve the preview with `Content-Type: text/html; charset=utf-8`.",
  },
  (check, { steps }) => {
    const isPreview = (role: string) =>
      role.endsWith(PREVIEW_OF) && Object.hasOwn(surveyed, role.slice(0, -PREVIEW_OF.length));
    const files = steps.filter(({ role, exchange }) => isPreview(role) && exchange.response?.status === 200);
    const types = files.map(({ exchange }) => mediaType(headerValue(exchange.response?.headers ?? [], "content-type")));
    if (types.length === 0) return skipVerdict("no answer has a previewUrl");
    // Without a type, browsers sniff the content.
    const other = types.find((type) => !["", "text/html", "application/xhtml+xml"].includes(type));
    return other === undefined ? PASSED : faulty(check, `it is sent as ${harmlessLine(other)}`);
  },
);

/** The fields whose markup would be active in a preview, in words, by the role of their job. */
const activeFields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  escapes: { identifier: "an identifier", context: "a context", label: "a label" },
  [MARKUP_NAME]: { name: "the name of the file" },
};
/** A part of a text with tags, as no correct preview holds it. */
const RAW_TEXT = "<!-- --> ]]>";

/** What is no markup, although it may hold some: comments, titles and the like, and scripts (HTML, 13.2.5). */
const plainParts = /<!--.*?(?:-->|$)|<(title|textarea|script|style)\b[^>]{0,500}>.*?(?:<\/\1|$)/gis;
/** A tag with its attributes; a longer one is none that an app wrote. */
const tags = /<[a-z](?:[^>"']|"[^"]{0,500}"|'[^']{0,500}'){0,500}>/gi;
/** More of a page is not read: the strings of the job are few. */
const MOST_CHARACTERS = 500_000;
const quotedValues = /=\s*(?:"[^"]*"|'[^']*')/g;

/** The scripts that a page runs when one of its elements has loaded, as far as they are written without quotes. */
export function loadHandlers(html: string): string[] {
  return [...html.slice(0, MOST_CHARACTERS).replace(plainParts, "").matchAll(tags)].flatMap(([tag]) => {
    const [, handler] = /[\s/]onload\s*=\s*([^\s>]+)/i.exec(tag.replace(quotedValues, "=")) ?? [];
    return handler === undefined ? [] : [handler];
  });
}

const escapedCheck: ImportCheck = surveyCheck(
  {
    id: "import.preview.escaped",
    title: "A preview shows texts, other fields and the file name as plain text, and runs no script from them",
    section: "2.4",
    severity: "should",
    why: "Anybody who can upload a file could run scripts in the editor of everybody who opens it. The platform may not isolate the preview.",
    fix: "Escape every `&`, `<`, `>` and quote of what becomes part of the HTML, not only those of texts, and quote attributes.",
  },
  (check, evidence) => {
    for (const [role, fields] of Object.entries(activeFields)) {
      const answered = readImport(evidence, role);
      const html = answered === null ? null : previewOf(evidence, role, answered);
      if (html === null) continue;
      if (html.includes(RAW_TEXT)) return faulty(check, "the preview has an unescaped text with tags");
      const handlers = loadHandlers(html);
      const [, active] =
        Object.entries(fields).find(([field]) => handlers.some((handler) => handler.startsWith(field))) ?? [];
      if (active !== undefined) return faulty(check, `the preview runs a script from ${active}`);
    }
    return PASSED;
  },
);

/** Checks of the previews in the answers to correct jobs. */
export const importPreviewChecks: readonly ImportCheck[] = [typeCheck, escapedCheck];

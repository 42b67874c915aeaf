import { createScanner, findNodeAtLocation, type JSONPath, parseTree, stripComments } from "jsonc-parser";

/**
 * Turns JSON with comments and trailing commas into plain JSON: both are replaced with spaces, so that every position
 * stays the same. Text that is invalid for another reason stays invalid.
 */
export function plainJson(text: string): string {
  const scanner = createScanner(text);
  const parts: string[] = [];
  let comma: number | null = null;
  let last = "";
  for (;;) {
    scanner.scan();
    const token = text.slice(scanner.getTokenOffset(), scanner.getPosition());
    if (token === "") return parts.join("");
    parts.push(isComment(token) ? token.replaceAll(/[^\r\n]/g, " ") : token);
    if (isComment(token) || token.trim() === "") continue;
    if (comma !== null && /^[}\]]$/.test(token)) parts[comma] = " ";
    // With nothing before the comma, an element is missing.
    comma = token === "," && !/^[[{,:]?$/.test(last) ? parts.length - 1 : null;
    last = token;
  }
}

/** Whether a token is a comment, which it then includes to its end. */
function isComment(token: string): boolean {
  return /^\/(?:\/|\*[\s\S]*\*\/$)/.test(token);
}

/** Whether a JSON text, possibly with comments, has a value at a path. */
export function hasMember(text: string, path: JSONPath): boolean {
  const root = parseTree(text);
  return root !== undefined && findNodeAtLocation(root, [...path]) !== undefined;
}

/**
 * A JSON text with a member set; new ones are added at the end of their object, and missing objects on the way are
 * created. Everything else stays as it is, including comments.
 * @param text an object, possibly with comments
 */
export function withMember(text: string, path: JSONPath, value: unknown): string {
  if (hasMember(text, path)) return text;
  const [around, name] = [path.slice(0, -1), path.at(-1)];
  const root = parseTree(text);
  const object = root && findNodeAtLocation(root, around);
  if (object?.type !== "object" && around.length > 0) return withMember(text, around, { [String(name)]: value });
  const { offset = 0, length = text.length, children = [] } = object ?? {};
  const [begin, end] = [offset + 1, offset + length - 1];
  const after = children.at(-1);
  const inner =
    after === undefined
      ? text.slice(begin, end)
      : withComma(text.slice(begin, end), after.offset + after.length - begin);
  const lineBreak = text.includes("\r\n") ? "\r\n" : "\n";
  const outer = indentAt(text, offset);
  const step = /^([ \t]+)["/]/m.exec(text)?.[1] ?? "  ";
  const written = JSON.stringify(value, null, step).replaceAll("\n", lineBreak + outer + step);
  const member = `${outer}${step}${JSON.stringify(name)}: ${written}`;
  return [text.slice(0, begin) + inner.trimEnd(), member, outer + text.slice(end)].join(lineBreak);
}

/** The inside of an object up to a position, with a comma after its last member. */
function withComma(inner: string, end: number): string {
  const hasComma = stripComments(inner.slice(end)).trimStart().startsWith(",");
  return hasComma ? inner : `${inner.slice(0, end)},${inner.slice(end)}`;
}

/**
 * A JSON text with comments, each on a line above the member at its path; comments for missing members are left out.
 */
export function withComments(text: string, comments: readonly (readonly [path: JSONPath, comment: string])[]): string {
  return comments.reduce((commented, [path, comment]) => {
    const root = parseTree(commented);
    const member = root && findNodeAtLocation(root, [...path])?.parent;
    if (member === undefined) return commented;
    const line = `// ${comment}\n${indentAt(commented, member.offset)}`;
    return commented.slice(0, member.offset) + line + commented.slice(member.offset);
  }, text);
}

/** The indentation of the line at a position. */
function indentAt(text: string, place: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", place) + 1))?.[0] ?? "";
}

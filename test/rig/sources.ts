import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, resolve, sep } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../src");

/** A source file of the program. */
export interface Source {
  /** Below `src/`, with `/` between the parts. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

interface Import {
  /** What is imported: a file below `src/`, or the specifier of a package or of a builtin. */
  readonly target: string;
  readonly isRelative: boolean;
  /** Whether only types are imported, so that the file is not loaded. */
  readonly isOfTypes: boolean;
  /** The names in braces, as they are called where they come from; empty for the other forms. */
  readonly names: readonly string[];
}

/** Every source file, by path. */
export function readSources(): Source[] {
  const files = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter((name) => /\.(?:tsx?|js)$/.test(name));
  return files.sort().map((file) => {
    const path = file.split(sep).join("/");
    const text = readFileSync(join(ROOT, file), "utf8");
    return { path, text, imports: importsOf(path, text) };
  });
}

/** The code without what comments say; texts stay. */
export function withoutComments(text: string): string {
  return text.replaceAll(/^\s*(\/\*[\s\S]*?\*\/|\/\/.*)$/gm, "");
}

/** The code without the words of its template literals, such as pages and scripts for a browser; `${…}` stays. */
export function withoutTemplates(text: string): string {
  // What is open around the present place: a template, or the code in braces within one.
  const open: ("template" | "braces")[] = [];
  return text.replaceAll(/\\[\s\S]|"(?:[^"\\\n]|\\.)*"|`|\$\{|[{}]|[^\\"`${}]+|[$"]/g, (token) => {
    const inside = open.at(-1);
    if (token === "`") {
      if (inside === "template") open.pop();
      else open.push("template");
      return token;
    }
    if (inside === "template") {
      if (token === "${") open.push("braces");
      return token === "${" ? token : "";
    }
    if (token === "{" && inside === "braces") open.push("braces");
    if (token === "}" && inside === "braces") open.pop();
    return token;
  });
}

// Static ones, `export … from`, ones for the effect alone, and dynamic ones.
const statement =
  /^(?:import|export)\s+(?:type\s+)?(?:(?<clause>[\w\s{},*]+?)\s+from\s+)?"(?<from>[^"]+)"|\bimport\(\s*"(?<dynamic>[^"]+)"\s*\)/gm;

function importsOf(path: string, text: string): Import[] {
  return [...withoutComments(text).matchAll(statement)].map(({ 0: whole, groups = {} }) => {
    const { clause = "", from, dynamic } = groups;
    const specifier = from ?? dynamic ?? "";
    const isRelative = specifier.startsWith(".");
    const [, braces = ""] = /\{([^}]*)\}/.exec(clause) ?? [];
    const listed = braces
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "");
    const isList = listed.length > 0 && clause.trim().startsWith("{");
    const names = listed.map((name) => name.replace(/^type /, "").replace(/ as .*$/, ""));
    return {
      target: isRelative ? posix.join(dirname(path), specifier) : specifier,
      isRelative,
      isOfTypes: /^\w+\s+type\s/.test(whole) || (isList && listed.every((name) => name.startsWith("type "))),
      names,
    };
  });
}

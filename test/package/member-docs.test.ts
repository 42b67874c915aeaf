import { join, resolve } from "node:path";
import ts from "@typescript/typescript6";
import { expect, it } from "vitest";

const DIST = resolve(import.meta.dirname, "../../dist");
const FACES = ["index", "testing", "vitest"].map((name) => join(DIST, `${name}.d.ts`));

/** What the types of the library make known: each export, and each member that can be reached from one. */
function publicNames(): { readonly all: string[]; readonly undocumented: string[] } {
  // Without the types of browsers and of Node, which take longest to read.
  const language = { target: ts.ScriptTarget.ES2023, lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"] };
  const options = { ...language, module: ts.ModuleKind.NodeNext, strict: true, skipLibCheck: true, types: [] };
  const program = ts.createProgram(FACES, options);
  const checker = program.getTypeChecker();
  const all: string[] = [];
  const undocumented: string[] = [];
  const seen = new Set<ts.Type>();

  function note(symbol: ts.Symbol, name: string): void {
    all.push(name);
    if (symbol.getDocumentationComment(checker).length === 0) undocumented.push(name);
  }

  function walk(type: ts.Type, name: string): void {
    if (seen.has(type)) return;
    seen.add(type);
    if (type.isUnion()) for (const each of type.types) walk(each, name);
    else if (type.flags & ts.TypeFlags.Object || type.isIntersection()) walkObject(type, name);
  }

  function walkObject(type: ts.Type, name: string): void {
    for (const each of checker.isArrayLikeType(type) ? checker.getTypeArguments(type as ts.TypeReference) : []) {
      walk(each, `${name}[]`);
    }
    for (const signature of type.getCallSignatures()) {
      for (const each of signature.getParameters()) walk(checker.getTypeOfSymbol(each), `${name}(${each.name})`);
      walk(signature.getReturnType(), `${name}()`);
    }
    for (const member of type.getProperties()) {
      const [declaration] = member.declarations ?? [];
      // The members of a promise or a text are not ours, nor are those of zod.
      const isKnown = declaration === undefined ? isPlainKey(type, name) : !isOurs(declaration);
      if (isKnown) continue;
      note(member, `${name}.${member.name}`);
      walk(checker.getTypeOfSymbol(member), `${name}.${member.name}`);
    }
  }

  /** A key of a list, or a name that is replaced by another: what is above it says it all. */
  function isPlainKey(type: ts.Type, name: string): boolean {
    return checker.isArrayLikeType(type) || /\.(?:guard\.jwt\.claims\.rename|install\.names)$/.test(name);
  }

  for (const face of FACES) {
    const module = program.getSourceFile(face);
    for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(module as ts.Node) as ts.Symbol)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      // The schemas of results: what they say is in the types of the results.
      if (symbol.name.endsWith("Schema")) continue;
      note(symbol, symbol.name);
      const isType = (symbol.flags & ts.SymbolFlags.Type) !== 0;
      walk(isType ? checker.getDeclaredTypeOfSymbol(symbol) : checker.getTypeOfSymbol(symbol), symbol.name);
    }
  }
  return { all, undocumented };
}

function isOurs(declaration: ts.Declaration): boolean {
  return declaration.getSourceFile().fileName.startsWith(DIST);
}

it("every export of the library, and every member of its types, has a docstring", () => {
  const { all, undocumented } = publicNames();
  expect(all.length).toBeGreaterThan(1000);
  expect(undocumented).toEqual([]);
});

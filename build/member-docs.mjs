import ts from "@typescript/typescript6";

/**
 * The comments of the members of schemas, by the names of the schemas and the members, joined by dots.
 * @param {readonly string[]} sources texts of source files; the names of what they declare are unique
 * @returns {ReadonlyMap<string, string>}
 */
export function memberDocsIn(sources) {
  /** @type {Map<string, string>} */
  const comments = new Map();
  const variables = sources.flatMap((source) => variablesIn(parse("source.ts", source)));
  // A schema may be made of others, which may be made of others.
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, initializer } of variables) {
      if (initializer === undefined) continue;
      const own = description(initializer);
      if (own) comments.set(name.getText(), own);
      collect(initializer, name.getText(), comments);
    }
  }
  return comments;
}

const ROUNDS = 3;

/** @typedef {{ readonly at: number, readonly comment: string }} Insertion */

/**
 * Gives the members of inferred types the comments of the schemas that they are inferred from: the compiler leaves them
 * out of declarations, and so editors would show none.
 * @param {string} declarations text of a declaration file
 * @param {ReadonlyMap<string, string>} comments
 */
export function withMemberDocs(declarations, comments) {
  if (!declarations.includes("z.Zod")) return declarations;
  /** @type {Insertion[]} */
  const insertions = [];
  for (const { name, type } of variablesIn(parse("declarations.d.ts", declarations))) {
    if (type !== undefined) place(type, name.getText(), comments, insertions);
  }
  return insertions
    .sort((a, b) => b.at - a.at)
    .reduce((text, { at, comment }) => `${text.slice(0, at)}/** ${comment} */ ${text.slice(at)}`, declarations);
}

/**
 * @param {string} name
 * @param {string} text
 */
function parse(name, text) {
  return ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
}

/** @param {ts.SourceFile} file */
function variablesIn(file) {
  return file.statements
    .filter((statement) => ts.isVariableStatement(statement))
    .flatMap(({ declarationList }) => [...declarationList.declarations])
    .filter(({ name }) => ts.isIdentifier(name));
}

/**
 * Notes the comment of each member of the object literals in an expression, by its path.
 * @param {ts.Node} node
 * @param {string} path
 * @param {Map<string, string>} comments
 */
function collect(node, path, comments) {
  if (ts.isIdentifier(node)) adopt(node.text, path, comments);
  const part = partOf(node);
  if (part !== null) return adopt(part, path, comments);
  if (ts.isShorthandPropertyAssignment(node)) {
    const own = `${path}.${node.name.text}`;
    note(node, own, null, comments);
    return adopt(node.name.text, own, comments);
  }
  if (!ts.isPropertyAssignment(node)) {
    node.forEachChild((child) => collect(child, path, comments));
    return;
  }
  const own = `${path}.${nameOf(node.name)}`;
  note(node, own, node.initializer, comments);
  collect(node.initializer, own, comments);
}

/**
 * Notes the comment of one member, or else what its schema says of itself.
 * @param {ts.Node} node
 * @param {string} path
 * @param {ts.Node | null} initializer
 * @param {Map<string, string>} comments
 */
function note(node, path, initializer, comments) {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter((each) => ts.isJSDoc(each));
  const own = initializer === null ? null : description(initializer);
  const comment = doc === undefined ? own : ts.getTextOfJSDocComment(doc.comment);
  if (comment) comments.set(path, comment.replaceAll(/\s+/g, " ").replaceAll("*/", "* /"));
}

/**
 * `schema.member` for `schema.shape.member`.
 * @param {ts.Node} node
 */
function partOf(node) {
  if (!ts.isPropertyAccessExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return null;
  const { expression: schema, name } = node.expression;
  return name.text === "shape" && ts.isIdentifier(schema) ? `${schema.text}.${node.name.text}` : null;
}

/**
 * Takes over the comments of a schema that another is made of.
 * @param {string} name
 * @param {string} path
 * @param {Map<string, string>} comments
 */
function adopt(name, path, comments) {
  const comment = comments.get(name);
  if (comment !== undefined && !comments.has(path)) comments.set(path, comment);
  for (const [at, comment] of membersOf(name, comments)) {
    const own = path + at.slice(name.length);
    if (!comments.has(own)) comments.set(own, comment);
  }
}

/**
 * @param {string} name
 * @param {ReadonlyMap<string, string>} comments
 */
function membersOf(name, comments) {
  return [...comments].filter(([at]) => at.startsWith(`${name}.`));
}

/**
 * What `.describe()` says of a schema; null: nothing.
 * @param {ts.Node} node
 * @returns {string | null}
 */
function description(node) {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return null;
  const [text] = node.arguments;
  const isIt = node.expression.name.text === "describe" && text !== undefined && ts.isStringLiteralLike(text);
  return isIt ? text.text : description(node.expression.expression);
}

/**
 * Finds the places of the comments in a type.
 * @param {ts.Node} node
 * @param {string} path
 * @param {ReadonlyMap<string, string>} comments
 * @param {Insertion[]} insertions is added to
 */
function place(node, path, comments, insertions) {
  if (!ts.isPropertySignature(node)) {
    node.forEachChild((child) => place(child, path, comments, insertions));
    return;
  }
  const own = `${path}.${nameOf(node.name)}`;
  const comment = comments.get(own);
  if (comment !== undefined) insertions.push({ at: node.getStart(), comment });
  if (node.type !== undefined) place(node.type, own, comments, insertions);
}

/** @param {ts.PropertyName} name */
function nameOf(name) {
  return ts.isIdentifier(name) || ts.isStringLiteralLike(name) ? name.text : name.getText();
}

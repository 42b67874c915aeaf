/** A chunk that only passes on what another chunk exports: `export{t as run}from"./delivery.js";`. */
const passingOn = /^export ?\{([^}]+)\} ?from ?"\.\/([\w.-]+)";\s*$/;

/**
 * Lets dynamic imports of modules within a larger chunk import that chunk. The bundler puts a file between the two that
 * only passes on exports, and each file that a command loads makes it start later.
 * @param {readonly { fileName: string, code: string, isEntry: boolean }[]} chunks
 * @throws Error if something else still imports a file that is left out
 * @returns {{ codes: Map<string, string>, unused: string[] }} the code of each chunk by its file name, and the files that
 *   nothing imports any more
 */
export function directImports(chunks) {
  const codes = new Map(chunks.map(({ fileName, code }) => [fileName, code]));
  /** @type {string[]} */
  const unused = [];
  for (const { fileName, code, isEntry } of chunks) {
    const [, names, target] = passingOn.exec(code) ?? [];
    if (isEntry || names === undefined) continue;
    const members = names.split(",").map((name) => {
      const [exported = "", as = exported] = name.trim().split(" as ");
      return `${as}: chunk.${exported}`;
    });
    const direct = `import("./${target}").then((chunk) => ({ ${members.join(", ")} }))`;
    for (const [name, text] of codes) codes.set(name, text.replaceAll(`import("./${fileName}")`, direct));
    codes.delete(fileName);
    unused.push(fileName);
  }
  for (const [name, text] of codes) {
    const missing = unused.find((fileName) => text.includes(`"./${fileName}"`));
    if (missing !== undefined) throw new Error(`${name} imports ${missing}, which is left out`);
  }
  return { codes, unused };
}

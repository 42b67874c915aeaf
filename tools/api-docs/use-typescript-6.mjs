/**
 * Lets modules import TypeScript 6 as `typescript`.
 * @type {import("node:module").ResolveHook}
 */
export function resolve(specifier, context, nextResolve) {
  return nextResolve(specifier === "typescript" ? "@typescript/typescript6" : specifier, context);
}

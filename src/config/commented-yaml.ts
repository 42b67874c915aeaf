import { Document, isMap, isScalar, parseDocument } from "yaml";

/**
 * A value as YAML, with comments above the members at their paths; comments for missing members are left out.
 * @param top a comment above everything; "" for none
 */
export function commentedYaml(
  value: object,
  comments: readonly (readonly [path: readonly string[], comment: string])[],
  top: string,
): string {
  const document = new Document(value);
  for (const [path, comment] of comments) {
    const around = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
    const keys = isMap(around) ? around.items.map(({ key }) => key) : [];
    const key = keys.find((each) => isScalar(each) && each.value === path.at(-1));
    if (!isScalar(key)) continue;
    const above = key.commentBefore;
    key.commentBefore = above ? `${above}\n ${comment}` : ` ${comment}`;
  }
  if (top !== "") document.commentBefore = ` ${top}`;
  return document.toString({ lineWidth: 0 });
}

/**
 * A YAML text with members set that it does not have yet; missing objects on the way are created. Everything else stays,
 * including comments.
 * @param text a map, possibly with comments
 */
export function withYamlMembers(
  text: string,
  members: readonly { readonly path: readonly (string | number)[]; readonly value: unknown }[],
): string {
  const document = parseDocument(text);
  for (const { path, value } of members) if (!document.hasIn(path)) document.setIn(path, value);
  return document.toString({ lineWidth: 0 });
}

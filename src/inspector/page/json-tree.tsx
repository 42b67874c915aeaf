import { type ReactNode, useState } from "react";
import type { HiddenPart } from "../view.ts";
import type { JsonNode } from "./json-text.ts";
import { countWords } from "./parts.tsx";
import { hiddenIn, WithSecrets } from "./secrets.tsx";

/** Members of one object or array that are drawn until a person asks for more. */
const SHOWN_MEMBERS = 100;
/** Deeper levels are folded at first. */
const OPEN_DEPTH = 4;

interface TreeProps {
  readonly node: JsonNode;
  /** The whole text, in which the secrets are numbered. */
  readonly text: string;
  readonly where: Omit<HiddenPart, "nth">;
  readonly name?: string | null;
  readonly depth?: number;
  readonly isLast?: boolean;
}

/** JSON as written, folded where it is deep. */
export function JsonTree({ node, text, where, name = null, depth = 0, isLast = true }: TreeProps): ReactNode {
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH);
  const [most, setMost] = useState(SHOWN_MEMBERS);
  const label = name === null ? null : <span className="json-name">{name}: </span>;
  const comma = isLast ? "" : ",";
  if (node.kind === "scalar") {
    const kind = node.raw.startsWith('"') ? "json-string" : "json-literal";
    return (
      <div className="json-line">
        {label}
        <bdi className={kind}>
          <WithSecrets text={node.raw} where={where} first={hiddenIn(text.slice(0, node.start))} />
        </bdi>
        {comma}
      </div>
    );
  }
  const [open, close] = node.kind === "object" ? ["{", "}"] : ["[", "]"];
  if (node.members.length === 0) {
    return (
      <div className="json-line">
        {label}
        {open}
        {close}
        {comma}
      </div>
    );
  }
  const count = countWords(node.members.length, node.kind === "object" ? "member" : "element");
  return (
    <div>
      <div className="json-line">
        <button
          type="button"
          className="fold"
          aria-expanded={isOpen}
          aria-label={`${isOpen ? "fold" : "unfold"} ${name ?? "the value"}, ${count}`}
          onClick={() => setOpen(!isOpen)}
        />
        {label}
        {open}
        {isOpen ? null : (
          <span className="quiet">
            {" "}
            {count} {close}
            {comma}
          </span>
        )}
      </div>
      {isOpen ? (
        <>
          <div className="json-members">
            {node.members.slice(0, most).map((member, index) => (
              <JsonTree
                key={member.value.start}
                node={member.value}
                text={text}
                where={where}
                name={member.name}
                depth={depth + 1}
                isLast={index === node.members.length - 1}
              />
            ))}
            {node.members.length > most ? (
              <button type="button" className="link" onClick={() => setMost(most * 10)}>
                {node.members.length - most} more
              </button>
            ) : null}
          </div>
          <div className="json-line">
            {close}
            {comma}
          </div>
        </>
      ) : null}
    </div>
  );
}

import { type ReactNode, useState } from "react";
import { harmless } from "../../protocol/harmless.ts";
import type { BodyView, HiddenPart } from "../view.ts";
import { hexRows, readJsonText } from "./json-text.ts";
import { JsonTree } from "./json-tree.tsx";
import { CodeBox } from "./parts.tsx";
import { WithSecrets } from "./secrets.tsx";

/** Only this much of a longer body is drawn; the shell command and `app-sim log` have the rest. */
const SHOWN_CHARACTERS = 100_000;
const SHOWN_BYTES = 16_384;

type Form = "pretty" | "raw" | "hex" | "preview";

/** A body: pretty-printed, raw, as bytes, or as an inert preview. */
export function BodyPart({ body, where }: { body: BodyView; where: Omit<HiddenPart, "nth"> }): ReactNode {
  const node = body.text === null ? null : readJsonText(body.text);
  const isPicture = /^image\/(png|jpeg|gif|webp|svg\+xml|avif)$/.test(body.type);
  const forms: Form[] = [
    ...(node === null ? [] : ["pretty" as const]),
    ...(body.text === null ? [] : ["raw" as const]),
    "hex",
    ...(body.type === "text/html" || isPicture ? ["preview" as const] : []),
  ];
  const [chosen, choose] = useState<Form | null>(null);
  if (body.size === 0) return <p className="quiet">no body</p>;
  const form = chosen !== null && forms.includes(chosen) ? chosen : (forms[0] ?? "hex");
  const notes = [
    `${body.size.toLocaleString("en-US")} bytes`,
    ...(body.isGzip ? ["gzip, shown decompressed"] : []),
    ...(body.isCut ? ["only the beginning was kept"] : []),
  ];
  return (
    <div className="body-part">
      <div className="body-head">
        <span className="quiet">{notes.join(", ")}</span>
        <fieldset className="choices" aria-label={`how the body of the ${where.side} is shown`}>
          {forms.map((each) => (
            <button key={each} type="button" aria-pressed={each === form} onClick={() => choose(each)}>
              {each}
            </button>
          ))}
        </fieldset>
      </div>
      {form === "pretty" && node !== null ? (
        <CodeBox label={`body of the ${where.side}`} kind="json">
          <JsonTree node={node} text={body.text ?? ""} where={where} />
        </CodeBox>
      ) : null}
      {form === "raw" ? <RawText text={body.text ?? ""} where={where} /> : null}
      {form === "hex" ? (
        <CodeBox label={`bytes of the ${where.side}`} kind="hex">
          {hexRows(body.base64, SHOWN_BYTES).join("\n")}
        </CodeBox>
      ) : null}
      {form === "preview" ? <Preview body={body} isPicture={isPicture} /> : null}
    </div>
  );
}

function RawText({ text, where }: { text: string; where: Omit<HiddenPart, "nth"> }): ReactNode {
  return (
    <CodeBox label={`body of the ${where.side}`}>
      <bdi>
        <WithSecrets text={text.slice(0, SHOWN_CHARACTERS)} where={where} />
      </bdi>
      {text.length > SHOWN_CHARACTERS ? "\n…" : ""}
    </CodeBox>
  );
}

/** The app's page in a frame without scripts, forms and network access, and without styles (hardening S13, S14). */
function Preview({ body, isPicture }: { body: BodyView; isPicture: boolean }): ReactNode {
  if (isPicture) return <img className="picture" src={`data:${body.type};base64,${body.base64}`} alt="in the body" />;
  return (
    <iframe title="preview of the page" sandbox="" srcDoc={harmless(body.text ?? "")} referrerPolicy="no-referrer" />
  );
}

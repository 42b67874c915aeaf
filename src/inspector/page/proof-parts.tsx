import type { ReactNode } from "react";
import { harmless } from "../../protocol/harmless.ts";
import type { SignatureSteps } from "../../webhook/signature-steps.ts";
import type { ClaimView, TokenView } from "../view.ts";
import { CodeBox, Toned } from "./parts.tsx";

/** A decoded token, with each claim explained. */
export function TokenPart({ token }: { token: TokenView }): ReactNode {
  const tone = token.isSigned === null ? "caution" : token.isSigned ? "good" : "bad";
  return (
    <section>
      <h3>JWT ({token.place})</h3>
      <p>
        <Toned tone={tone}>signature</Toned> {token.signature}
      </p>
      <Claims title="Header" claims={token.header} />
      <Claims title="Claims" claims={token.claims} />
      <p className="quiet">{token.section}</p>
    </section>
  );
}

function Claims({ title, claims }: { title: string; claims: readonly ClaimView[] }): ReactNode {
  return (
    <table className="claims">
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Value</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        {claims.map(({ name, value, meaning, isRight }) => (
          <tr key={name}>
            <th scope="row">
              <code>{harmless(name)}</code>
            </th>
            <td>
              <code>{harmless(value)}</code>
            </td>
            <td>
              {isRight === null ? null : (
                <Toned tone={isRight ? "good" : "bad"}>
                  {isRight ? "matches this call" : "does not match this call"}
                </Toned>
              )}{" "}
              {meaning}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The derivation of a delivery's signature, step by step. */
export function SignaturePart({ signature: { steps, isRight, verdict } }: { signature: SignatureSteps }): ReactNode {
  return (
    <section>
      <h3>Signature, step by step</h3>
      <p>
        <Toned tone={isRight ? "good" : "bad"}>{isRight ? "fits" : "does not match"}</Toned> {verdict}
      </p>
      <ol className="steps">
        {steps.map(({ title, text, isCode }) => (
          <li key={title}>
            <strong>{title}</strong>
            {isCode ? <CodeBox label={title}>{harmless(text)}</CodeBox> : <p>{harmless(text)}</p>}
          </li>
        ))}
      </ol>
    </section>
  );
}

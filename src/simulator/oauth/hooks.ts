import { z } from "zod";
import type { WireAnswer } from "../../platform/oauth-answer.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import { checkInput } from "../options.ts";

/** What can be changed once, by name: what it is, and what a change may make of it. */
export interface Changeable {
  /** The answer of the token endpoint. */
  readonly token: WireAnswer;
  /** The answer of the REST API. */
  readonly api: WireAnswer;
  /** The address that the user's browser is sent back to the app with. */
  readonly redirect: string;
  /** The claims of an access token, before it is signed. */
  readonly claims: Readonly<Record<string, unknown>>;
}

type Name = keyof Changeable;
type Change<N extends Name> = (value: Changeable[N]) => Changeable[N];

/** Changes that are waiting for their moment. */
export interface Hooks {
  /**
   * Changes the next one of its kind, and only that; several wait in line. A change that throws, or returns something
   * else than what it got, makes the platform answer 500 and say why.
   * @throws UsageError for a name that there is not, or a change that is no function
   */
  once<N extends Name>(name: N, change: Change<N>): void;
  /** Forgets the changes that are still waiting. */
  forget(): void;
  /**
   * The value as the change that waits for it makes it.
   * @throws UsageError where that is not a value of its kind
   */
  apply<N extends Name>(name: N, value: Changeable[N]): Changeable[N];
}

const answerSchema = z.strictObject({
  status: z.int().min(200).max(599),
  headers: z.record(
    z.string().regex(/^[!#$%&'*+.^_`|~0-9a-z-]+$/, "a header name in lower case"),
    z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, "one line, as a header value is"),
  ),
  body: z.string(),
});
const schemas: { readonly [N in Name]: z.ZodType<Changeable[N]> } = {
  token: answerSchema,
  api: answerSchema,
  redirect: z.string().regex(/^[\x21-\x7e]+$/, "an address of visible ASCII"),
  claims: z.record(z.string(), z.unknown()),
};
const onceSchema = z.tuple([
  z.enum(Object.keys(schemas) as [Name, ...Name[]]),
  z.custom<(value: unknown) => unknown>((change) => typeof change === "function", "expected a function"),
]);

/** No change is waiting. */
export function createHooks(): Hooks {
  let waiting: readonly { readonly name: Name; readonly change: (value: unknown) => unknown }[] = [];
  return {
    once(...input) {
      const [name, change] = checkInput("oauth.once()", onceSchema, input);
      waiting = [...waiting, { name, change }];
    },
    forget() {
      waiting = [];
    },
    apply(name, value) {
      const next = waiting.find((candidate) => candidate.name === name);
      if (next === undefined) return value;
      waiting = waiting.filter((candidate) => candidate !== next);
      return checkInput(`what the change of "${name}" returned`, schemas[name], changed(name, next.change, value));
    },
  };
}

function changed(name: Name, change: (value: unknown) => unknown, value: unknown): unknown {
  try {
    return change(value);
  } catch (error) {
    const hint = "a change gets a value and returns one; assertions belong after the request";
    throw new UsageError("change-failed", `the change of "${name}" threw ${String(error)}`, hint);
  }
}

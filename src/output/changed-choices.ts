import { isDeepStrictEqual } from "node:util";
import { type ChoiceId, type Choices, defaultChoices } from "../config/choices.ts";

/** The result without the choices at their defaults, which are documented. */
export function withChangedChoices<Result extends { readonly choices?: readonly ChoiceId[] }>(
  result: Result,
  choices: Choices,
): Result {
  // Node loads its comparison of objects when it is first used, so it is used only if necessary.
  const isChanged = (id: ChoiceId) =>
    choices[id] !== defaultChoices[id] && !isDeepStrictEqual(choices[id], defaultChoices[id]);
  return result.choices === undefined ? result : { ...result, choices: result.choices.filter(isChanged) };
}

import { parseJson } from "../protocol/json.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { allowedValues, valueText } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { type ChoiceId, type Choices, choiceDefinitions, choiceIds } from "./choices.ts";

/**
 * The value of one choice, from a config file, a profile or `--choose`.
 * @throws UsageError for an unknown id or a value that is not allowed; `from` is the place named in the message.
 */
export function parseChoice(id: string, value: unknown, from: string): Partial<Choices> {
  if (!Object.hasOwn(choiceDefinitions, id)) {
    throw new UsageError(
      "unknown-choice",
      `${from}: there is no choice "${id}".${didYouMean(id, choiceIds)}`,
      "`app-sim choices` lists them all",
    );
  }
  const definition = choiceDefinitions[id as ChoiceId];
  const parsed = definition.schema().safeParse(value);
  if (parsed.success) return { [id]: parsed.data };
  const names = parsed.error.issues.flatMap(allowedValues).map(String);
  const near = typeof value === "string" ? didYouMean(value, names) : "";
  throw new UsageError(
    "choice-invalid",
    `${from}: ${id} cannot be ${valueText(value)}.${near}`,
    `allowed: ${valueText(definition.default)} (the default), ${definition.alternatives}`,
  );
}

/**
 * One `id=value`: the value is the text itself if the choice allows it, otherwise JSON if it parses.
 * @throws UsageError as `parseChoice` does; `from` is the flag or variable named in the message.
 */
export function parseChooseFlag(text: string, from: string): Partial<Choices> {
  const at = text.indexOf("=");
  if (at < 1) {
    throw new UsageError(
      "choose-syntax",
      `${from}: expected id=value, not ${valueText(text)}`,
      "for example guard.jwt.algorithm=HS512",
    );
  }
  const id = text.slice(0, at);
  const raw = text.slice(at + 1);
  const wantsText =
    Object.hasOwn(choiceDefinitions, id) && choiceDefinitions[id as ChoiceId].schema().safeParse(raw).success;
  return parseChoice(id, wantsText ? raw : jsonOrText(raw), from);
}

function jsonOrText(text: string): unknown {
  const parsed = parseJson(new TextEncoder().encode(text));
  return parsed.ok ? parsed.value : text;
}

import type { ChoiceReader } from "../config/choices.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { loadFakeValues, type MakeValue } from "./fake-values.ts";
import { literalHint, type ResolveCall, type TemplateCall, type ValueAt } from "./rules/event-template.ts";
import { numericIds, worldValues } from "./rules/world-values.ts";

/** Total size of the random values of one run: its events are in memory at the same time. */
const MOST_CHARACTERS = 134_217_728;

/** Resolves templates by names of the world, else of faker, which is loaded only if a call needs it. */
export async function templateValues(
  context: SimulatorContext,
  choices: ChoiceReader,
  seed: number,
  calls: readonly TemplateCall[],
): Promise<ResolveCall> {
  const { organization, users } = context.config;
  const now = context.clock.now();
  const ours = worldValues({ organization, users, ids: choices.peek("webhook.ids"), seed, now });
  if (calls.some(({ isJson, name }) => isJson && numericIds.includes(name))) choices.relyOn("webhook.ids");
  const isOurs = ({ name, args }: TemplateCall) => args === null && Object.hasOwn(ours, name);
  const fakes = calls.every(isOurs) ? new Map<string, MakeValue>() : await loadFakeValues(seed, now);
  const room = { characters: MOST_CHARACTERS };
  return (call) => {
    const value = isOurs(call) ? ours[call.name] : fakeValue(call, fakes, room);
    if (value !== undefined) return value;
    throw new UsageError(
      "unknown-template",
      `${call.where}: there is no such template.${nearestTo(call.name, [...Object.keys(ours), ...fakes.keys()])}`,
      `from the world: ${Object.keys(ours).join(", ")}; random values: from fakerjs.dev/api, such as string.uuid; ${literalHint}`,
    );
  };
}

/** People often write only the last part: `uuid`. */
function nearestTo(name: string, names: readonly string[]): string {
  const whole = names.find((each) => each.endsWith(`.${name}`));
  return whole === undefined ? didYouMean(name, names) : ` Did you mean "${whole}"?`;
}

/** @param room how many characters the random values of a run may still make in total */
function fakeValue(
  { name, args, where }: TemplateCall,
  fakes: ReadonlyMap<string, MakeValue>,
  room: { characters: number },
): ValueAt | undefined {
  const make = fakes.get(name);
  if (make === undefined) return undefined;
  return () => {
    try {
      const value = make(...(args ?? []));
      if (typeof value === "string") room.characters -= value.length;
      if (room.characters < 0) {
        throw new Error(`all templates together make more than ${withCommas(MOST_CHARACTERS)} characters`);
      }
      return value;
    } catch (error) {
      throw new UsageError(
        "template-failed",
        `${where}: ${harmlessLine((error as Error).message)}`,
        `fakerjs.dev/api shows the arguments of ${name}`,
      );
    }
  };
}

import type { CommandCall } from "../action/command-call.ts";
import { choiceDefinitions, choiceIds } from "../config/choices.ts";
import { loadConfig } from "../config/load.ts";
import { printLines } from "../output/fit-lines.ts";
import { jsonText } from "../output/json.ts";
import { valueText } from "../protocol/problems.ts";
import { namedAmong } from "./named-among.ts";

/** `app-sim choices` */
export async function choicesCommand({ invocation, args }: CommandCall<never>): Promise<number> {
  const { settings, env, cwd, format, out, paint } = invocation;
  const loaded = await loadConfig(settings, env, cwd);
  const listed = namedAmong(choiceIds, args, "choice", "`app-sim choices` lists them all").map((id) => {
    const { section, default: standard, alternatives, reason, usedBy } = choiceDefinitions[id];
    const origin = loaded.origins.get(`choices.${id}`) ?? "default";
    return { id, section, value: loaded.choices[id], default: standard, alternatives, reason, usedBy, origin };
  });
  if (format === "json") {
    out(jsonText({ command: "choices", choices: listed }));
    return 0;
  }
  const lines = listed.flatMap(({ id, value, origin, alternatives, reason, section, usedBy }) => [
    `${paint.strong(id)} = ${valueText(value)}${origin === "default" ? "" : paint.caution(` (${origin})`)}`,
    `  ${reason} (interface ${section})`,
    `  other values: ${alternatives}`,
    paint.quiet(`  used by ${usedBy.join(", ")}`),
  ]);
  printLines(invocation, lines);
  return 0;
}

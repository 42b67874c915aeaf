import type { Exchange } from "../../../journal/exchange.ts";
import { pageOf } from "../walk/answer.ts";
import type { FormTools } from "../walk/tools.ts";

/** The text fields of these pages' forms that the configuration fills in, by name. */
export function configuredTexts(pages: readonly Exchange[], configured: FormTools["configured"]): string[] {
  const controls = pages.flatMap((shown) => pageOf(shown)?.forms ?? []).flatMap((form) => form.controls);
  const texts = controls.flatMap((each) => (each.kind === "text" ? [each.name] : []));
  return Object.keys(configured).filter((name) => texts.includes(name));
}

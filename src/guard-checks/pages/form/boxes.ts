import { isField } from "../../../browser/html-form.ts";
import type { RequestParts } from "../../../checking/request-parts.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { pageOf } from "../walk/answer.ts";
import { fieldsOf, hasField, withOnlyValue, withoutField } from "./form.ts";

/** Names of boxes that have to be ticked, such as `accept-terms`; others may be optional, such as `remember-me`. */
const acceptance = /accept|agree|terms|consent|confirm|\btos\b|rules/i;
/** What nobody has to accept. */
const optional = /market|news|mail|analytic|track|cookie|optional/i;

/** Whether the name of a box says that it has to be ticked. */
export function isAcceptance(name: string): boolean {
  return acceptance.test(name) && !optional.test(name);
}

/** Names of the boxes of a page that its form sends: those that are ticked. */
export function tickedBoxes(shown: Exchange, sent: RequestParts): string[] {
  const names = (pageOf(shown)?.forms ?? []).flatMap(({ controls }) =>
    controls.filter(({ kind }) => kind === "checkbox").map(({ name }) => name),
  );
  return names.filter((name) => hasField(fieldsOf(sent), name));
}

/** The value of the hidden field of this name in a page; null: it has none. */
export function hiddenValue(shown: Exchange, name: string): string | null {
  const fields = (pageOf(shown)?.forms ?? []).flatMap(({ controls }) => controls.filter(isField));
  return fields.find((each) => each.kind === "hidden" && each.name === name)?.value ?? null;
}

/**
 * The form as a browser sends it when a box is not ticked: without the box. Many frameworks put a hidden field of the
 * same name next to it, which is sent all the same.
 * @returns null if the form does not send the box
 */
export function unticked(request: RequestParts, shown: Exchange, name: string): RequestParts | null {
  const otherwise = hiddenValue(shown, name);
  return otherwise === null ? withoutField(request, name) : withOnlyValue(request, name, otherwise);
}

import type { Frame, Locator } from "playwright-core";
import { enterAll, type Fill, shown } from "./fill-fields.ts";
import type { Field } from "./html-form.ts";
import { type PageTrouble, pageTrouble } from "./page-work.ts";

/**
 * The visible fields with this name or label. Checkboxes and radio buttons may be hidden: many pages show something
 * prettier in their place.
 */
export function fieldsNamed(frame: Frame, name: string): Locator {
  const named = `[name=${JSON.stringify(name)}]`;
  const seen = frame.locator(`:is(input, select, textarea)${named}`).or(frame.getByLabel(name, { exact: true }));
  return seen.filter({ visible: true }).or(frame.locator(`:is([type=checkbox], [type=radio])${named}`));
}

/** Fills in the fields of one name as a person would; null when that is done. */
export async function fillInBrowser(fields: Locator, name: string, fill: Fill): Promise<PageTrouble | null> {
  if (await takesFile(fields))
    return trouble(`the field ${shown(name)} takes a file, which is more than --fill can give`);
  const before = await readFields(fields);
  const entered = enterAll(name, before, fill);
  if (!entered.ok) return { ...entered, failure: "other" };
  const given = [fill[name] ?? []].flat();
  for (const [index, after] of entered.fields.entries()) {
    const field = fields.nth(index);
    if (after.kind === "select") {
      await field.selectOption(
        after.options.flatMap(({ isSelected }, option) => (isSelected ? [{ index: option }] : [])),
      );
    } else if (after.kind === "checkbox" || after.kind === "radio") {
      // One that is hidden cannot be clicked with the mouse.
      if (after.isChecked !== before[index]?.isChecked) await field.dispatchEvent("click");
    } else if (index < given.length) {
      if (await isRefused(field, after.value))
        return trouble(`the field ${shown(name)} does not take the value for it`);
      await field.fill(after.value);
    }
  }
  return null;
}

function takesFile(fields: Locator): Promise<boolean> {
  // Runs in the page.
  return fields.evaluateAll((elements) =>
    (elements as unknown as Element[]).some(({ localName, type }) => localName === "input" && type === "file"),
  );
}

/** Whether a field stays empty with this value, as one for dates or numbers does with any other text. */
function isRefused(field: Locator, value: string): Promise<boolean> {
  // Runs in the page. A copy, because the page may act on what is typed into the field itself.
  return field.evaluate((element, text) => {
    const copy = (element as unknown as { cloneNode(): { value?: string } }).cloneNode();
    copy.value = text;
    return text !== "" && copy.value === "";
  }, value);
}

/** The members of a form element that are read in the page. */
interface Element {
  readonly localName: string;
  readonly type?: string;
  readonly value?: string;
  readonly checked?: boolean;
  readonly multiple?: boolean;
  readonly options?: Iterable<{
    readonly value: string;
    readonly label: string;
    readonly selected: boolean;
    readonly disabled: boolean;
  }>;
}

function readFields(fields: Locator): Promise<Field[]> {
  // Runs in the page.
  return fields.evaluateAll((elements) =>
    (elements as unknown as Element[]).map((element): Field => {
      const { localName, type = "", value = "", checked = false, multiple = false, options = [] } = element;
      const isChecked = type === "checkbox" || type === "radio";
      return {
        kind: localName === "select" ? "select" : isChecked ? type : "text",
        name: "",
        value,
        isChecked: checked,
        options: [...options].map((option) => ({
          value: option.value,
          text: option.label,
          isSelected: option.selected,
          isDisabled: option.disabled,
        })),
        isMultiple: multiple,
        isDisabled: false,
        isReadOnly: false,
        isRequired: false,
      };
    }),
  );
}

function trouble(reason: string): PageTrouble {
  return pageTrouble(reason, null);
}

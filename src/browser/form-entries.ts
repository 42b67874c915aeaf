import type { Field, FormButton, FormControl, HtmlForm } from "./html-form.ts";

/** One name and value that a form sends. */
export interface FormEntry {
  readonly name: string;
  readonly value: string;
}

/**
 * What a form sends, in the order of the page (HTML standard, "constructing the entry list").
 * @param pressed the button that sends it; null: none does, as when Enter is hit in a field
 */
export function formEntries({ controls }: HtmlForm, pressed: FormButton | null): FormEntry[] {
  return controls.flatMap((control) => (control.isDisabled ? [] : entriesOf(control, pressed)));
}

function entriesOf(control: FormControl, pressed: FormButton | null): FormEntry[] {
  const { kind, name } = control;
  if (name === "") return [];
  switch (kind) {
    case "submit":
    case "image":
    case "script":
      return control === pressed ? [{ name, value: control.value }] : [];
    case "checkbox":
    case "radio":
      return control.isChecked ? [{ name, value: control.value }] : [];
    case "select":
      return control.options.flatMap(({ value, isSelected, isDisabled }) =>
        isSelected && !isDisabled ? [{ name, value }] : [],
      );
    case "unsupported":
      return [];
    case "hidden":
      // The one name that browsers answer themselves.
      return [{ name, value: name.toLowerCase() === "_charset_" ? "UTF-8" : control.value }];
    case "text":
      return [{ name, value: control.value }];
  }
}

/** Names of the fields that a browser would not let the form be sent without. */
export function missingFields({ controls }: HtmlForm): string[] {
  const fields = controls.filter(isField);
  const missing = fields.filter(
    (field) => field.isRequired && !field.isDisabled && !field.isReadOnly && isEmpty(field, fields),
  );
  return [...new Set(missing.map(({ name }) => name))];
}

function isEmpty(field: Field, all: readonly Field[]): boolean {
  switch (field.kind) {
    case "checkbox":
      return !field.isChecked;
    case "radio":
      return !all.some(({ kind, name, isChecked }) => kind === "radio" && name === field.name && isChecked);
    case "select":
      return field.options.every(({ isSelected, value }) => !isSelected || value === "");
    case "hidden":
      return false;
    case "text":
      return field.value === "";
  }
}

export function isField(control: FormControl): control is Field {
  return control.kind !== "unsupported" && !isButton(control);
}

export function isButton(control: FormControl): control is FormButton {
  return control.kind === "submit" || control.kind === "image" || control.kind === "script";
}

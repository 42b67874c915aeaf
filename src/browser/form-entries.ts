import type { Control, Field, FormButton, HtmlForm } from "./html-form.ts";

/** One name and value that a form sends; null stands for a file that was not chosen. */
export interface FormEntry {
  readonly name: string;
  readonly value: string | null;
}

/**
 * What a form sends, in the order of the page (HTML standard, "constructing the entry list").
 * @param pressed the button that sends it; null: none does, as when Enter is hit in a field
 */
export function formEntries({ controls }: HtmlForm, pressed: FormButton | null): FormEntry[] {
  return controls.flatMap((control) => (control.isDisabled ? [] : entriesOf(control, pressed)));
}

function entriesOf(control: Control, pressed: FormButton | null): FormEntry[] {
  const { kind, name } = control;
  if (kind === "image") return control === pressed ? pointOf(name) : [];
  if (name === "") return [];
  switch (kind) {
    case "submit":
    case "script":
      return control === pressed ? [{ name, value: control.value }] : [];
    case "checkbox":
    case "radio":
      return control.isChecked ? [{ name, value: control.value }] : [];
    case "select":
      return control.options.flatMap(({ value, isSelected, isDisabled }) =>
        isSelected && !isDisabled ? [{ name, value }] : [],
      );
    case "file":
      return [{ name, value: null }];
    case "hidden":
      // The one name that browsers answer themselves.
      return [{ name, value: name.toLowerCase() === "_charset_" ? "UTF-8" : control.value }];
    case "text":
      return [{ name, value: control.value }];
  }
}

/** Where in the image it was clicked. */
function pointOf(name: string): FormEntry[] {
  const prefix = name === "" ? "" : `${name}.`;
  return [
    { name: `${prefix}x`, value: "0" },
    { name: `${prefix}y`, value: "0" },
  ];
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
    case "file":
      return true;
    case "hidden":
      return false;
    case "text":
      return field.value === "";
  }
}

export function isField(control: Control): control is Field {
  return control.kind !== "submit" && control.kind !== "image" && control.kind !== "script";
}

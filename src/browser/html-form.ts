/** A form of an HTML page, as a browser without scripts sees it. */
export interface HtmlForm {
  readonly id: string;
  /** The full address that it is sent to; null if there is none (`javascript:` and the like). */
  readonly action: string | null;
  readonly method: FormMethod;
  readonly enctype: FormEncoding;
  /** Whether it is sent without validation of required fields. */
  readonly noValidate: boolean;
  /** Fields and buttons, in the order of the page. */
  readonly controls: readonly FormControl[];
}

export type FormMethod = "get" | "post" | "dialog";
export type FormEncoding = "application/x-www-form-urlencoded" | "multipart/form-data" | "text/plain";

export type FormControl = Field | UnsupportedField | FormButton;

/** A control that a person can change, or that is sent along. */
export interface Field {
  readonly kind: "text" | "hidden" | "checkbox" | "radio" | "select";
  readonly name: string;
  /** The current value; for a checkbox or radio button, what is sent if it is checked. */
  readonly value: string;
  readonly isChecked: boolean;
  readonly options: readonly FieldOption[];
  /** Whether several options may be selected. */
  readonly isMultiple: boolean;
  readonly isDisabled: boolean;
  readonly isReadOnly: boolean;
  readonly isRequired: boolean;
  /** How many UTF-16 code units people can type at most (HTML, 4.10.5.3.1); null: any number. */
  readonly maxLength: number | null;
}

/** Types of inputs in which `maxlength` means nothing (HTML, 4.10.5). */
export const TYPES_OF_ANY_LENGTH: readonly string[] = ["number", "date", "month", "week", "time", "datetime-local"];

/** A field of a type that only a browser can fill in, such as `file`, `color` or `range`. */
export interface UnsupportedField {
  readonly kind: "unsupported";
  readonly name: string;
  readonly type: string;
  readonly isDisabled: boolean;
  readonly isRequired: boolean;
}

/** Whether a field is for a file that may be left out: it is sent without one. */
export function isOptionalFile(control: FormControl): boolean {
  return control.kind === "unsupported" && control.type === "file" && !control.isRequired;
}

/** One of the choices of a select. */
export interface FieldOption {
  readonly value: string;
  /** The visible text. */
  readonly text: string;
  readonly isSelected: boolean;
  readonly isDisabled: boolean;
}

/**
 * A button. Only `submit` can be pressed over HTTP: `script` does nothing by itself, `image` sends the click position.
 */
export interface FormButton {
  readonly kind: "submit" | "image" | "script";
  readonly id: string;
  readonly name: string;
  readonly value: string;
  /** The visible text. */
  readonly text: string;
  readonly isDisabled: boolean;
  /** Its own action, which overrides the form's; undefined if it has none. */
  readonly action: string | null | undefined;
  readonly method: FormMethod | undefined;
  readonly enctype: FormEncoding | undefined;
  readonly noValidate: boolean;
}

/** One name and value that a form sends. */
export interface FormEntry {
  readonly name: string;
  readonly value: string;
  /** Whether it is a file: always an empty one; default false. */
  readonly isFile?: boolean;
}

/**
 * What a form sends, in the order of the page (HTML standard, "constructing the entry list").
 * @param pressed the button that sends it; null if none does, as when Enter is pressed in a field
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
      return control.options
        .filter((option) => option.isSelected && !option.isDisabled)
        .map(({ value }) => ({ name, value }));
    case "unsupported":
      return isOptionalFile(control) ? [{ name, value: "", isFile: true }] : [];
    case "hidden":
      // Browsers fill in this name themselves.
      return [{ name, value: name.toLowerCase() === "_charset_" ? "UTF-8" : control.value }];
    case "text":
      return [{ name, value: control.value }];
  }
}

/**
 * Names of the fields without which a browser would not submit the form.
 * @param button the one that is pressed; null: none is
 */
export function missingFields({ controls, noValidate }: HtmlForm, button: FormButton | null = null): string[] {
  if (noValidate || button?.noValidate === true) return [];
  const fields = controls.filter(isField);
  const chosen = new Set(fields.flatMap(({ kind, name, isChecked }) => (kind === "radio" && isChecked ? [name] : [])));
  const missing = fields.filter(
    (field) => field.isRequired && !field.isDisabled && !field.isReadOnly && isEmpty(field, chosen),
  );
  return [...new Set(missing.map(({ name }) => name))];
}

/** @param chosen names of the radio button groups with one checked */
function isEmpty(field: Field, chosen: ReadonlySet<string>): boolean {
  switch (field.kind) {
    case "checkbox":
      return !field.isChecked;
    case "radio":
      return !chosen.has(field.name);
    case "select":
      return field.options.every(({ isSelected, value }) => !isSelected || value === "");
    case "hidden":
      return false;
    case "text":
      return field.value === "";
  }
}

/** Whether there is nothing to decide: no field to fill in, and at most one button. */
export function onlyLeadsOn({ controls }: HtmlForm): boolean {
  return (
    controls.filter(isButton).length <= 1 && controls.every((control) => !isField(control) || control.kind === "hidden")
  );
}

export function isField(control: FormControl): control is Field {
  return control.kind !== "unsupported" && !isButton(control);
}

export function isButton(control: FormControl): control is FormButton {
  return control.kind === "submit" || control.kind === "image" || control.kind === "script";
}

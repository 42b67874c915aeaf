/** A form of an HTML page, as a browser without scripts sees it. */
export interface HtmlForm {
  readonly id: string;
  /** Address that it is sent to, in full; null for one that cannot be (`javascript:` and the like). */
  readonly action: string | null;
  readonly method: FormMethod;
  readonly enctype: FormEncoding;
  /** Whether it is sent without asking for the fields that are required. */
  readonly noValidate: boolean;
  /** Fields and buttons, in the order of the page. */
  readonly controls: readonly FormControl[];
}

export type FormMethod = "get" | "post" | "dialog";
export type FormEncoding = "application/x-www-form-urlencoded" | "multipart/form-data" | "text/plain";

export type FormControl = Field | UnsupportedField | FormButton;

/** What a person can change, or what is sent along. */
export interface Field {
  readonly kind: "text" | "hidden" | "checkbox" | "radio" | "select";
  readonly name: string;
  /** As it stands; for a checkbox or radio button what is sent when it is checked. */
  readonly value: string;
  readonly isChecked: boolean;
  readonly options: readonly FieldOption[];
  /** Whether several options may be chosen. */
  readonly isMultiple: boolean;
  readonly isDisabled: boolean;
  readonly isReadOnly: boolean;
  readonly isRequired: boolean;
}

/** A field of a type that only a browser can send, such as `file`, `color` or `range`. */
export interface UnsupportedField {
  readonly kind: "unsupported";
  readonly name: string;
  readonly type: string;
  readonly isDisabled: boolean;
}

/** One of the choices of a select. */
export interface FieldOption {
  readonly value: string;
  /** What a person reads. */
  readonly text: string;
  readonly isSelected: boolean;
  readonly isDisabled: boolean;
}

/** A button. Only `submit` can be pressed over HTTP: `script` does nothing by itself, `image` sends where it was clicked. */
export interface FormButton {
  readonly kind: "submit" | "image" | "script";
  readonly id: string;
  readonly name: string;
  readonly value: string;
  /** What a person reads on it. */
  readonly text: string;
  readonly isDisabled: boolean;
  /** What it says in place of its form; undefined if it says nothing. */
  readonly action: string | null | undefined;
  readonly method: FormMethod | undefined;
  readonly enctype: FormEncoding | undefined;
  readonly noValidate: boolean;
}

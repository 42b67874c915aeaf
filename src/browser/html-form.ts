/** A form of an HTML page, as far as a browser without scripts uses it. */
export interface HtmlForm {
  readonly id: string;
  /** Address that it is sent to, in full; null for one that cannot be (`javascript:` and the like). */
  readonly action: string | null;
  readonly method: FormMethod;
  readonly enctype: FormEncoding;
  /** Whether it is sent without asking for the fields that are required. */
  readonly noValidate: boolean;
  /** Fields and buttons, in the order of the page. */
  readonly controls: readonly Control[];
}

export type FormMethod = "get" | "post" | "dialog";
export type FormEncoding = "application/x-www-form-urlencoded" | "multipart/form-data" | "text/plain";

export type Control = Field | FormButton;

/** What a person can change, or what is sent along. */
export interface Field {
  readonly kind: "text" | "hidden" | "checkbox" | "radio" | "select" | "file";
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

export interface FieldOption {
  readonly value: string;
  /** What a person reads. */
  readonly text: string;
  readonly isSelected: boolean;
  readonly isDisabled: boolean;
}

/** A button; `script` is one that does nothing but for the scripts of the page. */
export interface FormButton {
  readonly kind: "submit" | "image" | "script";
  readonly id: string;
  readonly name: string;
  readonly value: string;
  /** What a person reads on it. */
  readonly text: string;
  readonly isDisabled: boolean;
  /** What it says in place of its form; undefined where it says nothing. */
  readonly action: string | null | undefined;
  readonly method: FormMethod | undefined;
  readonly enctype: FormEncoding | undefined;
  readonly noValidate: boolean;
}

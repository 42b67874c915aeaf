import { parseUrl } from "../protocol/url.ts";
import {
  type Field,
  type FieldOption,
  type FormButton,
  type FormControl,
  type FormEncoding,
  type FormMethod,
  type HtmlForm,
  TYPES_OF_ANY_LENGTH,
  type UnsupportedField,
} from "./html-form.ts";
import { oneLine, type PageElement, type PageNode, type PlacedElement, textIn } from "./page-elements.ts";

/** The full address of an attribute's value; of the page itself if it has none. */
type AddressOf = (value: string | undefined) => string | null;

/**
 * The forms of a page (HTML standard, 4.10). A form that begins inside a table, outside of a cell, has no fields here.
 * Takes time linear in the number of elements.
 * @param url address of the page
 * @param base what its addresses are relative to
 */
export function readForms(elements: readonly PlacedElement[], url: string, base: string): HtmlForm[] {
  const addressOf: AddressOf = (value) => (value ? httpUrl(value, base) : url);
  const forms = elements.flatMap(({ element }) => (element.name === "form" ? [element] : []));
  const formsById = new Map(forms.toReversed().map((form) => [form.attribs.id ?? "", form]));
  const controlsOf = new Map(forms.map((form) => [form, [] as FormControl[]]));
  for (const placed of elements) {
    const { element, form } = placed;
    if (!controlNames.has(element.name)) continue;
    const owner = element.attribs.form === undefined ? form : formsById.get(element.attribs.form);
    if (owner != null) controlsOf.get(owner)?.push(readControl(placed, addressOf));
  }
  return forms.map((form) => ({
    id: form.attribs.id ?? "",
    action: addressOf(form.attribs.action?.trim()),
    method: methodOf(form.attribs.method) ?? "get",
    enctype: encodingOf(form.attribs.enctype) ?? "application/x-www-form-urlencoded",
    noValidate: form.attribs.novalidate !== undefined,
    controls: withOneRadioEach(controlsOf.get(form) ?? []),
  }));
}

const controlNames: ReadonlySet<string> = new Set(["button", "input", "select", "textarea"]);

function readControl(placed: PlacedElement, addressOf: AddressOf): FormControl {
  const { element } = placed;
  const type = element.attribs.type?.toLowerCase() ?? "";
  if (element.name === "select") return selectField(placed);
  if (element.name === "textarea") return { ...plainField(placed), value: textIn(element) };
  const buttonKind = element.name === "button" ? (buttonKinds.get(type) ?? "submit") : inputButtonKinds.get(type);
  if (buttonKind !== undefined) return button(placed, buttonKind, addressOf);
  return inputField(placed, type);
}

const buttonKinds: ReadonlyMap<string, FormButton["kind"]> = new Map([
  ["button", "script"],
  ["reset", "script"],
]);
const inputButtonKinds: ReadonlyMap<string, FormButton["kind"]> = new Map([
  ...buttonKinds,
  ["submit", "submit"],
  ["image", "image"],
]);

function plainField(placed: PlacedElement): Field {
  const { attribs } = placed.element;
  return {
    kind: "text",
    name: attribs.name ?? "",
    value: attribs.value ?? "",
    isChecked: false,
    options: [],
    isMultiple: false,
    isDisabled: isDisabled(placed),
    isReadOnly: attribs.readonly !== undefined,
    isRequired: attribs.required !== undefined,
    maxLength: maxLengthOf(attribs),
  };
}

function maxLengthOf({ type = "", maxlength = "" }: PlacedElement["element"]["attribs"]): number | null {
  return /^\d+$/.test(maxlength) && !TYPES_OF_ANY_LENGTH.includes(type.toLowerCase()) ? Number(maxlength) : null;
}

function inputField(placed: PlacedElement, type: string): Field | UnsupportedField {
  const field = plainField(placed);
  const { attribs } = placed.element;
  switch (type) {
    case "hidden":
      return { ...field, kind: type };
    case "checkbox":
    case "radio":
      return { ...field, kind: type, value: attribs.value ?? "on", isChecked: attribs.checked !== undefined };
    case "file":
    case "color":
    case "range":
      return {
        kind: "unsupported",
        name: field.name,
        type,
        isDisabled: field.isDisabled,
        isRequired: field.isRequired,
      };
    case "email":
    case "url":
      return { ...field, value: field.value.trim() };
    default:
      return { ...field, value: field.value.replaceAll(/[\r\n]/g, "") };
  }
}

function selectField(placed: PlacedElement): Field {
  const { attribs, children } = placed.element;
  const isMultiple = attribs.multiple !== undefined;
  const options = optionsIn(children, false);
  const isDropDown = !isMultiple && !(Number(attribs.size) > 1);
  const chosen = options.findLastIndex(({ isSelected }) => isSelected);
  const shown = chosen < 0 && isDropDown ? options.findIndex((option) => !option.isDisabled) : chosen;
  return {
    ...plainField(placed),
    kind: "select",
    isMultiple,
    options: isMultiple ? options : options.map((option, index) => ({ ...option, isSelected: index === shown })),
  };
}

function optionsIn(nodes: readonly PageNode[], isInDisabled: boolean): FieldOption[] {
  return nodes.flatMap((node) => {
    if (!("attribs" in node)) return [];
    if (node.name === "option") return [readOption(node, isInDisabled)];
    const isDisabledGroup = node.name === "optgroup" && node.attribs.disabled !== undefined;
    return optionsIn(node.children, isInDisabled || isDisabledGroup);
  });
}

function readOption(option: PageElement, isInDisabled: boolean): FieldOption {
  const { value, label, selected, disabled } = option.attribs;
  const text = oneLine(textIn(option));
  return {
    value: value ?? text,
    text: label || text,
    isSelected: selected !== undefined,
    isDisabled: isInDisabled || disabled !== undefined,
  };
}

function button(placed: PlacedElement, kind: FormButton["kind"], addressOf: AddressOf): FormButton {
  const { element } = placed;
  const { value, formaction, alt, id, name, formmethod, formenctype, formnovalidate, title } = element.attribs;
  const isInput = element.name === "input";
  const written = isInput ? (kind === "image" ? alt : value) : textIn(element);
  // The label that browsers show on, and send for, a submit input without a value.
  const unwritten = kind === "submit" && isInput ? "Submit" : "";
  return {
    kind,
    id: id ?? "",
    name: name ?? "",
    value: value ?? unwritten,
    text: oneLine(written || element.attribs["aria-label"] || title || unwritten),
    isDisabled: isDisabled(placed),
    action: formaction === undefined ? undefined : addressOf(formaction.trim()),
    method: methodOf(formmethod),
    enctype: encodingOf(formenctype),
    noValidate: formnovalidate !== undefined,
  };
}

/** Itself, or through a fieldset around it. */
function isDisabled({ element, isDisabled }: PlacedElement): boolean {
  return isDisabled || element.attribs.disabled !== undefined;
}

/** Of radio buttons with the same name, only the last checked one stays checked. */
function withOneRadioEach(controls: readonly FormControl[]): FormControl[] {
  const last = new Map<string, FormControl>();
  for (const control of controls) if (control.kind === "radio" && control.isChecked) last.set(control.name, control);
  return controls.map((control) =>
    control.kind === "radio" && control.isChecked && control.name !== "" && last.get(control.name) !== control
      ? { ...control, isChecked: false }
      : control,
  );
}

/** The full address; null if it is not http or https. */
function httpUrl(value: string, base: string): string | null {
  const url = parseUrl(value, base);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

function methodOf(value: string | undefined): FormMethod | undefined {
  const method = value?.toLowerCase();
  if (method === undefined) return undefined;
  return method === "post" || method === "dialog" ? method : "get";
}

function encodingOf(value: string | undefined): FormEncoding | undefined {
  const encoding = value?.toLowerCase();
  if (encoding === undefined) return undefined;
  return encoding === "multipart/form-data" || encoding === "text/plain"
    ? encoding
    : "application/x-www-form-urlencoded";
}

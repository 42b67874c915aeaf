import type { CheerioAPI } from "cheerio";
import { parseUrl } from "../protocol/url.ts";
import type {
  Field,
  FieldOption,
  FormButton,
  FormControl,
  FormEncoding,
  FormMethod,
  HtmlForm,
  UnsupportedField,
} from "./html-form.ts";

type Elements = ReturnType<CheerioAPI>;
/** The full address of an attribute's value; of the page itself where it has none. */
type AddressOf = (value: string | undefined) => string | null;

/**
 * The forms of a page (HTML standard, 4.10). A form that its page opens inside of a table, outside of a cell, has no
 * fields here.
 * @param url where the page came from
 * @param base what its addresses are relative to
 */
export function readForms($: CheerioAPI, url: string, base: string): HtmlForm[] {
  const addressOf: AddressOf = (value) => (value ? httpUrl(value, base) : url);
  const forms = inPage($, "form");
  const formsById = new Map(forms.toReversed().map((form) => [$(form).attr("id") ?? "", form]));
  const controlsOf = new Map(forms.map((form) => [form, [] as FormControl[]]));
  for (const element of inPage($, "button, input, select, textarea")) {
    const owner = ownerOf($(element), formsById);
    if (owner !== undefined) controlsOf.get(owner)?.push(readControl($, $(element), addressOf));
  }
  return forms.map((element) => {
    const form = $(element);
    return {
      id: form.attr("id") ?? "",
      action: addressOf(form.attr("action")?.trim()),
      method: methodOf(form.attr("method")) ?? "get",
      enctype: encodingOf(form.attr("enctype")) ?? "application/x-www-form-urlencoded",
      noValidate: form.attr("novalidate") !== undefined,
      controls: withOneRadioEach(controlsOf.get(element) ?? []),
    };
  });
}

/** Elements of the page itself: what stands in a template is not there yet. */
function inPage($: CheerioAPI, selector: string) {
  return $(selector)
    .toArray()
    .filter((element) => $(element).closest("html").length > 0);
}

/** The form that a control belongs to: the one that it names, or else the one around it. */
function ownerOf<T>(control: Elements, formsById: ReadonlyMap<string, T>) {
  const id = control.attr("form");
  return id === undefined ? control.closest("form").get(0) : formsById.get(id);
}

function readControl($: CheerioAPI, control: Elements, addressOf: AddressOf): FormControl {
  const tag = control.prop("tagName")?.toLowerCase();
  const type = control.attr("type")?.toLowerCase() ?? "";
  if (tag === "select") return selectField($, control);
  if (tag === "textarea") return { ...plainField($, control), value: control.text() };
  const buttonKind = tag === "button" ? (buttonKinds.get(type) ?? "submit") : inputButtonKinds.get(type);
  if (buttonKind !== undefined) return button($, control, buttonKind, addressOf);
  return inputField($, control, type);
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

function plainField($: CheerioAPI, control: Elements): Field {
  return {
    kind: "text",
    name: control.attr("name") ?? "",
    value: control.attr("value") ?? "",
    isChecked: false,
    options: [],
    isMultiple: false,
    isDisabled: isDisabled($, control),
    isReadOnly: control.attr("readonly") !== undefined,
    isRequired: control.attr("required") !== undefined,
  };
}

function inputField($: CheerioAPI, control: Elements, type: string): Field | UnsupportedField {
  const field = plainField($, control);
  switch (type) {
    case "hidden":
      return { ...field, kind: type };
    case "checkbox":
    case "radio": {
      const value = control.attr("value") ?? "on";
      return { ...field, kind: type, value, isChecked: control.attr("checked") !== undefined };
    }
    case "file":
    case "color":
    case "range":
      return { kind: "unsupported", name: field.name, type, isDisabled: field.isDisabled };
    case "email":
    case "url":
      return { ...field, value: field.value.trim() };
    default:
      return { ...field, value: field.value.replaceAll(/[\r\n]/g, "") };
  }
}

function selectField($: CheerioAPI, control: Elements): Field {
  const isMultiple = control.attr("multiple") !== undefined;
  const options = control
    .find("option")
    .toArray()
    .map((element): FieldOption => {
      const option = $(element);
      const text = oneLine(option.text());
      return {
        // cheerio would give the text, as it stands in the page, for a value that is not there.
        value: option.is("[value]") ? (option.attr("value") ?? "") : text,
        text: option.attr("label") || text,
        isSelected: option.attr("selected") !== undefined,
        isDisabled: option.attr("disabled") !== undefined || option.closest("optgroup[disabled]").length > 0,
      };
    });
  const isDropDown = !isMultiple && !(Number(control.attr("size")) > 1);
  const chosen = options.findLastIndex(({ isSelected }) => isSelected);
  const shown = chosen < 0 && isDropDown ? options.findIndex((option) => !option.isDisabled) : chosen;
  return {
    ...plainField($, control),
    kind: "select",
    isMultiple,
    options: isMultiple ? options : options.map((option, index) => ({ ...option, isSelected: index === shown })),
  };
}

function button($: CheerioAPI, control: Elements, kind: FormButton["kind"], addressOf: AddressOf): FormButton {
  const value = control.attr("value");
  const action = control.attr("formaction");
  const written = control.is("button") ? control.text() : kind === "image" ? control.attr("alt") : value;
  // What browsers write on, and send for, an input that has no value of its own.
  const unwritten = kind === "submit" && control.is("input") ? "Submit" : "";
  return {
    kind,
    id: control.attr("id") ?? "",
    name: control.attr("name") ?? "",
    value: value ?? unwritten,
    text: oneLine(written || control.attr("aria-label") || control.attr("title") || unwritten),
    isDisabled: isDisabled($, control),
    action: action === undefined ? undefined : addressOf(action.trim()),
    method: methodOf(control.attr("formmethod")),
    enctype: encodingOf(control.attr("formenctype")),
    noValidate: control.attr("formnovalidate") !== undefined,
  };
}

/** By itself, or by a fieldset around it, but for what is in that fieldset's legend. */
function isDisabled($: CheerioAPI, control: Elements): boolean {
  if (control.attr("disabled") !== undefined) return true;
  const sets = control.parents("fieldset[disabled]");
  return sets.toArray().some((set) => {
    const legend = $(set).children("legend").first();
    return !control.parents("legend").is(legend);
  });
}

/** Of the radio buttons with one name, only the last that is checked stays so. */
function withOneRadioEach(controls: readonly FormControl[]): FormControl[] {
  const last = new Map<string, FormControl>();
  for (const control of controls) if (control.kind === "radio" && control.isChecked) last.set(control.name, control);
  return controls.map((control) =>
    control.kind === "radio" && control.isChecked && control.name !== "" && last.get(control.name) !== control
      ? { ...control, isChecked: false }
      : control,
  );
}

/** The whole address; null if it is not one of http or https. */
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

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

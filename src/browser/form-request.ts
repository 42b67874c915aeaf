import type { Explanation } from "../app-client/explain-outcome.ts";
import { NEEDS_BROWSER } from "./fill-form.ts";
import {
  type FormButton,
  type FormControl,
  type FormEntry,
  formEntries,
  type HtmlForm,
  isOptionalFile,
  type UnsupportedField,
} from "./html-form.ts";
import { withNetworkLines, writeMultipart } from "./multipart.ts";

/** A request that a browser makes for a page. */
export interface PageRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly body: Uint8Array;
  readonly contentType: string | null;
}

type FormRequest = { readonly ok: true; readonly request: PageRequest } | ({ readonly ok: false } & Explanation);

/** The request that loads a page. */
export function getRequest(url: string): PageRequest {
  return { method: "GET", url, body: new Uint8Array(), contentType: null };
}

/**
 * The request that a form makes when the button is pressed (HTML standard, 4.10.21).
 * @param boundary between the parts of a multipart form: no value may contain it
 */
export function formRequest(form: HtmlForm, pressed: FormButton | null, boundary: string): FormRequest {
  const action = pressed?.action === undefined ? form.action : pressed.action;
  const method = pressed?.method ?? form.method;
  const enctype = pressed?.enctype ?? form.enctype;
  if (action === null) return refuse("the form's action is an address that only a script can handle", NEEDS_BROWSER);
  if (method === "dialog") return refuse("the form is not sent: its method is dialog", NEEDS_BROWSER);
  const unsupported = form.controls.find(isSentUnsupported);
  if (unsupported !== undefined) {
    return refuse(`the form has a field of type ${unsupported.type}, which only a browser can send`, NEEDS_BROWSER);
  }
  const entries = formEntries(form, pressed);
  const url = new URL(action);
  url.hash = "";
  if (method === "get") {
    url.search = encoded(entries);
    return { ok: true, request: getRequest(url.href) };
  }
  switch (enctype) {
    case "application/x-www-form-urlencoded":
      return post(url, encoded(entries), enctype);
    case "multipart/form-data":
      return post(url, writeMultipart(entries, boundary), `${enctype}; boundary=${boundary}`);
    case "text/plain":
      return refuse(
        "the form is sent as text/plain, which cannot be read back reliably",
        `remove the form's enctype, or make it multipart/form-data; otherwise ${NEEDS_BROWSER}`,
      );
  }
}

function isSentUnsupported(control: FormControl): control is UnsupportedField {
  return control.kind === "unsupported" && !isOptionalFile(control) && !control.isDisabled && control.name !== "";
}

function encoded(entries: readonly FormEntry[]): string {
  return new URLSearchParams(
    entries.map(({ name, value }): [string, string] => [withNetworkLines(name), withNetworkLines(value)]),
  ).toString();
}

function post(url: URL, body: string, contentType: string): FormRequest {
  return { ok: true, request: { method: "POST", url: url.href, body: Buffer.from(body), contentType } };
}

function refuse(reason: string, hint: string): FormRequest {
  return { ok: false, reason, hint };
}

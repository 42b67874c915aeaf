import fc from "fast-check";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chooseButton, type Fill, fillFields } from "../../src/browser/fill-form.ts";
import { formRequest } from "../../src/browser/form-request.ts";
import { type FormButton, formEntries, type HtmlForm, missingFields } from "../../src/browser/html-form.ts";
import type { HtmlPage } from "../../src/browser/html-page.ts";
import { boundaryIn, readMultipart, writeMultipart } from "../../src/browser/multipart.ts";
import { readHtml } from "../../src/browser/read-html.ts";
import { startBrowser } from "../rig/browser.ts";
import { startFakeApp } from "../rig/fake-app.ts";

const ADDRESS = "http://127.0.0.1:3000/terms/page?jwtToken=t";

async function pageOf(html: string | Buffer, type = "text/html; charset=utf-8", url = ADDRESS): Promise<HtmlPage> {
  const page = readHtml({ headers: [["content-type", type]], body: Buffer.from(html) }, url);
  if (page === null) throw new Error("the page was not read");
  return page;
}

async function formOf(html: string): Promise<HtmlForm> {
  const [form] = (await pageOf(html)).forms;
  if (form === undefined) throw new Error("the page has no form");
  return form;
}

function sendersOf({ controls }: HtmlForm): FormButton[] {
  return controls.filter((control): control is FormButton => control.kind === "submit");
}

/** For each form of a page, without and with each of its buttons, what the browser sends. */
const collect = `(html) => {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  return [...parsed.forms].map((form) => {
    const controls = [...parsed.querySelectorAll("input, button")];
    const senders = controls.filter((control) => control.form === form && control.type === "submit");
    return [null, ...senders].map((sender) =>
      [...new FormData(form, sender)].map(([name, value]) => [name, typeof value === "string" ? value : null]),
    );
  });
}`;

describe("what a form sends", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  const asWe = async (html: string) =>
    (await pageOf(html)).forms.map((form) =>
      [null, ...sendersOf(form)].map((sender) => formEntries(form, sender).map(({ name, value }) => [name, value])),
    );

  it("is what Chromium sends, whatever the fields and buttons", async () => {
    const page = await browser.newPage();
    await fc.assert(
      fc.asyncProperty(pages, async (html) => {
        expect(await asWe(html)).toEqual(await page.evaluate(`(${collect})(${JSON.stringify(html)})`));
      }),
      { numRuns: 100 },
    );
  });

  // Every text that is written in some special way, in names and in values.
  const fields = `<input name='a "b"' value="ü %26+x &amp; =*-._~"><textarea name="l&#10;ines">one
two&#13;three</textarea><input type=checkbox name=c checked>
<input type=hidden name=_charset_><input type=file name=upload><button name=go value=" now ">Go</button>`;

  it.each([
    ["as form data", 'method=post action="/send?x=1#there"'],
    ["in parts", 'method=post enctype="multipart/form-data" action="/send"'],
    ["in the query", 'action="/send?gone=1#there"'],
    ["to its own page", 'method=post action=""'],
    ["to where its button says", 'action="/nowhere" data-formaction="/send" data-formmethod=post'],
  ])("is written as Chromium writes it: %s", async (_, attributes) => {
    await using app = await startFakeApp();
    const address = `${app.url}/page?jwtToken=t`;
    const button = attributes.match(/data-(\w+=\S+)/g)?.map((text) => text.slice("data-".length)) ?? [];
    const html = `<meta charset=utf-8><form ${attributes}>${fields.replace("<button", `<button ${button.join(" ")}`)}</form>`;
    app.answer((call) => call.send(html, { headers: { "content-type": "text/html" } }));
    const page = await browser.newPage();
    await page.goto(address);
    await Promise.all([page.waitForEvent("load"), page.click("button")]);
    const sent = app.calls[1];
    const form = (await pageOf(html, "text/html", address)).forms[0];
    if (sent === undefined || form === undefined) throw new Error("no form was sent");
    const made = formRequest(form, sendersOf(form)[0] ?? null, "----made-up");
    if (!made.ok) throw new Error(made.reason);
    const { request } = made;
    expect(request.method).toBe(sent.method);
    expect(request.url).toBe(app.url + sent.path);
    const ours = withoutBoundary(Buffer.from(request.body), request.contentType ?? undefined);
    expect(ours).toEqual(withoutBoundary(sent.body, sent.header("content-type")));
  });
});

it("reads back what it wrote in parts is read back", () => {
  const entries = [
    { name: 'a "b"', value: "" },
    { name: "l\r\nines", value: "one\r\n\r\ntwo\r\n" },
    { name: "upload", value: "", isFile: true },
    { name: "ü", value: "--made--" },
  ];
  expect(readMultipart(writeMultipart(entries, "----made-up"), "----made-up")).toEqual(entries);
  expect(boundaryIn("multipart/form-data; boundary=----made-up")).toBe("----made-up");
  expect(boundaryIn("application/x-www-form-urlencoded")).toBeNull();
});

describe("fields that are filled in", () => {
  const sent = async (fields: string, fill: Fill) => {
    const filled = fillFields(await formOf(`<form>${fields}</form>`), fill);
    return filled.ok ? formEntries(filled.form, null).map(({ name, value }) => `${name}=${value}`) : filled.reason;
  };
  const colours = "<select name=c><option value=1>Red <option value=2 disabled>Green<option>Blue</select>";
  const sizes = ["S", "M", "L"].map((size) => `<input type=checkbox name=s value=${size} checked>`).join("");
  const plans = ["free", "paid"].map((plan) => `<input type=radio name=p value=${plan}>`).join("");

  it.each<[what: string, fields: string, fill: Fill, sent: readonly string[] | string]>([
    ["a text field", "<input name=a value=x><input name=b value=y>", { a: "z" }, ["a=z", "b=y"]],
    ["a text area", "<textarea name=a>old</textarea>", { a: "one\ntwo" }, ["a=one\ntwo"]],
    ["fields that share a name", "<input name=a><input name=a value=y>", { a: ["1", "2"] }, ["a=1", "a=2"]],
    ["only the first of them", "<input name=a><input name=a value=y>", { a: "1" }, ["a=1", "a=y"]],
    ["more values than fields", "<input name=a>", { a: ["1", "2"] }, 'the field "a" occurs once, but got 2 values'],
    ["a number, which has no greatest length", "<input type=number maxlength=2 name=a>", { a: "123" }, ["a=123"]],
    ["a value of the greatest length", "<input name=a maxlength=2>", { a: "12" }, ["a=12"]],
    [
      "a longer value",
      "<textarea name=a maxlength=2></textarea>",
      { a: "123" },
      'the field "a" takes at most 2 characters (maxlength): the value is longer',
    ],
    ["an option by its value", colours, { c: "1" }, ["c=1"]],
    ["an option by its text", colours, { c: "Blue" }, ["c=Blue"]],
    [
      "an option by value rather than text",
      "<select name=c><option value=1>2<option value=2>1</select>",
      { c: "1" },
      ["c=1"],
    ],
    [
      "no option",
      colours,
      { c: "blu" },
      'the field "c" has no such choice; allowed: "Red", "Blue". Did you mean "Blue"?',
    ],
    ["an option that is disabled", colours, { c: "2" }, 'the field "c" has no such choice; allowed: "Red", "Blue".'],
    ["two options of one", colours, { c: ["1", "Blue"] }, 'the field "c" takes only one value'],
    ["two options of several", colours.replace("name", "multiple name"), { c: ["1", "Blue"] }, ["c=1", "c=Blue"]],
    ["a checkbox by true", "<input type=checkbox name=a>", { a: "true" }, ["a=on"]],
    ["a checkbox by its value", "<input type=checkbox name=a value=yes>", { a: "yes" }, ["a=yes"]],
    ["a checkbox by false", "<input type=checkbox name=a checked>", { a: "false" }, []],
    ["a checkbox whose value is false", "<input type=checkbox name=a value=false>", { a: "false" }, ["a=false"]],
    [
      "a checkbox by something else",
      "<input type=checkbox name=a value=yes>",
      { a: "toString" },
      'the field "a" is a checkbox: its value may be true, false or "yes"',
    ],
    ["some checkboxes of one name", sizes, { s: ["S", "L"] }, ["s=S", "s=L"]],
    [
      "a checkbox that is not among them",
      sizes,
      { s: "XL" },
      'the field "s" has no such choice; allowed: "S", "M", "L". Did you mean "L"?',
    ],
    ["a radio button", plans, { p: "paid" }, ["p=paid"]],
    [
      "no radio button",
      plans,
      { p: "pais" },
      'the field "p" has no such choice; allowed: "free", "paid". Did you mean "paid"?',
    ],
    ["two radio buttons", plans, { p: ["free", "paid"] }, 'the field "p" takes only one value'],
    [
      "the field that a person sees",
      "<input type=hidden name=a value=0><input type=checkbox name=a value=1>",
      { a: "1" },
      ["a=0", "a=1"],
    ],
    ["a hidden field", "<input type=hidden name=a value=0>", { a: "1" }, ["a=0"]],
    ["a read-only field", "<input name=a value=0 readonly>", { a: "1" }, ["a=0"]],
    ["a disabled field", "<input name=a value=0 disabled>", { a: "1" }, []],
    ["a name that objects have by themselves", "<input name=constructor>", {}, ["constructor="]],
  ])("%s", async (_, fields, fill, expected) => {
    expect(await sent(fields, fill)).toEqual(expected);
  });

  it("are not repeated in error messages about them", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 8 }), async (secret) => {
        for (const fields of [colours, plans, sizes, "<input type=checkbox name=a>"]) {
          const name = /name=(\w)/.exec(fields)?.[1] ?? "";
          expect(await sent(fields, { [name]: secret })).toSatisfy((said) => !String(said).includes(secret));
        }
      }),
      { numRuns: 30 },
    );
  });

  it("are reported as missing if a browser would require them", async () => {
    const form = await formOf(`<form>
      <input name=text required><input name=given required value=x><input name=disabled required disabled>
      <input name=readonly required readonly><input type=checkbox name=box required><input type=radio name=r required>
      <input type=radio name=r value=2 required><input type=radio name=q required checked><textarea name=area required></textarea>
      <select name=s required><option value="">Choose<option>1</select><input type=hidden name=h required></form>`);
    expect(missingFields(form)).toEqual(["text", "box", "r", "area", "s"]);
  });
});

describe("the button to press", () => {
  const two = "<button name=d value=yes id=one>I accept</button><input type=submit name=d value=Decline id=two>";

  it.each<[press: string[], buttons: string, expected: string | null]>([
    [[], two, "I accept"],
    [["I accept"], two, "I accept"],
    [["yes"], two, "I accept"],
    [["two"], two, "Decline"],
    [["decline"], two, "Decline"],
    [["Sign", "Decline"], two, "Decline"],
    [
      ["d"],
      two,
      '"d" is the name of 2 buttons (the buttons: "I accept", "Decline"; a button is named by its text, value, id or name: use one that is unique, or give it an id)',
    ],
    [
      ["I acept"],
      two,
      'no button of the form is "I acept". Did you mean "I accept"? (the buttons: "I accept", "Decline")',
    ],
    [["Sign"], "<button>Go on</button>", "Go on"],
    [[], "<button disabled>A</button><button>B</button>", "B"],
    [
      ["A"],
      "<button disabled>A</button><button>B</button>",
      'the button "A" is disabled (if a script enables it, walk the page with --browser)',
    ],
    [[], "<button type=button>A</button><button>B</button>", "B"],
    [
      [],
      "<button type=button>A</button>",
      'the button "A" does not submit its form, because of its type (leave out its type, so that it submits the form; or, if a script handles it, walk the page with --browser)',
    ],
    [
      ["A"],
      "<button type=button>A</button><button>B</button>",
      'the button "A" does not submit its form, because of its type (leave out its type, so that it submits the form; or, if a script handles it, walk the page with --browser)',
    ],
    [
      [],
      "<input type=image alt=Go>",
      'the button "Go" is an image, which only a browser can press (walk the page with --browser)',
    ],
    [
      ["Close"],
      '<button aria-label="Close">×</button><button>B</button>',
      'no button of the form is "Close". (the buttons: "×", "B")',
    ],
    [[], "<input name=a>", null],
  ])("%j of %s", async (presses, buttons, expected) => {
    const chosen = chooseButton(await formOf(`<form>${buttons}</form>`), presses);
    expect(chosen.ok ? (chosen.button?.text ?? null) : `${chosen.reason} (${chosen.hint})`).toBe(expected);
  });
});

describe("a form that cannot be sent over HTTP", () => {
  it.each([
    ["<form action='javascript:send()'>", "the form's action is an address that only a script can handle"],
    ["<form action='mailto:a@example.com'>", "the form's action is an address that only a script can handle"],
    ["<form method=dialog>", "the form is not sent: its method is dialog"],
    ["<form><input type=file name=a required>", "the form has a field of type file, which only a browser can send"],
    ["<form><input type=range name=a>", "the form has a field of type range, which only a browser can send"],
    ["<form><input type=color name=a>", "the form has a field of type color, which only a browser can send"],
    ["<form method=post enctype=text/plain>", "the form is sent as text/plain, which cannot be read back reliably"],
  ])("%s", async (html, reason) => {
    expect(formRequest(await formOf(html), null, "")).toMatchObject({ ok: false, reason });
  });
});

describe("a page", () => {
  it.each(["constructor", "toString", "__proto__", "hasOwnProperty"])(
    "has controls of no known type: %s",
    async (type) => {
      const form = await formOf(
        `<form><input type=${type} name=a value=1><button type=${type} name=b value=2>Go</form>`,
      );
      expect(form.controls).toMatchObject([
        { kind: "text", name: "a" },
        { kind: "submit", name: "b" },
      ]);
    },
  );

  it("resolves its address like links, from its base", async () => {
    const page = await pageOf(`<base href="/app/"><meta http-equiv=Refresh content="0; URL='next?a=1'">
      <a href="there#here">x</a><a href="http://[">broken</a><a>none</a>`);
    expect(page.links).toEqual([{ href: "http://127.0.0.1:3000/app/there#here", text: "x" }]);
    expect(page.refresh).toBe("http://127.0.0.1:3000/app/next?a=1");
    const { forms } = await pageOf("<base href=/app/><form action=send></form><form action='  '></form>");
    expect(forms.map(({ action }) => action)).toEqual(["http://127.0.0.1:3000/app/send", ADDRESS]);
  });

  it("is read in its declared encoding", async () => {
    const latin = Buffer.from("<p>\xfcber</p>", "latin1");
    expect((await pageOf(latin, "text/html; charset=ISO-8859-1")).text).toBe("über");
    expect((await pageOf(Buffer.concat([Buffer.from("<meta charset=latin1>"), latin]), "text/html")).text).toBe("über");
    expect((await pageOf("<p>über</p>")).text).toBe("über");
  });

  it("says what a person reads on it", async () => {
    const { text } = await pageOf(`<title>T</title><style>p{}</style><h1>Wrong <b>p</b>in</h1><p>Try
      again</p><script>no()</script><p hidden>not this</p><select><option>nor this</select><template>no</template>`);
    expect(text).toBe("Wrong pin / Try again");
  });

  it.each([
    ["of elements", "<div>".repeat(50_000)],
    ["that close themselves in no HTML", "<div/>".repeat(50_000)],
    ["of elements in a drawing", `<svg>${"<g>".repeat(50_000)}`],
    ["of tags within each other", "<b><i>".repeat(25_000)],
    ["S20: beside each other", "<input>".repeat(60_000)],
    ["S20: of one select", `<select>${"<option>x".repeat(60_000)}`],
  ])("is not read when it has too many elements, or nests them too deeply: %s", async (_, html) => {
    expect(readHtml({ headers: [], body: Buffer.from(html) }, ADDRESS)).toBeNull();
  });

  it.each([
    ["many elements", "<p>x<li>y<br><div></div>".repeat(4_000)],
    ["a long script", `<script>${"if (a<b) x = '<div>';".repeat(20_000)}</script>`],
    ["a large drawing", `<svg>${"<path d='M0'/>".repeat(5_000)}</svg>`],
    ["a long comment", `<!-- ${"<div>".repeat(20_000)} -->`],
    ["S20: fields far below a form", `<form>${"<div>".repeat(1900)}${"<input>".repeat(40_000)}`],
    ["S20: options", `<form><select>${"<option>x".repeat(40_000)}</select></form>`],
  ])("is read, however long it is: %s", async (_, html) => {
    expect((await pageOf(`${html}<form></form>`)).forms.length).toBeGreaterThan(0);
  });
});

/** A body and its type, with the boundary between its parts, which is made up, replaced. */
function withoutBoundary(body: Buffer, type = "none"): { readonly type: string; readonly body: string } {
  const boundary = /boundary=(.+)$/.exec(type)?.[1];
  const replaced = (text: string) => (boundary === undefined ? text : text.replaceAll(boundary, "BOUNDARY"));
  return { type: replaced(type), body: replaced(body.toString()) };
}

const attribute = (name: string, values: fc.Arbitrary<string>) =>
  fc.option(values, { nil: undefined }).map((value) => (value === undefined ? "" : ` ${name}="${value}"`));
const flag = (name: string) => fc.boolean().map((isSet) => (isSet ? ` ${name}` : ""));
const names = attribute("name", fc.constantFrom("a", "b", "c", "_charset_", ""));
const values = attribute("value", fc.constantFrom("1", "2", "", " x ", "ü &amp; y", "#ABCDEF", "50"));
const owner = attribute("form", fc.constantFrom("one", "two", "nobody"));
const text = fc.constantFrom("", "A", " two  words ", "<b>bold</b>");
const inputTypes = fc.constantFrom(
  ..."hidden text password email checkbox submit reset button unknown search".split(" "),
);
const concat = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((texts) => texts.join(""));
const rarely = (name: string) => fc.constantFrom("", "", "", ` ${name}`);

const input = concat(
  fc.constant("<input"),
  attribute("type", inputTypes),
  names,
  values,
  owner,
  flag("checked"),
  rarely("disabled"),
  rarely("readonly"),
  fc.constant(">"),
);
// In its own form: a browser that reads of a form further on has already let the radio buttons outside of any decide.
const radio = concat(
  fc.constant('<input type="radio"'),
  names,
  values,
  flag("checked"),
  rarely("disabled"),
  fc.constant(">"),
);
const button = concat(
  fc.constant("<button"),
  attribute("type", fc.constantFrom("submit", "button", "reset", "other")),
  names,
  values,
  owner,
  rarely("disabled"),
  fc.constant(">"),
  text,
  fc.constant("</button>"),
);
const option = concat(
  fc.constant("<option"),
  values,
  flag("selected"),
  rarely("disabled"),
  fc.constant(">"),
  text,
  fc.constant("</option>"),
);
const options = fc.array(
  fc.oneof(
    option,
    concat(fc.constant("<optgroup"), flag("disabled"), fc.constant(">"), option, fc.constant("</optgroup>")),
  ),
  { maxLength: 4 },
);
const select = concat(
  fc.constant("<select"),
  names,
  flag("multiple"),
  attribute("size", fc.constantFrom("1", "3", "x")),
  rarely("disabled"),
  fc.constant(">"),
  options.map((list) => list.join("")),
  fc.constant("</select>"),
);
const textarea = concat(
  fc.constant("<textarea"),
  names,
  rarely("disabled"),
  fc.constant(">"),
  fc.constantFrom("", "\n\nline\nline", " a &lt;b&gt; "),
  fc.constant("</textarea>"),
);
const control = fc.oneof(input, input, radio, button, select, textarea);
const around = (before: string, after: string) => control.map((inner) => `${before}${inner}${after}`);
const part = fc.oneof(
  { weight: 6, arbitrary: control },
  around("<fieldset disabled>", "</fieldset>"),
  around("<fieldset disabled><p>text</p><legend>", "</legend><legend><input name=second></legend></fieldset>"),
  around("<fieldset disabled><legend><fieldset disabled>", "</fieldset></legend></fieldset>"),
  around("<datalist>", "</datalist>"),
  around("<template>", "</template>"),
  around("<noscript>", "</noscript>"),
  around("<table><tr><td>", "</td></tr></table>"),
  around("<div><p>", "</div>"),
);
const parts = fc.array(part, { maxLength: 6 }).map((list) => list.join("\n"));
const pages = fc
  .tuple(parts, parts, parts)
  .map(([first, second, outside]) => `<form id=one>${first}</form>${outside}<form id=two>${second}</form>`);

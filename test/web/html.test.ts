import { load } from "cheerio";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { harmless } from "../../src/protocol/harmless.ts";
import { exactly, html } from "../../src/web/html.ts";
import { withCode } from "../../src/web/layout.ts";

/** Texts full of what HTML is made of. */
const texts = fc.string({
  unit: fc.oneof(
    fc.constantFrom("<", ">", '"', "'", "&", "/", "&lt;", "</script>", "<!--", "\n", "=", "`"),
    fc.string(),
  ),
});

describe("S14: a text in HTML", () => {
  it("is the same text for a reader of the page, made harmless, and never an element", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const $ = load(html`<p title="${text}">${text}</p>`.source, null, false);
        expect($("*")).toHaveLength(1);
        expect([$("p").text(), $("p").attr("title")]).toEqual([harmless(text), harmless(text)]);
      }),
    );
  });

  it("stays unchanged, character by character, on request", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const visible = text.replaceAll("\0", "").replaceAll("\r", "");
        const $ = load(html`<p title="${exactly(visible)}"></p>`.source, null, false);
        expect($("p").attr("title")).toBe(visible);
      }),
    );
  });
});

describe("html`…`", () => {
  it("inserts HTML, lists and numbers unchanged, and nothing for null", () => {
    const items = ["a", "<b>"].map((item) => html`<li>${item}</li>`);
    expect(html`<ul>${items}</ul>${null}${1}\n`.source).toBe("<ul><li>a</li><li>&lt;b&gt;</li></ul>1\n");
  });
});

it("what is typed on a command line is code", () => {
  const source = withCode("give --code CODE or `app-sim env`, see PLATFORM_AUTH_URL & <b>").source;
  expect(source).toBe(
    "give <code>--code CODE</code> or <code>app-sim env</code>, see <code>PLATFORM_AUTH_URL</code> &amp; &lt;b&gt;",
  );
});

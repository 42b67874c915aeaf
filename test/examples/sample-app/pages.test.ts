import type { IncomingMessage } from "node:http";
import { load } from "cheerio";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Handler, json, Refusal, type Reply } from "../../../examples/sample-app/http.js";
import { html, page, withErrorPage } from "../../../examples/sample-app/pages.js";

describe("html", () => {
  it("keeps its literal parts, and escapes inserted texts", () => {
    const inner = html`<b title="${`"'`}">${"<&>"}</b>`;
    expect(html`<p>\n${inner}</p>`.source).toBe('<p>\n<b title="&quot;&#39;">&lt;&amp;&gt;</b></p>');
  });

  it("inserts a list of parts one after the other", () => {
    const items = ["a", "<"].map((text) => html`<li>${text}</li>`);
    expect(html`<ul>${items}${[]}</ul>`.source).toBe("<ul><li>a</li><li>&lt;</li></ul>");
  });

  it("P2: any text is shown as exactly that text", () => {
    const piece = fc.constantFrom("<", ">", '"', "'", "&", "&lt;", "</p>", "<script>", "-->", "é", "a", " ");
    fc.assert(
      fc.property(fc.string({ unit: piece }), (text) => {
        const $ = load(html`<p title="${text}" lang='${text}'>x${text}</p>`.source, null, false);
        expect($("*").length).toBe(1);
        expect([$("p").attr("title"), $("p").attr("lang"), $("p").text()]).toEqual([text, text, `x${text}`]);
      }),
    );
  });
});

describe("a page", () => {
  const policy = "frame-ancestors 'none'";
  const layout = { policy, root: "../..", errorTitle: "No <way>", advice: html`<p>Try again.</p>` };
  const answering = (answer: Promise<Reply>) => withErrorPage(layout, () => answer);
  const call = (handler: Handler) => handler({} as IncomingMessage, new AbortController().signal);

  it("loads nothing but its style, unless its policy says so", () => {
    const { status, headers, body } = page(layout, "Déjà <vu>", html`<p>x</p>`);
    expect([status, headers]).toEqual([
      200,
      {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": `default-src 'none'; style-src 'self'; base-uri 'none'; ${policy}`,
      },
    ]);
    const $ = load(String(body));
    expect([$("title").text(), $("h1").text(), $("html").attr("lang")]).toEqual(["Déjà <vu>", "Déjà <vu>", "en"]);
    expect($("link").attr("href")).toBe("../../style.css");
  });

  it("shows a refusal with its status and headers", async () => {
    const refused = Promise.reject(new Refusal(401, "No <token>.", { "www-authenticate": "Bearer" }));
    const { status, headers, body } = await call(answering(refused));
    expect([status, headers?.["www-authenticate"]]).toEqual([401, "Bearer"]);
    expect(headers?.["content-security-policy"]).toContain(policy);
    const $ = load(String(body));
    expect($("h1").text()).toBe("No <way>");
    expect(
      $("p")
        .map((_, one) => $(one).text())
        .get(),
    ).toEqual(["No <token>.", "Try again."]);
  });

  it("leaves answers and other errors unchanged", async () => {
    const answer = json(200, {});
    expect(await call(answering(Promise.resolve(answer)))).toBe(answer);
    const bug = new RangeError("a bug");
    await expect(call(answering(Promise.reject(bug)))).rejects.toBe(bug);
  });
});

import { load } from "cheerio";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { User } from "../../src/config/schema.ts";
import { type ConsentFacts, consentPage } from "../../src/oauth/consent-page.ts";
import { harmless } from "../../src/protocol/harmless.ts";

const user = (login: string, role: User["role"]): User => ({
  id: 1,
  role,
  login,
  password: "the password",
  totpSecret: "APPSIMAPPSIMAPPSIMAPPSIMAPPSIMAP",
});

function show(changes: Partial<ConsentFacts> = {}) {
  const facts: ConsentFacts = {
    request: "request-1",
    token: "token-1",
    appName: "Garden",
    clientId: "garden-client",
    domain: "acme",
    scopes: [{ name: "project", words: "See the projects that you can see" }],
    users: [user("olena.owner", "owner"), user("milan.member", "member")],
    chosen: "milan.member",
    redirectUri: "https://garden.example/oauth/callback?from=platform&next=%2Fhome",
    warnings: [],
    ...changes,
  };
  return load(consentPage(facts).document.source);
}

type Shown = ReturnType<typeof show>;
const textsOf = ($: Shown, selector: string) =>
  $(selector)
    .map((_, element) => $(element).text())
    .get();
/** The elements in their order, each with the names of its attributes. */
const shapeOf = ($: Shown) =>
  $("html *")
    .map((_, { name, attribs }) => [name, ...Object.keys(attribs)].join(" "))
    .get();

/** Texts full of what HTML, terminals and readers can be misled with; a form could not carry a carriage return. */
const texts = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom("<", ">", '"', "'", "&", "/", "</form>", "<script>", "<!--", "\n", "\u202e", "\u001b", "&lt;"),
      fc.string(),
    ),
    minLength: 1,
  })
  .map((text) => text.replaceAll("\r", "").replaceAll("\0", ""))
  .filter((text) => text.trim() !== "");

describe("interface 5.2: the page that asks for consent", () => {
  it("returns the request and the token with the user's decision", () => {
    const $ = show();
    const form = $("form");
    expect([form.attr("method"), form.attr("action")]).toEqual(["post", "/oauth/authorize"]);
    expect(form.serializeArray()).toEqual([
      { name: "request", value: "request-1" },
      { name: "token", value: "token-1" },
      { name: "user", value: "milan.member" },
    ]);
    const buttons = form
      .find("button")
      .map((_, { attribs }) => `${attribs.type ?? "submit"} ${attribs.name}=${attribs.value}`);
    expect(buttons.get()).toEqual(["submit decision=approve", "submit decision=deny"]);
  });

  it("does not let Enter decide: no field accepts text, and nothing has the focus at first", () => {
    const $ = show();
    expect($("form input:not([type=hidden]), form textarea, [autofocus]")).toHaveLength(0);
  });

  it("names the app in the heading and the title, and the organization", () => {
    const $ = show();
    expect($("h1").text()).toBe("Garden asks for access");
    expect($("title").text()).toContain("Garden asks for access");
    expect($("main > p").first().text()).toContain("acme");
  });

  it("says what each scope allows, with its name beside it", () => {
    const $ = show({
      scopes: [
        { name: "project", words: "See the projects" },
        { name: "glossary.write", words: "Change the glossaries" },
      ],
    });
    expect(textsOf($, "form li")).toEqual(["See the projects project", "Change the glossaries glossary.write"]);
    expect(textsOf($, "form li code.quiet")).toEqual(["project", "glossary.write"]);
    expect($(`#${$("form ul").attr("aria-labelledby")}`).text()).toBe("If you approve, the app can");
  });

  it("lets a user be chosen, with a label that explains the choice", () => {
    const $ = show();
    const select = $("select[name=user]");
    expect(
      select
        .find("option")
        .map((_, { attribs }) => attribs.value)
        .get(),
    ).toEqual(["olena.owner", "milan.member"]);
    expect(textsOf($, "select option")).toEqual(["olena.owner (owner)", "milan.member (member)"]);
    expect($(`label[for=${select.attr("id")}]`).text()).toBe("The app acts as");
    expect($.html()).not.toContain("the password");
  });

  it.each([
    ["https://garden.example/oauth/callback?from=platform", "https://garden.example"],
    ["http://127.0.0.1:3000/oauth/callback", "http://127.0.0.1:3000"],
    ["https://acme.example@evil.example/", "https://evil.example"],
    ["https://ACME.example:443/", "https://acme.example"],
    ["com.example.garden:/callback", "com.example.garden:"],
  ])("says that %s leads to %s, and the full address among the details", (redirectUri, place) => {
    const $ = show({ redirectUri });
    expect($(".destination strong").text()).toBe(place);
    expect(textsOf($, "details code")).toEqual(["garden-client", redirectUri]);
  });

  it("has no place for warnings without any, and otherwise an inconspicuous one outside the form", () => {
    expect(show()("section")).toHaveLength(0);
    const $ = show({ warnings: ["no state was sent", "no code_challenge was sent"] });
    expect(textsOf($, "section.quiet li")).toEqual(["no state was sent", "no code_challenge was sent"]);
    expect($(`#${$("section").attr("aria-labelledby")}`).text()).toBe("For the app's developer");
    expect($("form section")).toHaveLength(0);
  });

  it("A28: loads nothing from another origin", () => {
    const $ = show();
    const loaded = $("[src], link[href]")
      .map((_, { attribs }) => attribs.src ?? attribs.href)
      .get();
    expect(loaded).not.toHaveLength(0);
    expect(loaded.filter((address) => !/^\/[a-z]/.test(address))).toEqual([]);
  });

  it("S14: shows hostile values as harmless text, and returns them unchanged", () => {
    const shape = (text: string) =>
      show({
        request: text,
        token: text,
        appName: text,
        clientId: text,
        domain: text,
        scopes: [{ name: text, words: text }],
        users: [user(text, "member")],
        chosen: text,
        warnings: [text],
      });
    const plain = shape("plain");
    fc.assert(
      fc.property(texts, (text) => {
        const $ = shape(text);
        expect(shapeOf($)).toEqual(shapeOf(plain));
        expect(
          $("form")
            .serializeArray()
            .map(({ value }) => value),
        ).toEqual(
          // A form sends a line feed as a line break of its own.
          Array(3).fill(text.replaceAll("\n", "\r\n")),
        );
        expect($("h1").text()).toBe(harmless(`${text} asks for access`));
        expect(textsOf($, "section li")).toEqual([harmless(text)]);
        expect(textsOf($, "form li code")).toEqual([harmless(text)]);
      }),
    );
  });
});

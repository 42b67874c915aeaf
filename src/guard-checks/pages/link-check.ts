import { attributeValues } from "../../browser/read-html.ts";
import type { TrialCheck } from "../../checking/check.ts";
import { unpackedBytes } from "../../journal/readable-body.ts";
import { isSamePlace, parseUrl } from "../../protocol/url.ts";
import { lookingAt, type PagePlatform } from "./look.ts";
import type { OpenPageTools } from "./tools.ts";

/** Attributes that hold an address. */
const addressAttributes = ["href", "src", "action", "formaction"];

/**
 * The check of what the page links to and loads. At the app's own address the token may stand again: a form without an
 * action posts to that of the page.
 */
export function linkCheck({ url: platform }: PagePlatform): TrialCheck<OpenPageTools> {
  return lookingAt(
    {
      id: "page.text.token-elsewhere",
      title: "No address of another site in the page holds the token",
      section: "5.1",
      severity: "should",
      why: "The token says who the user is, and opens this page. A link or an image that names it gives it to that site, and to its logs.",
      mend: "Link to other sites without the token. What your own page needs of it stays in the page's address, or behind it on the server.",
    },
    (response, { request }) => {
      const page = new URL(request.url);
      const token = page.searchParams.get("jwtToken") ?? "";
      if (token === "") return null;
      const answer = { headers: response.headers, body: unpackedBytes(response) };
      const away = addressAttributes
        .flatMap((name) => attributeValues(answer, `[${name}]`, name))
        .filter((address) => address.includes(token))
        .flatMap((address) => parseUrl(address, page.href) ?? [])
        .find((address) => ![page, new URL(platform)].some((own) => isSamePlace(own, address)));
      return away === undefined ? null : `it gives the token to ${away.host === "" ? away.protocol : away.host}`;
    },
  );
}

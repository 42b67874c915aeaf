import { attributeValues } from "../../../browser/read-html.ts";
import type { TrialCheck } from "../../../checking/check.ts";
import { unpackedBytes } from "../../../journal/readable-body.ts";
import { isSamePlace, parseUrl } from "../../../protocol/url.ts";
import type { OpenPageTools } from "../walk/tools.ts";
import { openedPageCheck, type PagePlatform } from "./opened-page.ts";

/** Attributes that hold an address. */
const addressAttributes = ["href", "src", "action", "formaction"];

/**
 * The check of what the page links to and loads. URLs of the app itself may hold the token: a form without an action
 * posts to the page's URL.
 */
export function linkCheck({ url: platform }: PagePlatform): TrialCheck<OpenPageTools> {
  return openedPageCheck(
    {
      id: "page.text.token-elsewhere",
      title: "No URL in the page that leads to another site contains the token",
      section: "5.1",
      severity: "should",
      why: "The token says who the user is, and opens this page. A link or an image with the token gives it to that site, and to its logs.",
      fix: "Link to other sites without the token. Keep what your own page needs of it in the page's URL, or on the server.",
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

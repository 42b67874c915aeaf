import { expect, it } from "vitest";
import { pageText } from "../../src/output/page-text.ts";

it.each([
  ["", ""],
  ["<p>", ""],
  ["<h1>Not found</h1>", "Not found"],
  ["<title>Error</title><style>b{}</style><pre>Error: boom<br> &nbsp; at x &lt;y&gt;", "Error Error: boom at x <y>"],
  ["<script>alert(1)</script>\n<p>a\u001b[31mb</p>", "a␛[31mb"],
  [`<p>${"word ".repeat(100)}`, expect.stringMatching(/^(word )+.*…$/)],
  ["<em>".repeat(1_000_000), ""],
])("the words of a page: %#", (html, text) => {
  expect(pageText(html)).toEqual(text);
});

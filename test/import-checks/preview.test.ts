import { expect, test } from "vitest";
import { loadHandlers } from "../../src/import-checks/preview.ts";

test.each([
  ["<p>1 < 2 --> </title> <svg onload=name></p>", ["name"]],
  ["<!-- a label --> </title> <svg onload=label> -->", ["label"]],
  ["<title>Strings of 1 < 2 --> </title> <svg onload=name></title>", ["name"]],
  ["<tr title=nav 1 &lt; 2 --&gt; &lt;/title&gt; &lt;svg onload=identifier&gt;><td>x", ["identifier&gt;"]],
  ["<svg/onload=name>", ["name"]],
])("%s runs a script", (html, handlers) => {
  expect(loadHandlers(html)).toEqual(handlers);
});

test.each([
  "<p>1 &lt; 2 --&gt; &lt;svg onload=name&gt;</p>",
  '<tr title="1 < 2 --> <svg onload=name>"><td>x',
  "<tr title='<svg onload=name>'><td>x",
  "<!-- <svg onload=name> -->",
  "<title><svg onload=name></title>",
  "<textarea><svg onload=name></textarea>",
  "<script>const text = '<svg onload=name>'</script>",
  "<p>onload=name</p>",
])("%s runs none", (html) => {
  expect(loadHandlers(html)).toEqual([]);
});

test.each(['<a "', "<a", "<!--", "<title", "<title>", "<p '"])(
  "a page that is only %s, again and again, is read in time",
  (part) => {
    expect(loadHandlers(part.repeat(1_000_000))).toEqual([]);
  },
);

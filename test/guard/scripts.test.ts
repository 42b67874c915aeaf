import { Script } from "node:vm";
import { describe, expect, it } from "vitest";
import { FRAME_SCRIPT } from "../../src/guard/pages/frame-script.ts";
import { HOST_SCRIPT } from "../../src/guard/pages/host-script.ts";
import { PAGE_SCRIPT } from "../../src/guard/pages/page-script.ts";

describe("the scripts of the pages", () => {
  it.each(Object.entries({ HOST_SCRIPT, PAGE_SCRIPT, FRAME_SCRIPT }))("%s is a classic script", (_, source) => {
    expect(() => new Script(source)).not.toThrow();
    expect(source).toContain('"use strict"');
  });

  it("host.js says nothing that a browser of 2015 could not read", () => {
    expect(HOST_SCRIPT.replace(/"[^"]*"/g, '""')).not.toMatch(/=>|\b(?:const|let|class|async|await)\b|\?\.|\?\?/);
  });
});

import { Script } from "node:vm";
import { describe, expect, it } from "vitest";
import { guardFiles } from "../../src/login-pages/script-files.ts";
import { pageFiles } from "../../src/web/page-files.ts";

const scripts = [...pageFiles, ...guardFiles].filter(({ path }) => path.endsWith(".js"));

describe("the scripts of the pages", () => {
  it.each(scripts)("$path is a classic script", ({ content }) => {
    expect(() => new Script(content)).not.toThrow();
    expect(content).toContain('"use strict"');
  });

  it("host.js has no syntax that a browser of 2015 could not read", () => {
    const { content = "" } = scripts.find(({ path }) => path === "/host.js") ?? {};
    const code = content.replace(/\/\*\*.*?\*\/|'[^']*'|"[^"]*"/gs, "");
    expect(code).toContain("verifyAuth");
    expect(code).not.toMatch(/=>|`|\b(?:const|let|class|async|await)\b|\?\.|\?\?|,\s*\)/);
  });
});

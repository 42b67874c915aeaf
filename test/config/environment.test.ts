import { describe, expect, it } from "vitest";
import { environmentVariables, readEnvironment, unreadVariables } from "../../src/config/environment.ts";
import { UsageError } from "../../src/protocol/usage-error.ts";

describe("readEnvironment", () => {
  it.each(Object.entries(environmentVariables))("reads %s as %s", (variable, setting) => {
    const isList = ["choose", "redirectUri", "allowOrigin", "allowPath"].includes(setting);
    const expected = isList ? ["webhook.retries=3"] : "webhook.retries=3";
    expect(readEnvironment({ [variable]: "webhook.retries=3" })).toEqual({ [setting]: expected });
  });

  it("gives each setting one variable of its own", () => {
    const settings = Object.values(environmentVariables);
    expect(new Set(settings).size).toBe(settings.length);
  });

  it.each(Object.keys(environmentVariables))("treats an empty %s as not set", (variable) => {
    expect(readEnvironment({ [variable]: "" })).toEqual({});
    expect(readEnvironment({ [variable]: undefined })).toEqual({});
  });

  it("leaves the variables of others alone", () => {
    expect(readEnvironment({ PATH: "/bin", APP_SIMULATOR: "x", MY_APP_SIM_PORT: "1", app_sim_port: "1" })).toEqual({});
  });

  it.each([
    ["a=1", ["a=1"]],
    ["a=1;b=2", ["a=1", "b=2"]],
    [" a=1 ; b=2;; ", ["a=1", "b=2"]],
    [";", []],
  ])("splits APP_SIM_CHOOSE=%j at semicolons", (text, pairs) => {
    expect(readEnvironment({ APP_SIM_CHOOSE: text })).toEqual({ choose: pairs });
  });

  it.each([
    ["http://a/b", ["http://a/b"]],
    ["http://a/b?c=d;e=f http://g", ["http://a/b?c=d;e=f", "http://g"]],
    ["  http://a   http://b ", ["http://a", "http://b"]],
    [" ", []],
  ])("splits APP_SIM_REDIRECT_URI=%j at spaces", (text, addresses) => {
    expect(readEnvironment({ APP_SIM_REDIRECT_URI: text })).toEqual({ redirectUri: addresses });
  });

  it("splits APP_SIM_ALLOW_ORIGIN at spaces, too", () => {
    const origins = ["http://a:1", "https://b"];
    expect(readEnvironment({ APP_SIM_ALLOW_ORIGIN: ` ${origins.join("  ")}` })).toEqual({ allowOrigin: origins });
  });

  it.each([
    ["APP_SIM_PROT", ' Did you mean "APP_SIM_PORT"?'],
    ["APP_SIM_APP_URL", ' Did you mean "APP_SIM_APP"?'],
    ["APP_SIM_APP_IDS", ' Did you mean "APP_SIM_APP_ID"?'],
    ["APP_SIM_CLIENTID", ' Did you mean "APP_SIM_CLIENT_ID"?'],
    ["APP_SIM_TIMEOUT", ' Did you mean "APP_SIM_INTERACTION_TIMEOUT"?'],
    ["APP_SIM_URL", ' Did you mean "APP_SIM_APP"?'],
    ["APP_SIM_SECRET", ' Did you mean "APP_SIM_CLIENT_SECRET" or "APP_SIM_APP_SECRET"?'],
    ["APP_SIM_DEBUG", ""],
    ["APP_SIM_SOMETHING_ENTIRELY_DIFFERENT", ""],
  ])("refuses %s with the nearest right one, or else the list of all", (variable, suggestion) => {
    const read = () => readEnvironment({ APP_SIM_APP: "http://x", [variable]: "1" });
    expect(read).toThrow(UsageError);
    expect(read).toThrow(
      expect.objectContaining({
        code: "unknown-variable",
        message: `the environment variable ${variable} is not one that app-sim reads.${suggestion}`,
        hint:
          suggestion === ""
            ? `app-sim reads ${Object.keys(environmentVariables).join(", ")}`
            : "docs/configuration.md lists all variables",
      }),
    );
  });

  it("names all unknown variables at once", () => {
    expect(() => readEnvironment({ APP_SIM_PROT: "1", APP_SIM_DEBUG: "1" })).toThrow(
      'APP_SIM_PORT"? The environment variable APP_SIM_DEBUG is not one that app-sim reads.',
    );
  });

  it("names what decides about colours", () => {
    expect(() => readEnvironment({ APP_SIM_COLOR: "never" })).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/^NO_COLOR or `--color never` turns colours off; /) }),
    );
  });

  it.each(["APP_SIM_toString", "APP_SIM___proto__"])("refuses %s, which every object has", (variable) => {
    expect(() => readEnvironment({ [variable]: "1" })).toThrow(UsageError);
  });
});

describe("variables with a prefix similar to app-sim's", () => {
  it.each([
    ["APPSIM_PORT", "APP_SIM_PORT"],
    ["app_sim_port", "APP_SIM_PORT"],
    ["APP-SIM_APP", "APP_SIM_APP"],
    ["APPSIM_APP_URL", "APP_SIM_APP"],
    ["APPSIM_PROT", "APP_SIM_PORT"],
  ])("%s: warns that nothing reads it", (variable, meant) => {
    const told = [`the environment variable ${variable} is not read. Did you mean "${meant}"?`];
    expect(unreadVariables({ [variable]: "1" })).toEqual(told);
  });

  it.each(["APP_SIM_PORT", "APPSIM_WORKERS_OF_OTHERS", "APPSIMULATION", "MY_APP_SIM_PORT"])(
    "%s: nothing",
    (variable) => {
      expect(unreadVariables({ [variable]: "1" })).toEqual([]);
    },
  );

  it("one without a value: nothing", () => {
    expect(unreadVariables({ APPSIM_PORT: "" })).toEqual([]);
  });
});

describe("empty variables", () => {
  it.each(Object.keys(environmentVariables))("%s: warns that it is not used", (variable) => {
    const told = [`${variable} is set but empty, so it is not used: the config file or the default applies`];
    expect(unreadVariables({ [variable]: "" })).toEqual(told);
    expect(unreadVariables({ [variable]: undefined })).toEqual([]);
  });

  it("of other programs: nothing", () => {
    expect(unreadVariables({ APP_SIM_PACKAGE: "", HOME: "" })).toEqual([]);
  });
});

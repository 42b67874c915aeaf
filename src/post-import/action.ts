import { defineAction } from "../action/define-action.ts";
import { isLanguageOption } from "../action/flags.ts";
import type { ImportSource } from "./files/plan-jobs.ts";
import type { ImportContext } from "./import-context.ts";
import type { ImportResult } from "./import-result.ts";
import { type ImportOptions, importOptions } from "./run/import-options.ts";

/** What the library can do with post-import modules. */
export interface ImportMethods {
  /**
   * Imports files: one post-import call for each job (interface 2.3, 2.4).
   * @param sources fixture files, or jobs with a name for each
   * @throws UsageError for a fixture that cannot be read
   */
  postImport(sources: ImportSource | readonly ImportSource[], options?: ImportOptions): Promise<ImportResult>;
}

/** Flags of `app-sim post-import` that are not options of the method. */
export interface ImportFlags {
  readonly as?: string;
  readonly edition?: string;
  readonly open?: boolean;
  readonly strict?: boolean;
}

export const importActions = {
  postImport: defineAction<ImportMethods["postImport"], ImportFlags, ImportContext>({
    options: importOptions,
    services: ["files", "previews", "patterns"],
    run: async (context, sources, options) =>
      (await import("./run/run-import.ts")).runImport(context, [sources].flat(), options),
    command: {
      name: "post-import",
      summary: "send the strings of files to the app's post-import module, and show what it changed",
      brief: "send a file's strings to the app, and show what it changed",
      group: "play",
      examples: [
        "app-sim post-import fixtures/jobs/greetings.json",
        "app-sim post-import fixtures/jobs --details",
        "app-sim post-import fixtures/jobs/greetings.json --via url --occasion source-upload",
        "app-sim post-import fixtures/jobs --update     # record the answers; later runs compare with them",
        "app-sim post-import fixtures/jobs/greetings.json --format json | jq '.jobs[].changes.changed'",
      ],
      help: `
A fixture in the short form:
  { "file": { "path": "en.json" }, "targetLanguages": ["uk"],
    "strings": [{ "identifier": "hello", "text": "Hello",
      "translations": { "uk": { "text": "Привіт" } } }] }
A whole job, as the platform sends it, is sent unchanged.`,
      arguments: [
        {
          name: "[file...]",
          help: "fixtures (whole jobs or the short form), directories of fixtures, or patterns (default: the fixture in verify.fixtures of the configuration)",
        },
      ],
      flags: {
        as: { flag: "--as <user>", help: "who imports: a role or a login name (default: a manager)", setting: "as" },
        edition: {
          flag: "--edition <edition>",
          help: "edition, which decides who may use the module: standard or enterprise (default: enterprise)",
          setting: "edition",
        },
        open: { flag: "--no-open", help: "print the address without opening a browser" },
        strict: { flag: "--strict", help: "fail on warnings" },
      },
      watches: (files) => files,
      optionHint: (option) => {
        if (option === "--module")
          return "you can only select files: the manifest's signaturePatterns decide which modules get them";
        return isLanguageOption(option) ? "the fixture names its languages: sourceLanguage, targetLanguages" : null;
      },
      load: async () => (await import("./command.ts")).importCommand,
    },
  }),
};

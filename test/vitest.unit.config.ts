import { defineConfig, mergeConfig } from "vitest/config";
import everything from "./vitest.config.ts";

/** What `npm run test:unit` leaves to `npm test`: whole programs, browsers, hostile apps, and what takes seconds. */
const slow = [
  "**/*.command.test.ts",
  "**/*.property.test.ts",
  "{browser,clients,compliance,hardening,rig,sample-app}/**",
  "{house,library,readme,results.golden}.test.ts",
  "app-client/app-gateway-streams.test.ts",
  "fixture/keyed-files.test.ts",
  "guard/{browser-visitor,fill-form}.test.ts",
  "guard/walk/login-walk*.test.ts",
  "journal/journal-file.test.ts",
  "load/{export-artillery,load}.test.ts",
  "log/curl-text.test.ts",
  "oauth-login/oauth-login.test.ts",
  "platform/{key-file,tokens}.test.ts",
  "report/report-page.test.ts",
  "post-import/{expected-answer,import-word-diff,many-faults,temporary-files}.test.ts",
  "post-import/strings/{field-checks,string-checks}.test.ts",
  "webhook/{adversity,verifiers}.test.ts",
];

export default mergeConfig(everything, defineConfig({ test: { exclude: slow } }));

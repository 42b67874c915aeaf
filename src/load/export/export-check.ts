import type { Config } from "../../config/schema.ts";
import { secretsOf } from "../../config/secrets.ts";
import { secretFinder } from "../../journal/secret-hider.ts";
import { clip, harmlessLine } from "../../protocol/harmless.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import type { ReceiverBodies } from "./export-bodies.ts";
import type { ProcessorSettings } from "./export-processor.ts";

const SHOWN_CHARACTERS = 60;

/**
 * Holds what is exported against what must not be: no secret leaves in a file (hardening S27), and Artillery puts what
 * is in its environment, secrets too, in the place of two braces in a header line.
 * @throws UsageError for either
 */
export function checkExported(config: Config, settings: ProcessorSettings, all: readonly ReceiverBodies[]): void {
  const { headers, signature } = settings;
  const modules = all.map(({ receiver }) => receiver.module.key);
  const values = [...Object.values(headers), signature.prefix, ...modules];
  const template = values.find((value) => value.includes("{{"));
  if (template !== undefined) {
    throw new UsageError(
      "export-template",
      `a header line holds ${clip(harmlessLine(template), SHOWN_CHARACTERS)}: Artillery takes {{ for a variable`,
      "leave {{ out of the module's key, the organization's domain, and the choices that make header lines",
    );
  }
  const holdsSecret = secretFinder(secretsOf(config));
  const urls = all.map(({ receiver }) => receiver.url);
  const telling = [...values, ...urls, ...all.flatMap(({ bodies }) => bodies.map(({ json }) => json.toString()))];
  if (telling.some(holdsSecret)) {
    throw new UsageError(
      "export-secret",
      "a secret of the configuration stands in what would be exported",
      "take it out of the payload and of the manifest: the test signs with the secret in its environment",
    );
  }
}

import { callApp } from "../app-client/call-app.ts";
import type { DeclaredApp, ManifestReading } from "../checking/declared-app.ts";
import { taggedContext } from "../checking/subject.ts";
import type { VerifyContext } from "../checking/verify-context.ts";
import type { App } from "../config/schema.ts";
import { readUserFile } from "../config/user-file.ts";
import { type Manifest, parseManifest } from "../platform/manifest.ts";
import { readIdentity } from "../platform/manifest-words.ts";
import { manifestCall, manifestSource, type Unread } from "../platform/manifests.ts";
import { modulesOf, usableManifest } from "../platform/usable-manifest.ts";
import { SMALL_ANSWER_LIMIT_BYTES } from "../protocol/limits.ts";
import { isHttpUrl } from "../protocol/url.ts";
import { readingOfBytes, readingOfExchanges, readingTerms } from "./reading.ts";

type Declared = { readonly ok: true; readonly apps: readonly DeclaredApp[] } | Unread;

/**
 * Reads the manifest of every app twice, so that the journal has it and shows whether the reads agree.
 * @param run number of the first run: the manifest is read once, however often the checks are repeated
 * @returns why an app cannot be reached, if so; the manifest's checks report everything else
 * @throws UsageError for a file that cannot be read
 */
export async function readManifests(context: VerifyContext, run: number): Promise<Declared> {
  const apps: DeclaredApp[] = [];
  for (const app of context.config.apps) {
    const read = await readOne(context, app, run);
    if ("failure" in read) return read;
    const manifest = verifiable(context, read);
    context.identities.set(app.clientId, manifest.identity);
    apps.push({ app, reading: read, manifest });
  }
  return { ok: true, apps };
}

/** The modules that can be verified; the manifest's checks report its faults. */
function verifiable({ choices }: VerifyContext, { value, origins }: ManifestReading): Manifest {
  const rules = { defaultGuardType: choices["guard.type.default"], origins };
  const parse = (input: unknown) => parseManifest(input, rules);
  const lists = Object.entries(modulesOf(value) ?? {}).filter(([, list]) => Array.isArray(list));
  const { manifest } = usableManifest({ modules: Object.fromEntries(lists) }, parse);
  if (manifest === null) throw new Error("lists of modules make a manifest, whatever is wrong with some of them");
  return { ...manifest, identity: readIdentity(value) };
}

async function readOne(context: VerifyContext, app: App, run: number): Promise<ManifestReading | Unread> {
  const source = manifestSource(app);
  const terms = readingTerms(app, context.choices);
  if (!isHttpUrl(source))
    return readingOfBytes(terms, await readUserFile(source, "manifest", SMALL_ANSWER_LIMIT_BYTES));
  const tagged = taggedContext(context, { run, subject: `manifest:${app.url}`, id: null, role: "read" });
  const first = await callApp(tagged, { purpose: "manifest", module: null, ...manifestCall(source) });
  if (!first.ok && first.failure !== "other") {
    const { failure, reason, hint, record } = first;
    return { ok: false, failure, reason: `no manifest from ${source}: ${reason}`, hint, exchange: record.id };
  }
  const second = await callApp(tagged, { purpose: "manifest", module: null, ...manifestCall(source) });
  return readingOfExchanges(terms, [first.record, second.record]);
}

import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { ImportJob, ImportOptions, ImportResult, StringRecord } from "../../src/index.ts";
import { type AppCall, type CallHandler, importEntry, manifestOf } from "./fake-app.ts";
import { always, jobWith, type SimulationOptions, startSimulation } from "./simulation.ts";
import { makeTempDir } from "./temp-dir.ts";

/** A manifest with one post-import module, `tidy`. */
export const oneImport = manifestOf({ imports: [importEntry("tidy")] });

/** The answer that gives these strings back. */
export function returning(strings: readonly unknown[]): { data: { strings: readonly unknown[] } } {
  return { data: { strings } };
}

/** Answers with the address of a file at the app itself, and gives it to whoever asks for it. */
export function byUrl(
  file: string | Buffer | CallHandler,
  field: "stringsUrl" | "previewUrl" = "stringsUrl",
  data = {},
) {
  const serve: CallHandler = typeof file === "function" ? file : (call) => call.send(file);
  return (call: AppCall) =>
    call.method === "GET" ? serve(call) : call.reply({ data: { ...data, [field]: addressIn(call, "/answer-file") } });
}

/** An address at the app that got the call. */
export function addressIn(call: AppCall, path: string): string {
  return `http://${call.header("host")}${path}`;
}

/** Records as newline-delimited JSON. */
export function linesOf(strings: readonly unknown[]): string {
  return strings.map((string) => `${JSON.stringify(string)}\n`).join("");
}

/** The first job of a result, with the choices that the result relied on. */
export function firstJob({
  jobs,
  choices,
}: ImportResult): ImportResult["jobs"][number] & Pick<ImportResult, "choices"> {
  const [job] = jobs;
  if (job === undefined) throw new Error("no job in the result");
  return { ...job, choices };
}

/** Imports a job, or a fixture, into an app that answers so. */
export async function importing(
  source: ImportJob | string | readonly StringRecord[],
  answer: CallHandler,
  options: ImportOptions = {},
  simulation: Partial<SimulationOptions> = {},
) {
  await using run = await startSimulation({ serves: oneImport, answer, ...simulation });
  const result = await run.sim.postImport(sourceOf(source), options);
  return {
    imported: firstJob(result),
    result,
    calls: run.app.calls,
    posts: run.app.calls.filter(({ method }) => method === "POST"),
    journal: run.sim.journal,
  };
}

function sourceOf(source: ImportJob | string | readonly StringRecord[]) {
  if (typeof source === "string") return source;
  return { name: "the job", job: "jobType" in source ? source : jobWith(source) };
}

/** The same, of an app that answers with this value. */
export async function importAnswered(
  answer: unknown,
  ...rest: [job?: ImportJob, choices?: SimulationOptions["choices"]]
) {
  const [job = jobWith([]), choices = {}] = rest;
  return (await importing(job, always(answer), {}, { choices })).imported;
}

/** A directory of their own for the temporary files of jobs, until it is disposed of. */
export interface TemporaryFiles extends Disposable {
  /** Those that lie there, or are open still, deleted or not. */
  left(): string[];
}

/** Makes that directory, and names it in TMPDIR. */
export function ownTemporaryFiles(): TemporaryFiles {
  const directory = makeTempDir();
  const earlier = process.env.TMPDIR;
  process.env.TMPDIR = directory.path;
  return {
    left() {
      const lying = readdirSync(directory.path).filter((name) => !name.startsWith("app-sim-test-"));
      return [...lying, ...openFiles().filter((path) => path.startsWith(directory.path))];
    },
    [Symbol.dispose]() {
      if (earlier === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = earlier;
      directory[Symbol.dispose]();
    },
  };
}

/** The files that this process has open, as far as the system tells. */
function openFiles(): string[] {
  const open = "/proc/self/fd";
  if (!existsSync(open)) return [];
  return readdirSync(open).flatMap((number) => {
    try {
      return readlinkSync(join(open, number));
    } catch {
      // Closed meanwhile, such as the one that lists them.
      return [];
    }
  });
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { constants, platform, tmpdir } from "node:os";
import path from "node:path";
import type { Invocation } from "../action/invocation.ts";
import { ExitError } from "../output/exit-error.ts";
import { UsageError } from "../protocol/usage-error.ts";

/** As shells have it for a command that a signal ended. */
const BY_SIGNAL = 128;

/**
 * Lets the user edit a text in $VISUAL, else $EDITOR, as git does: what the variable holds is run by the shell. The file
 * is for the user's eyes only and is gone afterwards.
 * @param name of the file, whose ending tells an editor what is in it
 * @throws UsageError where no editor is set, or it fails
 */
export async function editText(invocation: Invocation, name: string, text: Uint8Array): Promise<Buffer> {
  const editor = editorOf(invocation.env);
  const directory = await mkdtemp(path.join(tmpdir(), "app-sim-edit-")).catch(unwritable);
  try {
    const file = path.join(directory, name);
    await writeFile(file, text, { mode: 0o600 }).catch(unwritable);
    await runEditor(editor, file, invocation);
    return await readFile(file).catch((error: Error) => Promise.reject(failed(editor, error.message)));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function editorOf({ VISUAL, EDITOR }: Invocation["env"]): string {
  const editor = [VISUAL, EDITOR].find((command) => command !== undefined && command.trim() !== "");
  if (editor !== undefined) return editor;
  throw new UsageError(
    "no-editor",
    "--edit: neither $VISUAL nor $EDITOR is set",
    "for example EDITOR=nano, or VISUAL='code --wait'; --data gives another body without an editor",
  );
}

async function runEditor(editor: string, file: string, invocation: Invocation): Promise<void> {
  const { format, isInteractive, isInTerminal, takeSignals, env, cwd } = invocation;
  // What an editor draws or says must not get into the result.
  const screen = isInteractive || format !== "text" ? 2 : 1;
  const child = spawn(`${editor} ${quoted(file)}`, { shell: true, stdio: ["inherit", screen, 2], env, cwd });
  const release = takeSignals((signal) => {
    // Ctrl-C in a terminal is the editor's to understand, and comes to it without us.
    if (signal !== "SIGINT" || !isInTerminal) child.kill(signal);
  });
  try {
    const [code, signal] = (await once(child, "close").catch((error: Error) => {
      throw failed(editor, error.message);
    })) as [number | null, NodeJS.Signals | null];
    if (signal !== null) {
      const number = BY_SIGNAL + constants.signals[signal];
      throw new ExitError(number, "editor-ended", `the editor was ended by ${signal}`, "nothing was sent");
    }
    if (code !== 0) throw failed(editor, `it ended with exit code ${code}`);
  } finally {
    release();
  }
}

/** The name of a file as one word for the shell that runs the editor. */
function quoted(file: string): string {
  return platform() === "win32" ? `"${file}"` : `'${file.replaceAll("'", String.raw`'\''`)}'`;
}

function failed(editor: string, reason: string): UsageError {
  return new UsageError(
    "editor-failed",
    `the editor ${editor} failed: ${reason}`,
    "nothing was sent; is it what $VISUAL or $EDITOR is to name?",
  );
}

function unwritable(error: Error): never {
  throw new UsageError(
    "edit-unwritable",
    `the text to edit cannot be written: ${error.message}`,
    "is there room in the directory for temporary files? TMPDIR names another one",
  );
}

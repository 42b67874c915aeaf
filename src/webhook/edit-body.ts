import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { constants, platform, tmpdir } from "node:os";
import path from "node:path";
import type { Invocation } from "../action/invocation.ts";
import { signalProcess } from "../app-client/process-group.ts";
import { ExitError } from "../output/exit-error.ts";
import { shellQuoted } from "../output/shell-word.ts";
import { tell, tellWarning } from "../output/tell.ts";
import { parseJson } from "../protocol/json.ts";
import { UsageError } from "../protocol/usage-error.ts";

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Lets the user edit a body. The saved text is the new body, byte for byte; an unchanged one keeps its original bytes,
 * however it was formatted for editing.
 * @throws UsageError if no editor is set, or it fails
 */
export async function editBody(invocation: Invocation, body: Uint8Array): Promise<Uint8Array> {
  const shown = laidOut(body);
  const endsLine = shown.at(-1) === NEWLINE;
  // Editors add a line feed to the last line.
  const saved = await editText(invocation, endsLine ? shown : Buffer.concat([shown, Buffer.from("\n")]));
  const edited = endsLine ? saved : withoutLineEnd(saved);
  if (edited.equals(shown)) {
    tell(
      invocation,
      "the body was not changed: the original bytes are sent (a graphical editor needs a flag such as --wait)",
    );
    return body;
  }
  const parsed = parseJson(edited, "the edited body");
  if (!parsed.ok) tellWarning(invocation, `${parsed.reason}; it is sent anyway`);
  return edited;
}

/** JSON indented, unless that would change a value. */
function laidOut(body: Uint8Array): Buffer {
  const bytes = Buffer.from(body);
  const parsed = parseJson(bytes);
  if (!parsed.ok || JSON.stringify(parsed.value) !== bytes.toString()) return bytes;
  return Buffer.from(JSON.stringify(parsed.value, null, 2));
}

function withoutLineEnd(text: Buffer): Buffer {
  if (text.at(-1) !== NEWLINE) return text;
  return text.subarray(0, text.at(-2) === CARRIAGE_RETURN ? -2 : -1);
}

/** The exit status that shells report for a command ended by a signal. */
const BY_SIGNAL = 128;

/**
 * Lets the user edit JSON in $VISUAL, else $EDITOR, as git does: the shell runs the variable's value. Only the user can
 * read the file, and it is deleted afterwards.
 */
async function editText(invocation: Invocation, text: Uint8Array): Promise<Buffer> {
  const editor = editorOf(invocation.env);
  const directory = await mkdtemp(path.join(tmpdir(), "app-sim-edit-")).catch(unwritable);
  try {
    const file = path.join(directory, "body.json");
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
    "for example EDITOR=nano, or VISUAL='code --wait'; --data replaces the body without an editor",
  );
}

async function runEditor(editor: string, file: string, invocation: Invocation): Promise<void> {
  const { format, isInteractive, isInTerminal, takeSignals, env, cwd } = invocation;
  // The editor's output must not mix with the result on stdout.
  const screen = isInteractive || format !== "text" ? 2 : 1;
  const child = spawn(`${editor} ${fileForShell(file)}`, { shell: true, stdio: ["inherit", screen, 2], env, cwd });
  const release = takeSignals((signal) => {
    // Ctrl-C reaches the editor directly from the terminal; it decides what that means.
    if (signal !== "SIGINT" || !isInTerminal) signalProcess(child, signal, false);
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

/** A file's name as one word for the system's shell; on Windows, names have no quotes. */
export function fileForShell(file: string, system: NodeJS.Platform = platform()): string {
  return system === "win32" ? `"${file}"` : shellQuoted(file);
}

function failed(editor: string, reason: string): UsageError {
  return new UsageError(
    "editor-failed",
    `the editor ${editor} failed: ${reason}`,
    "nothing was sent; do $VISUAL or $EDITOR name the right program?",
  );
}

function unwritable(error: Error): never {
  throw new UsageError(
    "edit-unwritable",
    `the text to edit cannot be written: ${error.message}`,
    "does the directory for temporary files have free space? TMPDIR sets another one",
  );
}

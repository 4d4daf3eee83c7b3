import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorMessage, UserFacingError } from "../contracts/errors.ts";
import type { Environment } from "./env.ts";
import { PRIVATE_FILE_MODE, readSmallText } from "./private-file.ts";
import { executable, findProgram } from "./processes/find-program.ts";
import { runAttached } from "./processes/run-attached.ts";

const MAX_EDITED_BYTES = 4 * 1024 * 1024;

/**
 * Opens a file in the person's own editor ($VISUAL, else $EDITOR; words after the name are its arguments) and waits
 * until it exits.
 * @returns the file's new text.
 * @throws {UserFacingError} if there is no editor, the editor failed, or the file can't be read.
 */
export async function editFile(file: string, environment: Environment, signal: AbortSignal): Promise<string> {
  const wanted = environment["VISUAL"] || environment["EDITOR"];
  if (!wanted)
    throw new UserFacingError("No editor is set: choose one with /editor, or set VISUAL or EDITOR, such as EDITOR=vi.");
  const { name, program, args } = findEditor(wanted, environment);
  const env = Object.fromEntries(Object.entries(environment).flatMap(([key, value]) => (value ? [[key, value]] : [])));
  const code = await runAttached({ file: program, args: [...args, file], cwd: process.cwd(), env }, signal);
  if (code !== 0)
    throw new UserFacingError(`The editor ${name} failed with exit code ${code}: the file was not changed.`);
  const text = await readSmallText(file, MAX_EDITED_BYTES).catch((cause: unknown) => {
    throw new UserFacingError(`${file} can't be read anymore (${errorMessage(cause)}).`, 1, { cause });
  });
  if (text === undefined) throw new UserFacingError(`${file} is gone.`);
  return text;
}

/**
 * The program of an editor's command, and the arguments that precede the file.
 * @throws {UserFacingError} if there is no such program.
 */
export function findEditor(command: string, { PATH = "" }: Environment) {
  const [name = "", ...args] = command.trim().split(/\s+/);
  const program = name.includes("/") ? executable(name) : findProgram(name, PATH);
  if (program === undefined)
    throw new UserFacingError(`The editor ${name} was not found: choose another one with /editor.`);
  return { name, program, args };
}

/**
 * Like `editFile`, for a text that is in no file: it is edited in a separate file, which is removed.
 * @returns the edited text.
 * @throws {UserFacingError} as `editFile`.
 */
export async function editText(text: string, environment: Environment, signal: AbortSignal): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "quoll-prompt-"));
  try {
    const file = join(folder, "prompt.md");
    await writeFile(file, text, { mode: PRIVATE_FILE_MODE });
    return await editFile(file, environment, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

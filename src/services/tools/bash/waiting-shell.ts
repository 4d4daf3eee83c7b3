import { randomUUID } from "node:crypto";
import { basename, join } from "node:path";
import type { Clock, Sandbox, WaitingStart } from "../../../contracts/ports.ts";
import { OutputFile, removeFiles } from "../../../platform/processes/output-file.ts";
import { isAlive } from "../../../platform/processes/process-table.ts";
import { spawnWaiting, type WaitingProgram } from "../../../platform/processes/spawn-waiting.ts";
import { shellQuoted } from "../../../platform/shell-quoted.ts";
import { prepareShell, SHELL_ARGUMENTS, type ShellStart } from "./shell-start.ts";

/** Says that it waits, reads its work up to a NUL, and does it with stdin closed. Without work, the shell ends. */
const WAIT = `echo >&3; exec 3>&-; IFS= read -r -d "" work || exit; exec </dev/null; eval "$work"`;
/** bash reads its work byte by byte, so longer work takes longer than a new sandbox saves. */
const MAX_WORK_CHARS = 8_192;
/** In this time the result of the command before is on its way to the model. */
const SETTLE_MS = 15;
/** The shell holds mount points in the workspace, so it does not wait for longer than a model thinks. */
const LIFE_MS = 20_000;
const END_MS = 1_000;

/** What a command and its sandbox start with. */
export type WaitingConditions = {
  readonly bash: string;
  /** Absolute. */
  readonly cwd: string;
  /** The environment with a tag. */
  env(tag: string): Readonly<Record<string, string>>;
  /** Makes the folder of the session's artefacts if it is missing. */
  directory(): string;
  readonly sandbox: Pick<Sandbox, "confineWaiting">;
};

/** A confined bash that waits for its command, with its output file. */
export class WaitingShell {
  readonly output: OutputFile;
  readonly start: ShellStart;
  readonly confined: WaitingStart;
  readonly program: WaitingProgram;
  constructor(files: ShellFiles, confined: WaitingStart, program: WaitingProgram) {
    this.output = files.output;
    this.start = files.start;
    this.confined = confined;
    this.program = program;
  }

  /** True if it still waits, and its files are the ones that were made for it. */
  isUsable(): boolean {
    return isAlive(this.program) && this.output.isFresh();
  }

  /** Runs a command exactly as `bash -c` does, in the place of this shell. */
  run(bash: string, command: string, env: Readonly<Record<string, string>> = {}): void {
    const variables = Object.entries(env).map(([name, value]) => `export ${name}=${shellQuoted(value)}; `);
    const words = [bash, ...SHELL_ARGUMENTS, command].map(shellQuoted).join(" ");
    this.program.give(`${variables.join("")}exec ${words}\0`);
  }

  /** Ends the shell without work. Its files stay. Never rejects. */
  async end(clock: Clock): Promise<void> {
    this.program.give("");
    const isOver = new AbortController();
    const late = clock.sleep(END_MS, isOver.signal).then(
      () => this.program.kill(),
      () => undefined,
    );
    await Promise.race([this.program.exited, late]);
    isOver.abort(new Error("The shell has ended."));
    await this.confined.dispose();
  }
}

type ShellFiles = { readonly output: OutputFile; readonly start: ShellStart };

/**
 * Keeps a confined bash ready for the next command while the model is awaited: building a sandbox takes longer than
 * running a short command in it. The sandbox itself decides whether the shell still fits the command.
 */
export class WaitingShells {
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  #waiting: WaitingShell | undefined;
  #expiry: AbortController | undefined;
  #making: Promise<void> | undefined;
  /** True if this machine's sandbox has no use for a shell that waits. */
  #isOff = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True if a shell waits for a command. */
  get isReady(): boolean {
    return this.#waiting !== undefined;
  }

  /** A shell that waits, if there is one and the command is short. The caller ends it or gives it the command. */
  take(command: string): WaitingShell | undefined {
    const waiting = this.#waiting;
    if (!waiting || command.length > MAX_WORK_CHARS) return undefined;
    if (waiting.isUsable()) {
      this.#forget();
      return waiting;
    }
    void this.#discard();
    return undefined;
  }

  /** Makes a shell for the next command, unless one waits. Failures are ignored: the next command builds its own sandbox. */
  prepare(conditions: WaitingConditions): void {
    if (this.#isOff || this.#closing.signal.aborted || this.isReady || this.#making) return;
    this.#making = this.#make(conditions)
      .catch(() => undefined)
      .finally(() => {
        this.#making = undefined;
      });
  }

  /** Ends the shell that waits. None is made any more. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("The session ends."));
    await this.#making;
    await this.#discard();
  }

  async #make({ bash, cwd, env, directory, sandbox }: WaitingConditions): Promise<void> {
    const { signal } = this.#closing;
    await this.#clock.sleep(SETTLE_MS, signal);
    const files = await makeFiles(directory());
    let confined: WaitingStart | undefined;
    try {
      const tag = randomUUID();
      const args = [...SHELL_ARGUMENTS, WAIT];
      const writableFiles = [files.start.folderFile];
      confined = await sandbox.confineWaiting({ file: bash, args, cwd, env: env(tag), writableFiles }, signal);
      this.#isOff = confined === undefined;
      if (!confined) return await removeAll(files);
      const { path: outputPath, descriptor: output } = files.output;
      const program = spawnWaiting({ ...confined, isWrapper: confined.isWrapped, tag, outputPath, output });
      const shell = new WaitingShell(files, confined, program);
      await program.ready;
      await confined.settle();
      this.#waiting = shell;
      if (signal.aborted) await this.#discard();
      else this.#expire();
    } catch (error) {
      await confined?.dispose();
      await removeAll(files);
      throw error;
    }
  }

  #expire(): void {
    const expiry = new AbortController();
    this.#expiry = expiry;
    this.#clock.sleep(LIFE_MS, expiry.signal).then(
      () => void this.#discard(),
      () => undefined,
    );
  }

  #forget(): void {
    this.#waiting = undefined;
    this.#expiry?.abort(new Error("The shell waits no more."));
  }

  async #discard(): Promise<void> {
    const waiting = this.#waiting;
    this.#forget();
    await waiting?.end(this.#clock);
    if (waiting) await removeAll(waiting);
  }
}

async function makeFiles(folder: string): Promise<ShellFiles> {
  const output = await OutputFile.create(join(folder, `bash-${randomUUID().slice(0, 8)}.log`));
  try {
    return { output, start: await prepareShell(folder, basename(output.path, ".log")) };
  } catch (error) {
    await removeFiles([output.path]);
    await output.close();
    throw error;
  }
}

async function removeAll({ output, start }: ShellFiles): Promise<void> {
  await removeFiles([...start.files, output.path]);
  await output.close();
}

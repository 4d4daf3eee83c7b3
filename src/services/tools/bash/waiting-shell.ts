import { basename, join } from "node:path";
import type { Clock, Sandbox, WaitingStart } from "../../../contracts/ports.ts";
import { newOutputName, OutputFile, removeFiles } from "../../../platform/processes/output-file.ts";
import { isAlive } from "../../../platform/processes/process-table.ts";
import { BASH_ARGUMENTS } from "../../../platform/processes/shell-program.ts";
import { spawnWaiting, type WaitingProgram } from "../../../platform/processes/spawn-waiting.ts";
import { shellQuoted } from "../../../platform/shell-quoted.ts";
import { prepareShell, type ShellStart } from "./shell-start.ts";

/**
 * Says that it waits, reads its work up to a NUL, and does it with stdin closed. Without work, the shell ends. No command
 * gets a variable whose name begins with BASH, so the variable replaces none. TMOUT would end the wait.
 */
const WAIT = `echo >&3; exec 3>&-; IFS= TMOUT= read -r -d "" BASH_WORK || exit; exec </dev/null; eval "$BASH_WORK"`;
/** bash reads its work byte by byte, so longer work takes longer than a new sandbox saves. */
const MAX_WORK_CHARS = 8_192;
/** In this time the result of the command before is on its way to the model. */
const SETTLE_MS = 15;
/** The shell holds mount points in the workspace, so it does not wait for longer than a model thinks. */
const LIFE_MS = 20_000;
/** A sandbox is built in 10 to 15 ms, also when the session ends meanwhile: killed in between, it would leave a process. */
const START_MS = 2_000;
const END_MS = 1_000;

/** The start conditions of a command and its sandbox. */
export type WaitingConditions = {
  readonly bash: string;
  /** Absolute. */
  readonly cwd: string;
  /** The environment with a tag. */
  env(tag: string): Readonly<Record<string, string>>;
  /** Makes the folder of the session's artefacts if it is missing. */
  directory(): string;
  readonly sandbox: Pick<Sandbox, "confineWaiting" | "state">;
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
    const words = [bash, ...BASH_ARGUMENTS, command].map(shellQuoted).join(" ");
    this.program.give(`${variables.join("")}exec ${words}\0`);
  }

  /** Ends the shell without work. Its files stay. Never rejects. */
  async end(clock: Clock): Promise<void> {
    this.program.give("");
    await this.#ended(clock);
    this.program.kill();
    await this.confined.dispose();
  }

  /** Kills a shell that does not wait yet. Its files stay. Never rejects. */
  async kill(clock: Clock): Promise<void> {
    this.program.kill();
    await this.#ended(clock);
  }

  /** Waits a short time for the end. */
  async #ended(clock: Clock): Promise<void> {
    const isOver = new AbortController();
    await Promise.race([this.program.exited, clock.sleep(END_MS, isOver.signal).catch(() => undefined)]);
    isOver.abort(new Error("The shell has ended."));
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
  /** Shells that end. */
  readonly #ending = new Set<Promise<void>>();
  /** How often this has rested. */
  #rests = 0;

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
    this.rest();
    return undefined;
  }

  /** Makes a shell for the next command, unless one waits. Failures are ignored: the next command builds its own sandbox. */
  prepare(conditions: WaitingConditions): void {
    if (this.#closing.signal.aborted || this.isReady || this.#making) return;
    this.#making = this.#make(conditions)
      .catch(() => undefined)
      .finally(() => {
        this.#making = undefined;
      });
  }

  /** No command is expected soon: ends the shell that waits or is being made, in the background. */
  rest(): void {
    const waiting = this.#waiting;
    this.#rests += 1;
    this.#forget();
    if (!waiting) return;
    const ending = waiting
      .end(this.#clock)
      .then(() => removeAll(waiting))
      .finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  /** Ends the shell that waits. None is made any more. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("The session ends."));
    await this.#making;
    this.rest();
    await Promise.all(this.#ending);
  }

  async #make({ bash, cwd, env, directory, sandbox }: WaitingConditions): Promise<void> {
    const { signal } = this.#closing;
    const rests = this.#rests;
    await this.#clock.sleep(SETTLE_MS, signal);
    if ((await sandbox.state()).kind !== "bubblewrap") return;
    const files = await makeFiles(directory());
    let confined: WaitingStart | undefined;
    try {
      const tag = crypto.randomUUID();
      const args = [...BASH_ARGUMENTS, WAIT];
      const writableFiles = [files.start.folderFile];
      confined = await sandbox.confineWaiting({ file: bash, args, cwd, env: env(tag), writableFiles }, signal);
      if (!confined) return await removeAll(files);
      const { path: outputPath, descriptor: output } = files.output;
      const program = spawnWaiting({ ...confined, isWrapper: confined.isWrapped, tag, outputPath, output });
      this.#waiting = await this.#awaited(new WaitingShell(files, confined, program));
      if (rests === this.#rests) this.#expire();
      else this.rest();
    } catch (error) {
      await confined?.dispose();
      await removeAll(files);
      throw error;
    }
  }

  /** @throws {Error} the shell did not start in time, and was killed. */
  async #awaited(shell: WaitingShell): Promise<WaitingShell> {
    const { program, output, confined } = shell;
    const isOver = new AbortController();
    const late = this.#clock.sleep(START_MS, isOver.signal);
    try {
      await Promise.race([program.ready, late.then(() => Promise.reject(new Error("It did not start.")))]);
      // bash warns about a locale that is not installed. The shell of the command warns again.
      output.clear();
      await confined.settle();
      return shell;
    } catch (error) {
      await shell.kill(this.#clock);
      throw error;
    } finally {
      isOver.abort(new Error("It has started."));
    }
  }

  #expire(): void {
    const expiry = new AbortController();
    this.#expiry = expiry;
    this.#clock.sleep(LIFE_MS, expiry.signal).then(
      () => this.rest(),
      () => undefined,
    );
  }

  #forget(): void {
    this.#waiting = undefined;
    this.#expiry?.abort(new Error("The shell waits no more."));
  }
}

async function makeFiles(folder: string): Promise<ShellFiles> {
  const output = await OutputFile.create(join(folder, newOutputName()));
  try {
    return { output, start: await prepareShell(folder, basename(output.path, ".log"), true) };
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

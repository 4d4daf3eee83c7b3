import { askHooks, type HookDeps } from "./ask-hooks.ts";

/** Notes of hooks for the model. `start`: about the session; `prompt`: about this prompt. */
export type HookNotes = { readonly start: readonly string[]; readonly prompt: readonly string[] };

/** The answer of hooks to an input: notes for the model, or the reason why the input is refused. */
export type InputHookResult = HookNotes | { readonly refusal: string };

type InputHookDeps = HookDeps & { notify(line: string): void };
type Source = "startup" | "resume" | "clear";

/** Asks hooks at the start of a conversation, at each prompt, and at the end of the conversation. */
export class InputHooks {
  readonly #deps: InputHookDeps;
  #source: Source;
  #isStarted = false;

  constructor(deps: InputHookDeps, source: Source) {
    this.#deps = deps;
    this.#source = source;
  }

  async ask(prompt: string, model: string, signal: AbortSignal): Promise<InputHookResult> {
    const start: string[] = [];
    if (!this.#isStarted) {
      this.#isStarted = true;
      const said = await this.#run({ event: "SessionStart", source: this.#source, model }, signal);
      if (said.stop) return { refusal: `A hook ended the session's first turn: ${said.stop.reason}` };
      if (said.additionalContext !== undefined) start.push(said.additionalContext);
    }
    const { block, stop, additionalContext } = await this.#run({ event: "UserPromptSubmit", prompt }, signal);
    const refusal = block?.reason ?? stop?.reason;
    if (refusal !== undefined) return { refusal: `A hook refused the prompt: ${refusal}` };
    return { start, prompt: additionalContext === undefined ? [] : [additionalContext] };
  }

  /** Call this when the next input starts a new conversation. */
  clear(): void {
    void this.#run({ event: "SessionEnd", reason: "clear" }, new AbortController().signal);
    this.#isStarted = false;
    this.#source = "clear";
  }

  /** @param signal Limits how long hooks may delay the exit. */
  async end(signal: AbortSignal): Promise<void> {
    if (this.#isStarted) await this.#run({ event: "SessionEnd", reason: "exit" }, signal);
  }

  async #run(input: Parameters<typeof askHooks>[0], signal: AbortSignal) {
    const outcome = (await askHooks(input, this.#deps, signal).catch(() => undefined)) ?? {};
    if (outcome.systemMessage !== undefined) this.#deps.notify(outcome.systemMessage);
    return outcome;
  }
}

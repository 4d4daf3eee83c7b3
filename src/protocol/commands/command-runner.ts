import {
  type ChooseResult,
  type CommandResult,
  type EditResult,
  type FormField,
  type GrownList,
  linesOf,
  type OperationProgress,
  type OperationResult,
} from "../../contracts/command-result.ts";
import type { UserInput } from "../../contracts/engine.ts";
import { errorMessage } from "../../contracts/errors.ts";
import type { SessionCommand, SessionEvent } from "../session-port.ts";
import type { FaceRow } from "../transcript/transcript.ts";
import { FormInput } from "./form-input.ts";
import type { SlashCommands } from "./slash-commands.ts";

/** A command in the form in which it was entered. */
type Entered = {
  readonly name: string;
  /** The typed line. */
  readonly text: string;
  /** Shows the entered command, once. */
  echo(shown?: string): void;
  readonly signal: AbortSignal;
};

type RunnerSession = {
  emit(event: SessionEvent): void;
  /** Starts a turn with a command's text, or steers the running turn. */
  submit(input: UserInput): void;
  /** Called after each command, because it may have changed the session. */
  changed(): void;
};

/** Runs slash commands and reports their results as events. */
export class CommandRunner {
  readonly #commands: SlashCommands;
  readonly #session: RunnerSession;
  readonly #form = new FormInput();
  /** The command that opened the form. */
  #asking: Entered | undefined;
  /** The command whose file is in the editor. */
  #editing: { readonly entered: Entered; readonly result: EditResult } | undefined;
  #abort = new AbortController();
  #suggesting = new AbortController();
  #completing = new AbortController();

  constructor(commands: SlashCommands, session: RunnerSession) {
    this.#commands = commands;
    this.#session = session;
  }

  async run({ text, name, argument }: Extract<SessionCommand, { type: "command" }>): Promise<void> {
    const { signal } = this.#abort;
    let isEchoed = false;
    const echo = (shown = text) => {
      if (!isEchoed) this.#row({ kind: "user", text: shown });
      isEchoed = true;
    };
    await this.#answer({ name: name.toLowerCase(), text, echo, signal }, this.#commands.run(name, argument, signal));
  }

  /** Takes the value of a form field; undefined when the person went back. */
  async takeField(value: string | undefined): Promise<void> {
    const asking = this.#asking;
    this.#suggesting.abort();
    if (value === undefined) this.#form.cancel();
    if (value === undefined || !asking) return;
    const next = this.#form.take(value, asking.signal);
    if (next instanceof Promise) await this.#answer(asking, next);
    else if (next) this.#openField(next);
  }

  /** Suggests values that continue the typed text of a field; only the result for the newest text is used. */
  async suggest(text: string): Promise<void> {
    this.#suggesting.abort();
    this.#suggesting = new AbortController();
    const { signal } = this.#suggesting;
    const values = await this.#form.suggest(text, signal);
    if (!signal.aborted) this.#session.emit({ type: "suggestions", text, values });
  }

  /** Suggests arguments of a command that is being typed; only the result for the newest text is used. */
  async complete({ text, name, typed }: Extract<SessionCommand, { type: "complete" }>): Promise<void> {
    this.#completing.abort();
    this.#completing = new AbortController();
    const { signal } = this.#completing;
    const found = await this.#commands.complete(name, typed, signal);
    if (!signal.aborted) this.#session.emit({ type: "arguments", text, found });
  }

  /** The editor was closed. @param problem Why the file could not be edited. */
  async takeEdited(problem: string | undefined): Promise<void> {
    const editing = this.#editing;
    this.#editing = undefined;
    if (!editing) return;
    const { entered, result } = editing;
    if (problem === undefined) await this.#answer(entered, result.edited(entered.signal));
    else this.#row({ kind: "notice", level: "error", text: problem });
  }

  /** Ends the running commands. */
  interrupt(): void {
    this.#abort.abort(new Error("The command was interrupted."));
    this.#abort = new AbortController();
  }

  /** Reports the result of a command. An error becomes a row. */
  async #answer(entered: Entered, running: Promise<CommandResult>): Promise<void> {
    try {
      const result = await running;
      this.#session.changed();
      await this.#show(entered, this.#commands.shown(result));
    } catch (error) {
      entered.echo();
      const interrupted = { level: "warning", text: `/${entered.name} was interrupted.` } as const;
      const failed = { level: "error", text: errorMessage(error) } as const;
      this.#row({ kind: "notice", ...(entered.signal.aborted ? interrupted : failed) });
    }
  }

  async #show(entered: Entered, result: CommandResult): Promise<void> {
    switch (result.kind) {
      case "text":
        this.#addLines(entered, linesOf(result));
        if (result.draft !== undefined) this.#session.emit({ type: "draft", text: result.draft });
        return;
      case "view": {
        const { kind: _, ...view } = result;
        this.#session.emit({ ...view, type: "view" });
        return;
      }
      case "changes": {
        const { kind: _, ...changes } = result;
        if (changes.said !== undefined) this.#answerWith(entered, [changes.said]);
        this.#session.emit({ ...changes, type: "changes" });
        return;
      }
      case "mark": {
        const { kind: _, ...list } = result;
        this.#session.emit({ type: "mark", list });
        return;
      }
      // A person may leave a list or form without a choice.
      case "choose":
        await this.#choose(entered, result);
        return;
      case "form": {
        this.#asking = entered;
        const field = this.#form.begin(result);
        if (field) this.#openField(field);
        return;
      }
      case "edit":
        entered.echo();
        this.#editing = { entered, result };
        this.#session.emit({ type: "edit", file: result.file });
        return;
      case "copy":
        entered.echo();
        this.#session.emit({ type: "copy", text: result.text, what: result.what });
        return;
      case "prompt": {
        const { kind: _, ...said } = result;
        this.#session.submit({ typed: entered.text, ...said });
        return;
      }
      case "operation":
        entered.echo(result.typed);
        await this.#operate(entered, result);
        return;
    }
  }

  async #choose(entered: Entered, result: ChooseResult): Promise<void> {
    const { kind, lines, before = [], after = [], isTold, later, ...list } = result;
    const told = [...before, ...after];
    if (isTold) this.#answerWith(entered, told);
    else this.#addLines(entered, told);
    this.#session.emit({ type: "choose", list });
    if (!later) return;
    let of = list.title;
    const grow = ({ title, choices }: GrownList) => {
      this.#session.emit({ type: "choices", of, title, choices });
      of = title;
    };
    const choices = await later(entered.signal, grow);
    grow({ title: of, choices });
  }

  async #operate(entered: Entered, { title, run }: OperationResult): Promise<void> {
    this.#session.emit({ type: "operation", title });
    try {
      const report = (progress: OperationProgress) => this.#session.emit({ type: "operation", title, progress });
      const result = await run(report, entered.signal);
      this.#session.changed();
      await this.#show(entered, this.#commands.shown(result));
    } finally {
      this.#session.emit({ type: "operation_ended" });
    }
  }

  #addLines(entered: Entered, lines: readonly string[]): void {
    if (lines.length === 0) return;
    entered.echo();
    this.#answerWith(entered, lines);
  }

  #answerWith({ name }: Entered, lines: readonly string[]): void {
    this.#row({ kind: "answer", command: name, lines });
  }

  #openField(field: FormField): void {
    const { back, hasMore } = this.#form;
    this.#session.emit({
      type: "field",
      title: this.#form.titleOf(field),
      isShown: field.isSecret !== true,
      canBeEmpty: field.isOptional === true,
      ...(hasMore && { hasMore }),
      ...(field.suggest && { canSuggest: true }),
      ...(field.value !== undefined && { value: field.value }),
      ...(field.problem !== undefined && { problem: field.problem }),
      ...(back !== undefined && { back }),
    });
  }

  #row(row: FaceRow): void {
    this.#session.emit({ type: "row", row });
  }
}

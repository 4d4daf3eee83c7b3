import { plural } from "@quoll/terminal-text/plural";
import type { KeysRequest } from "../../../contracts/command.ts";
import { errorMessage } from "../../../contracts/errors.ts";
import type { KeyEvent } from "../input/decode-keys.ts";
import type { ReplState } from "../repl-state.ts";
import type { KeybindingsFile } from "./keybindings-file.ts";
import type { OwnKeymap } from "./read-keybindings.ts";

type Deps = {
  readonly file: KeybindingsFile | undefined;
  readonly state: ReplState;
  /** Aborts when the REPL is over. */
  readonly ended: AbortSignal;
  /** Handles the keys that arrived while the file was being read. */
  readonly keys: (events: readonly KeyEvent[]) => void;
};

/**
 * Why the file is read: at the start, after a change by another program, or after a change by Quoll, which the person
 * saw.
 */
type Cause = "start" | "change" | "own";

const NO_FILE = "Keys can't be saved here.";

/**
 * Applies the bindings of the person's file, before the first key and whenever the file changes; shows all keys, and
 * writes the person's changes.
 */
export class OwnKeys {
  readonly #deps: Deps;
  /** Keys that wait for the file. */
  #held: KeyEvent[] | undefined;
  #text = "";
  #current: OwnKeymap | undefined;
  #isWriting = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Reads the file, if it exists, and watches it. No frame waits for it. */
  start(): void {
    const { file, ended } = this.#deps;
    if (!file || ended.aborted) return;
    if (file.exists()) {
      this.#held = [];
      void this.#read(file, "start");
    }
    const stop = file.watch(() => {
      if (!this.#isWriting) void this.#read(file, "change");
    });
    ended.addEventListener("abort", stop, { once: true });
  }

  /** @returns true if the key waits until the file is read. */
  holds(event: KeyEvent): boolean {
    this.#held?.push(event);
    return this.#held !== undefined;
  }

  /** Opens the list of keys or of help, or performs the action of a list entry. */
  async show(request: KeysRequest): Promise<void> {
    const { state, ended } = this.#deps;
    const { helpList } = await import("./keys-list.ts");
    if (ended.aborted) return;
    if (request.about === "help") {
      const rows = request.rows.map(([label, detail]) => ({ label, detail, input: "" }));
      const { filter } = request;
      const list = helpList({ keymap: state.keymap, commands: state.completions, rows, filter });
      state.show({ type: "choose", list });
    } else if (request.argument === "") await this.#list();
    else await this.#obey(request.argument);
  }

  async #list(): Promise<void> {
    const { keysList } = await import("./keys-list.ts");
    const { file, state } = this.#deps;
    state.show({ type: "choose", list: keysList(await this.#now(), file?.shown ?? "") });
  }

  async #obey(argument: string): Promise<void> {
    const { file, state } = this.#deps;
    const { captureOf, changesFor, keysWish, removalList } = await import("./key-changes.ts");
    const wish = keysWish(argument);
    if (!wish || !file) {
      state.show({ type: "row", row: { kind: "user", text: `/keys ${argument}` } });
      state.notify("error", file ? `There are no such keys: "${argument}". /keys lists all.` : NO_FILE);
      return;
    }
    if (wish.verb === "set" || wish.verb === "add") {
      state.ui = { ...state.ui, capture: captureOf(wish, state.keymap) };
      state.drawNow();
      return;
    }
    if (wish.verb === "remove") {
      state.show({ type: "choose", list: removalList(wish, await this.#now()) });
      return;
    }
    const changes = changesFor(wish, await this.#now());
    const { withKeyChange } = await import("./change-keybindings.ts");
    this.#isWriting = true;
    try {
      await file.change((text) => changes.reduce(withKeyChange, text));
      await this.#read(file, "own");
    } catch (error) {
      state.notify("error", errorMessage(error));
    } finally {
      this.#isWriting = false;
    }
    await this.#list();
  }

  /** The keys in effect now. */
  async #now(): Promise<OwnKeymap> {
    const { readKeybindings } = await import("./read-keybindings.ts");
    this.#current ??= readKeybindings("", "");
    return this.#current;
  }

  async #read(file: KeybindingsFile, cause: Cause): Promise<void> {
    const { state, ended, keys } = this.#deps;
    try {
      const text = await file.read();
      if (ended.aborted || text === this.#text) return;
      this.#text = text;
      const { readKeybindings } = await import("./read-keybindings.ts");
      this.#use(readKeybindings(text, file.shown), file, cause);
    } catch (error) {
      if (!ended.aborted) state.notify("warning", `${file.shown}: ${errorMessage(error)}`);
    } finally {
      const held = this.#held ?? [];
      this.#held = undefined;
      if (!ended.aborted && held.length > 0) keys(held);
    }
  }

  #use(current: OwnKeymap, { shown }: KeybindingsFile, cause: Cause): void {
    const { state } = this.#deps;
    const { keymap, own, problems } = current;
    this.#current = current;
    state.keymap = keymap;
    if (cause === "own") return;
    const [first, ...others] = problems;
    const more = others.length > 0 ? ` (${others.length} more: /keys)` : "";
    if (first !== undefined) state.notify("warning", `${first}${more}`);
    else if (cause === "change")
      state.notify("info", `${shown} has changed: ${plural(own.length, "key")} of your own.`);
  }
}

import type { CommandDefinition, ExtensionApi, ProviderDefinition, RendererDefinition } from "@quoll/extension-api";
import { oneLine } from "@quoll/terminal-text/one-line";
import type { ExtensionCode } from "../../contracts/extension.ts";
import {
  type AnyTool,
  checkCommand,
  checkHandler,
  checkProvider,
  checkRenderer,
  checkTool,
  type RegisteredHandler,
} from "./definitions.ts";

const MAX_TOOLS = 64;

/** The parts that one extension has registered. */
export type Contribution = {
  readonly tools: readonly AnyTool[];
  readonly commands: readonly CommandDefinition[];
  readonly handlers: readonly RegisteredHandler[];
  readonly renderers: readonly RendererDefinition[];
  readonly providers: readonly ProviderDefinition[];
  readonly statusParts: readonly StatusText[];
};

export type ExtensionFacts = Pick<ExtensionApi, "apiVersion" | "quollVersion" | "projectRoot">;

/** The object that `setup` gets, and the parts that were registered through it. */
export class Registrar {
  readonly #tools: AnyTool[] = [];
  readonly #commands: CommandDefinition[] = [];
  readonly #handlers: RegisteredHandler[] = [];
  readonly #renderers: RendererDefinition[] = [];
  readonly #providers: ProviderDefinition[] = [];
  readonly #statusParts: StatusText[] = [];
  readonly #code: ExtensionCode;
  #isClosed = false;

  constructor(code: ExtensionCode) {
    this.#code = code;
  }

  /** @throws {Error} (its methods) the definition is malformed, or `setup` is over. */
  api(facts: ExtensionFacts): ExtensionApi {
    return {
      ...facts,
      defineTool: (tool) => {
        this.#assertOpen("defineTool");
        checkTool(tool);
        if (this.#tools.length >= MAX_TOOLS) throw new Error(`defineTool: an extension may have ${MAX_TOOLS} tools`);
        // The input has the form that the tool's own schema defines.
        this.#tools.push(tool as unknown as AnyTool);
      },
      defineCommand: (command) => {
        this.#assertOpen("defineCommand");
        checkCommand(command);
        this.#commands.push(command);
      },
      on: (event, handler, options = {}) => {
        this.#assertOpen("on");
        checkHandler({ event, handler, options });
        this.#handlers.push({ event, handler, options });
      },
      defineStatusPart: () => {
        this.#assertOpen("defineStatusPart");
        const part = new StatusText();
        this.#statusParts.push(part);
        return { set: (text) => this.#code.leave(() => part.set(text)) };
      },
      defineRenderer: (renderer) => {
        this.#assertOpen("defineRenderer");
        checkRenderer(renderer);
        this.#renderers.push(renderer);
      },
      defineProvider: (provider) => {
        this.#assertOpen("defineProvider");
        checkProvider(provider);
        this.#providers.push(provider);
      },
    };
  }

  /** Ends the registration: no part is accepted afterwards. */
  close(): Contribution {
    this.#isClosed = true;
    return {
      tools: this.#tools,
      commands: this.#commands,
      handlers: this.#handlers,
      renderers: this.#renderers,
      providers: this.#providers,
      statusParts: this.#statusParts,
    };
  }

  #assertOpen(method: string): void {
    if (this.#isClosed) throw new Error(`${method} works only until setup is done`);
  }
}

const MAX_COLUMNS = 30;

/** A part of the status line that an extension fills. */
class StatusText {
  #text = "";
  #changed: () => void = () => undefined;

  /** Safe to print; empty for nothing. */
  get text(): string {
    return this.#text;
  }

  set(value: unknown): void {
    const text = typeof value === "string" ? oneLine(value, MAX_COLUMNS) : "";
    if (text === this.#text) return;
    this.#text = text;
    this.#changed();
  }

  /** @param changed Called when the text changes. */
  onChanged(changed: () => void): void {
    this.#changed = changed;
  }
}

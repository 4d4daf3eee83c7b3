import type { CommandDefinition, ExtensionApi, ProviderDefinition, RendererDefinition } from "@quoll/extension-api";
import { oneLine } from "@quoll/terminal-text/one-line";
import type { ExtensionCode } from "../../contracts/extension.ts";
import { type AnyTool, checkDefinition, type RegisteredHandler } from "./definitions.ts";

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

type Collected = { readonly [Kind in keyof Contribution]: Contribution[Kind][number][] };

/** The object that `setup` gets, and the parts that were registered through it. */
export class Registrar {
  readonly #parts: Collected = {
    tools: [],
    commands: [],
    handlers: [],
    renderers: [],
    providers: [],
    statusParts: [],
  };
  readonly #code: ExtensionCode;
  #isClosed = false;

  constructor(code: ExtensionCode) {
    this.#code = code;
  }

  /** @throws {Error} (its methods) the definition is malformed, or `setup` is over. */
  api(facts: ExtensionFacts): ExtensionApi {
    const { tools, commands, handlers, renderers, providers, statusParts } = this.#parts;
    return {
      ...facts,
      defineTool: (tool) => {
        this.#check("defineTool", tool);
        if (tools.length >= MAX_TOOLS) throw new Error(`defineTool: an extension may have ${MAX_TOOLS} tools`);
        // The input has the form that the tool's own schema defines.
        tools.push(tool as unknown as AnyTool);
      },
      defineCommand: (command) => {
        this.#check("defineCommand", command);
        commands.push(command);
      },
      on: (event, handler, options = {}) => {
        this.#check("on", { event, handler, options });
        handlers.push({ event, handler, options });
      },
      defineStatusPart: () => {
        this.#assertOpen("defineStatusPart");
        const part = new StatusText();
        statusParts.push(part);
        return { set: (text) => this.#code.leave(() => part.set(text)) };
      },
      defineRenderer: (renderer) => {
        this.#check("defineRenderer", renderer);
        renderers.push(renderer);
      },
      defineProvider: (provider) => {
        this.#check("defineProvider", provider);
        providers.push(provider);
      },
    };
  }

  /** Ends the registration: no part is accepted afterwards. */
  close(): Contribution {
    this.#isClosed = true;
    return this.#parts;
  }

  #check(method: Parameters<typeof checkDefinition>[0], definition: unknown): void {
    this.#assertOpen(method);
    checkDefinition(method, definition);
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

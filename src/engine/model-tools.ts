import { nearestNames } from "../contracts/did-you-mean.ts";
import { UnknownToolError } from "../contracts/errors.ts";
import type { ToolDeclaration } from "../contracts/provider.ts";
import type { Registered, Registry } from "../contracts/registry.ts";
import type { Tool } from "../contracts/tool.ts";

type Declared = { readonly declarations: readonly ToolDeclaration[]; readonly chars: number };

/**
 * The tools of a session as the model sees them. Their order is the order in the prompt, and the prompt cache depends
 * on it: built-in tools come first and never change, tools of MCP servers follow.
 */
export class ModelTools {
  readonly #tools: Registry<Tool>;
  /** The tools from which `#declared` was made. */
  #entries: readonly Registered<Tool>[] | undefined;
  #declared: Declared | undefined;

  constructor(tools: Registry<Tool>) {
    this.#tools = tools;
  }

  /**
   * Made at the first request: converting the schemas takes milliseconds, and the first screen should not wait for
   * them.
   */
  get declarations(): readonly ToolDeclaration[] {
    return this.#declare().declarations;
  }

  /** Characters of the declarations as JSON, for estimates. */
  get declarationChars(): number {
    return this.#declare().chars;
  }

  get names(): readonly string[] {
    return this.#tools.entries.map(({ name }) => name);
  }

  /**
   * Finds a tool. A name in another case is corrected, and the correction is reported.
   * @throws {UnknownToolError} with the nearest name, if there is a similar one.
   */
  get(name: string): { readonly tool: Tool; readonly corrections: readonly string[] } {
    const exact = this.#tools.get(name);
    if (exact) return { tool: exact.value, corrections: [] };
    const folded = name.toLowerCase();
    const near = this.#tools.entries.find((entry) => entry.name.toLowerCase() === folded);
    if (near) return { tool: near.value, corrections: [`the tool \`${name}\` was taken as \`${near.name}\``] };
    throw new UnknownToolError(name, nearestNames(name, this.names, 1)[0]);
  }

  #declare(): Declared {
    const { entries } = this.#tools;
    if (this.#declared && this.#entries === entries) return this.#declared;
    const isThere = (name: string) => this.#tools.get(name) !== undefined;
    const declarations = entries.map(({ value: { spec } }) => {
      const { name, inputSchema } = spec;
      return { name, description: spec.describe?.(isThere) ?? spec.description, inputSchema };
    });
    this.#entries = entries;
    this.#declared = { declarations, chars: declarations.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0) };
    return this.#declared;
  }
}

import { UnknownToolError } from "../contracts/errors.ts";
import { nearestNames } from "../contracts/nearest.ts";
import type { ToolDeclaration } from "../contracts/provider.ts";
import type { Tool } from "../contracts/tool.ts";

/**
 * The tools of a session, unique by name. What the model sees of them is constant for the session's life, except that servers
 * may come with tools of their own, which stand behind the built-in ones.
 */
export class ToolRegistry {
  readonly #builtIn: readonly Tool[];
  #tools: ReadonlyMap<string, Tool>;
  #declarations: readonly ToolDeclaration[] | undefined;
  #declarationChars: number | undefined;

  /** @throws {Error} two tools share a name. */
  constructor(tools: readonly Tool[]) {
    this.#builtIn = tools;
    this.#tools = byName(tools);
  }

  /** Replaces the tools of servers. @throws {Error} two tools share a name; nothing changes. */
  setServerTools(tools: readonly Tool[]): void {
    this.#tools = byName([...this.#builtIn, ...tools]);
    this.#declarations = undefined;
    this.#declarationChars = undefined;
  }

  /** Made at the first request: schemas take milliseconds, which a screen need not wait for. */
  get declarations(): readonly ToolDeclaration[] {
    this.#declarations ??= [...this.#tools.values()].map(({ spec: { name, description, inputSchema } }) => ({
      name,
      description,
      inputSchema,
    }));
    return this.#declarations;
  }

  /** Characters of the declarations as JSON, for estimates. */
  get declarationChars(): number {
    this.#declarationChars ??= this.declarations.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0);
    return this.#declarationChars;
  }

  get names(): readonly string[] {
    return [...this.#tools.keys()];
  }

  /**
   * Finds a tool; another case of its name is forgiven and said.
   * @throws {UnknownToolError} with the nearest name, where one is near.
   */
  get(name: string): { readonly tool: Tool; readonly forgiven: readonly string[] } {
    const exact = this.#tools.get(name);
    if (exact) return { tool: exact, forgiven: [] };
    const folded = name.toLowerCase();
    for (const [known, tool] of this.#tools) {
      if (known.toLowerCase() === folded) return { tool, forgiven: [`the tool \`${name}\` was taken as \`${known}\``] };
    }
    throw new UnknownToolError(name, nearestNames(name, this.#tools.keys(), 1)[0]);
  }
}

function byName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const named = new Map<string, Tool>();
  for (const tool of tools) {
    if (named.has(tool.spec.name)) throw new Error(`Two tools are named "${tool.spec.name}".`);
    named.set(tool.spec.name, tool);
  }
  return named;
}

import { UnknownToolError } from "../contracts/errors.ts";
import { nearestNames } from "../contracts/nearest.ts";
import type { ToolDeclaration } from "../contracts/provider.ts";
import type { Tool } from "../contracts/tool.ts";

/** The tools of a session, unique by name. What the model sees of them is constant for the session's life. */
export class ToolRegistry {
  readonly #tools: ReadonlyMap<string, Tool>;
  #declarations: readonly ToolDeclaration[] | undefined;

  /** @throws {Error} two tools share a name. */
  constructor(tools: readonly Tool[]) {
    const byName = new Map<string, Tool>();
    for (const tool of tools) {
      if (byName.has(tool.spec.name)) throw new Error(`Two tools are named "${tool.spec.name}".`);
      byName.set(tool.spec.name, tool);
    }
    this.#tools = byName;
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

  get names(): readonly string[] {
    return [...this.#tools.keys()];
  }

  /**
   * Finds a tool; another case of its name is forgiven and said.
   * @throws {UnknownToolError} with the nearest names.
   */
  get(name: string): { readonly tool: Tool; readonly forgiven: readonly string[] } {
    const exact = this.#tools.get(name);
    if (exact) return { tool: exact, forgiven: [] };
    const folded = name.toLowerCase();
    for (const [known, tool] of this.#tools) {
      if (known.toLowerCase() === folded) return { tool, forgiven: [`the tool \`${name}\` was taken as \`${known}\``] };
    }
    const nearest = nearestNames(name, this.#tools.keys());
    throw new UnknownToolError(name, nearest.length > 0 ? nearest : this.names);
  }
}

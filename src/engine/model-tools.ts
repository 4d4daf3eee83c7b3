import { callTarget, SEARCHING_TOOLS, TOOL_CALL } from "../contracts/call-target.ts";
import { nearestNames } from "../contracts/did-you-mean.ts";
import { UnknownToolError, WithdrawnToolError } from "../contracts/errors.ts";
import type { Findable } from "../contracts/findable.ts";
import type { ToolUseBlock } from "../contracts/message.ts";
import type { ToolDeclaration } from "../contracts/provider.ts";
import type { Registry } from "../contracts/registry.ts";
import type { Tool } from "../contracts/tool.ts";
import type { ToolPolicy, ToolRecord } from "../contracts/tool-offer.ts";
import { type ArrayChange, ToolArray } from "./tool-array.ts";

/** The tools of a session as the model sees them: those that stand in every request, and those that it reaches by search. */
export class ModelTools {
  readonly #tools: Registry<Tool>;
  readonly #array: ToolArray;
  #measured: { readonly of: readonly ToolDeclaration[]; readonly chars: number } | undefined;

  /** @param policy What decides which tools are deferred; without it none is. */
  constructor(tools: Registry<Tool>, policy?: ToolPolicy) {
    this.#tools = tools;
    this.#array = new ToolArray(tools, policy);
  }

  /**
   * Made at the first request: converting the schemas takes milliseconds, and the first screen should not wait for
   * them.
   */
  get declarations(): readonly ToolDeclaration[] {
    return this.#array.declarations;
  }

  /** Characters of the declarations as JSON, for estimates. */
  get declarationChars(): number {
    const { declarations } = this;
    if (this.#measured?.of !== declarations) {
      const chars = declarations.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0);
      this.#measured = { of: declarations, chars };
    }
    return this.#measured.chars;
  }

  /** Names of all tools that the model can call. */
  get names(): readonly string[] {
    const names = this.#tools.entries.map(({ name }) => name);
    return this.#array.isSearched ? names : names.filter((name) => !SEARCHING_TOOLS.includes(name));
  }

  /** Tools that are left out of the requests. */
  get deferred(): readonly Tool[] {
    return this.#array.deferred;
  }

  /** The same as a search sees them. */
  findables(): readonly Findable[] {
    return this.#array.deferred.map(({ spec }) => ({
      name: spec.name,
      description: spec.description,
      ...(spec.searchHint !== undefined && { hint: spec.searchHint }),
      details: () => JSON.stringify(spec.inputSchema),
    }));
  }

  /** For the session's log; undefined as long as nothing had to be decided. */
  get record(): ToolRecord | undefined {
    return this.#array.record;
  }

  /**
   * Fixes the tools of the next request.
   * @param restored From the log of a resumed session.
   * @returns what changed since the last request; undefined where its bytes stay the same.
   */
  settle(restored: ToolRecord | undefined): ArrayChange | undefined {
    return this.#array.settle(restored);
  }

  /** The call that is judged and run: a call by `ToolCall` is one of the tool that it names. */
  targetOf(use: ToolUseBlock): ToolUseBlock {
    return this.#tools.get(TOOL_CALL) ? callTarget(use) : use;
  }

  /**
   * Finds a tool; another case of its name is forgiven and said.
   * @throws {UnknownToolError} with the nearest name, where one is near.
   * @throws {WithdrawnToolError} the requests still declare the tool, but it is gone.
   */
  get(name: string): { readonly tool: Tool; readonly corrections: readonly string[] } {
    const exact = this.#tools.get(name);
    if (exact) return { tool: exact.value, corrections: [] };
    const folded = name.toLowerCase();
    const near = this.#tools.entries.find((entry) => entry.name.toLowerCase() === folded);
    if (near) return { tool: near.value, corrections: [`the tool \`${name}\` was taken as \`${near.name}\``] };
    if (this.#array.hasOffered(name)) throw new WithdrawnToolError(name);
    throw new UnknownToolError(name, nearestNames(name, this.names, 1)[0]);
  }
}

import { callTarget, SEARCHING_TOOLS, TOOL_CALL } from "../contracts/call-target.ts";
import { nearestName } from "../contracts/did-you-mean.ts";
import { UnknownToolError, WithdrawnToolError } from "../contracts/errors.ts";
import type { Findable } from "../contracts/findable.ts";
import type { ToolUseBlock } from "../contracts/message.ts";
import type { ToolDeclaration } from "../contracts/provider.ts";
import type { Registry } from "../contracts/registry.ts";
import type { Tool } from "../contracts/tool.ts";
import { toolsCalled } from "../contracts/tool-aliases.ts";
import type { ToolPolicy, ToolRecord } from "../contracts/tool-offer.ts";
import { type ArrayChange, ToolArray } from "./tool-array.ts";

/** The tools of a session as the model sees them: the tools in every request, and the tools that it finds by search. */
export class ModelTools {
  readonly #tools: Registry<Tool>;
  readonly #array: ToolArray;
  readonly #policy: ToolPolicy | undefined;
  /** A cache of the findable tools, made once for each list of deferred tools. */
  #found: { readonly of: readonly Tool[]; readonly findables: readonly Findable[] } | undefined;
  #measured: { readonly of: readonly ToolDeclaration[]; readonly chars: number } | undefined;

  /** @param policy Decides which tools are deferred; without a policy, no tool is deferred. */
  constructor(tools: Registry<Tool>, policy?: ToolPolicy) {
    this.#tools = tools;
    this.#policy = policy;
    this.#array = new ToolArray(tools, policy);
  }

  /**
   * The declarations are made at the first request: converting the schemas takes milliseconds, which the first screen
   * should not wait for.
   */
  get declarations(): readonly ToolDeclaration[] {
    return this.#array.declarations;
  }

  /** The length of the declarations as JSON in characters, for estimates. */
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

  /** The tools that requests leave out. */
  get deferred(): readonly Tool[] {
    return this.#array.deferred;
  }

  /** The deferred tools in the form that a search uses. */
  findables(): readonly Findable[] {
    const { deferred } = this.#array;
    if (this.#found?.of !== deferred) this.#found = { of: deferred, findables: deferred.map(findableOf) };
    return this.#found.findables;
  }

  /** The number of servers that have not listed their tools yet. */
  get pendingServers(): number {
    return this.#policy?.pending().length ?? 0;
  }

  /** The purpose of the server whose tools have this prefix, in the server's own words. */
  purposeOf(prefix: string): string | undefined {
    return this.#policy?.purposeOf?.(prefix);
  }

  /** The tool array for the session's log; undefined until the decision is made. */
  get record(): ToolRecord | undefined {
    return this.#array.record;
  }

  /** Waits a short time for tool lists that are being read again. */
  async listed(signal: AbortSignal): Promise<void> {
    await this.#policy?.listed?.(signal);
  }

  /**
   * Fixes the tools of the next request.
   * @param restored The tool array in the log of a resumed session.
   * @returns the changes since the last request; undefined if the bytes of the array stay the same.
   */
  settle(restored: ToolRecord | undefined): ArrayChange | undefined {
    return this.#array.settle(restored);
  }

  /** The call to check and run: a call of `ToolCall` becomes a call of the tool that it names. */
  targetOf(use: ToolUseBlock): ToolUseBlock {
    return this.#tools.get(TOOL_CALL) ? callTarget(use) : use;
  }

  /**
   * Finds a tool; a name in another case is accepted, and the result says so.
   * @throws {UnknownToolError} if there is no such tool; the error says what to use instead, if that is known.
   * @throws {WithdrawnToolError} the requests still declare the tool, but it no longer exists.
   */
  get(name: string): { readonly tool: Tool; readonly corrections: readonly string[] } {
    const exact = this.#tools.get(name);
    if (exact) return { tool: exact.value, corrections: [] };
    const folded = name.toLowerCase();
    const near = this.#tools.entries.find((entry) => entry.name.toLowerCase() === folded);
    if (near) return { tool: near.value, corrections: [`the tool \`${name}\` was taken as \`${near.name}\``] };
    if (this.#array.hasOffered(name)) throw new WithdrawnToolError(name);
    throw new UnknownToolError(name, this.#hintFor(name));
  }

  #hintFor(name: string): string | undefined {
    const folded = name.toLowerCase();
    const [tool, advice] = INSTEAD.get(folded) ?? [];
    if (tool !== undefined && this.#tools.get(tool)) return advice;
    const called = toolsCalled(name).filter((one) => this.#tools.get(one));
    if (called.length > 0) return `Use ${called.join(" or ")}.`;
    const nearest = nearestName(folded, this.names);
    return nearest === undefined ? undefined : `Did you mean ${nearest}?`;
  }
}

/** Tools of other programs of which the model must know more than the name of the tool that does it here. */
const INSTEAD: ReadonlyMap<string, readonly [tool: string, advice: string]> = new Map([
  ["notebookedit", ["Edit", "Use Edit on the .ipynb file."]],
  ["multiedit", ["Edit", "Use Edit: it takes several `edits` of one file."]],
  ["ls", ["Read", "Read lists a folder."]],
]);

function findableOf({ spec }: Tool): Findable {
  return {
    name: spec.name,
    description: spec.description,
    ...(spec.searchHint !== undefined && { hint: spec.searchHint }),
    details: () => JSON.stringify(spec.inputSchema),
  };
}

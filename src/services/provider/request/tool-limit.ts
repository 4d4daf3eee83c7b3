import type { CountLimit } from "../../../contracts/errors.ts";
import type { ProviderRequest, ToolDeclaration } from "../../../contracts/provider.ts";

/** OpenAI's limit, for a server that does not state its own. */
const USUAL_MAX = 128;

/**
 * The number of tools that a server takes, learnt from its refusal. The first ones stay: Quoll's own tools precede those
 * of MCP servers, so the same declarations always give the same request.
 */
export class ToolLimit {
  #max = Number.POSITIVE_INFINITY;
  #kept: { readonly of: readonly ToolDeclaration[]; readonly tools: readonly ToolDeclaration[] } | undefined;

  within<Request extends Pick<ProviderRequest, "tools">>(request: Request): Request {
    const { tools } = request;
    if (tools.length <= this.#max) return request;
    if (this.#kept?.of !== tools) this.#kept = { of: tools, tools: tools.slice(0, this.#max) };
    return { ...request, tools: this.#kept.tools };
  }

  /**
   * @param limit The limit that a refusal states.
   * @returns one line for the person if the next request has fewer tools.
   */
  learn(limit: CountLimit | undefined, { tools }: Pick<ProviderRequest, "tools">, host: string): string | undefined {
    if (limit?.what !== "tools") return undefined;
    const max = limit.max ?? USUAL_MAX;
    if (max >= Math.min(this.#max, tools.length)) return undefined;
    this.#max = max;
    this.#kept = undefined;
    const left = tools.length - max;
    return `${host} takes at most ${max} tools in a request: the last ${left} of ${tools.length} are left out, from "${tools[max]?.name}" on. Turn off MCP servers that you don't need (/mcp), or set tools.defer to "always".`;
  }
}

import type { ToolDeclaration } from "./provider.ts";
import { CHARS_PER_TOKEN } from "./token-estimate.ts";

/**
 * When MCP tools and rare tools are left out of the tool array. `percent`: deferred as soon as the tools exceed this
 * share of the window.
 */
export type ToolDeferral = "auto" | "always" | "never" | { readonly percent: number };

/** An MCP server that has not answered yet. */
export type PendingServer = {
  readonly name: string;
  /** The estimated size of the server's tools when it last answered; undefined if unknown. */
  readonly tokens: number | undefined;
};

/** The facts that decide which tools are in the request's tool array and which are deferred. */
export type ToolPolicy = {
  readonly deferral: ToolDeferral;
  /** The context window of the model that answers, in tokens. */
  windowTokens(): number;
  pending(): readonly PendingServer[];
  /** The purpose of the server whose tools have this prefix, in the server's own words; undefined if it states none. */
  purposeOf?(prefix: string): string | undefined;
  /** Waits a short time for tool lists that are being read again. Never rejects. */
  listed?(signal: AbortSignal): Promise<void>;
};

/**
 * How a session offers its tools. `array`: the tool array has all tools, and later tools join its end. `late`: the
 * array has the tools that were present at the first request, and later tools are deferred. `deferred`: MCP tools
 * and rare tools are deferred.
 */
export type OfferMode = "array" | "late" | "deferred";

/**
 * The tool array of a session, so that a resumed session sends the same bytes: built-in tools by name, others as they
 * were declared.
 */
export type ToolRecord = {
  readonly mode: OfferMode;
  readonly array: readonly (string | ToolDeclaration)[];
};

/** Estimated tokens of a tool in a request. */
export function declarationTokens({ name, description, inputSchema }: ToolDeclaration): number {
  return Math.ceil(JSON.stringify({ name, description, inputSchema }).length / CHARS_PER_TOKEN);
}

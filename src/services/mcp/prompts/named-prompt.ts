import type { McpPrompt } from "../../../contracts/mcp.ts";

/** A prompt, and the name of its command: `mcp__server__prompt`. */
export type NamedPrompt = { readonly command: string; readonly prompt: McpPrompt };

/** The Messages request as it stands after `request-shape.ts` has accepted it. Source: Anthropic's API reference and the types of its published SDK. */

export type CacheControl = { readonly type: "ephemeral"; readonly ttl?: "5m" | "1h" };
type Cacheable = { readonly cache_control?: CacheControl | null };

export type TextBlock = Cacheable & {
  readonly type: "text";
  readonly text: string;
  /** Only in answers. */
  readonly citations?: readonly Readonly<Record<string, unknown>>[];
};
/** The blocks of a search that the server ran; only in answers here. */
export type SearchBlock =
  | { readonly type: "server_tool_use"; readonly id: string; readonly name: "web_search"; readonly input: object }
  | { readonly type: "web_search_tool_result"; readonly tool_use_id: string; readonly content: object };
export type Source =
  | { readonly type: "base64"; readonly media_type: string; readonly data: string }
  | { readonly type: "text"; readonly media_type: string; readonly data: string }
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "file"; readonly file_id: string };
type ImageBlock = Cacheable & { readonly type: "image"; readonly source: Source };
type DocumentBlock = Cacheable & { readonly type: "document"; readonly source: Source };
type SearchResultBlock = Cacheable & { readonly type: "search_result"; readonly content: readonly TextBlock[] };
type ThinkingBlock = { readonly type: "thinking"; readonly thinking: string; readonly signature: string };
type RedactedThinkingBlock = { readonly type: "redacted_thinking"; readonly data: string };
export type ToolUseBlock = Cacheable & {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
};
export type ResultContent = TextBlock | ImageBlock | DocumentBlock | SearchResultBlock;
export type ToolResultBlock = Cacheable & {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content?: string | readonly ResultContent[];
  readonly is_error?: boolean;
};
export type Block = ResultContent | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock | ToolResultBlock;

export type Message = { readonly role: "user" | "assistant"; readonly content: string | readonly Block[] };
export type Tool = Cacheable & {
  /** Absent for a tool of the client. */
  readonly type?: string;
  readonly name: string;
  readonly description?: string;
  readonly input_schema?: Readonly<Record<string, unknown>>;
};
type ToolChoice = { readonly type: "auto" | "any" | "none" } | { readonly type: "tool"; readonly name: string };
export type Thinking =
  | { readonly type: "enabled"; readonly budget_tokens: number }
  | { readonly type: "adaptive" | "between_tools" | "disabled" };

export type MessagesRequest = Cacheable & {
  readonly model: string;
  /** Absent when tokens are counted. */
  readonly max_tokens?: number;
  readonly messages: readonly Message[];
  readonly system?: string | readonly TextBlock[];
  readonly tools?: readonly Tool[];
  readonly tool_choice?: ToolChoice;
  readonly thinking?: Thinking;
  readonly output_config?: {
    readonly effort?: string | null;
    readonly format?: { readonly schema: Readonly<Record<string, unknown>> } | null;
  };
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly stop_sequences?: readonly string[];
  readonly stream?: boolean;
};

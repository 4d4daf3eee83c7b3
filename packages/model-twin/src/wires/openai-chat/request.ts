/** The Chat Completions request as it stands after `request-shape.ts` has accepted it. Source: OpenAI's API reference. */

export type Part =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "refusal"; readonly refusal: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } }
  | { readonly type: "input_audio" }
  | { readonly type: "file"; readonly file: { readonly file_data?: string; readonly file_id?: string } };

export type ToolCall = {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
};

type Content = string | readonly Part[];

export type AssistantMessage = {
  readonly role: "assistant";
  readonly content?: Content | null;
  readonly refusal?: string | null;
  readonly tool_calls?: readonly ToolCall[];
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
};
export type ToolMessage = { readonly role: "tool"; readonly content: Content; readonly tool_call_id: string };
export type Message =
  | { readonly role: "system" | "developer" | "user"; readonly content: Content }
  | AssistantMessage
  | ToolMessage;

/** The search that OpenRouter runs. */
export type RouterSearch = { readonly type: "openrouter:web_search" };

export type FunctionTool = {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description?: string | null;
    readonly parameters?: Readonly<Record<string, unknown>> | null;
    readonly strict?: boolean | null;
  };
};

type ToolChoice =
  | "none"
  | "auto"
  | "required"
  | { readonly type: "function"; readonly function: { readonly name: string } };

export type ChatRequest = {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly (FunctionTool | RouterSearch)[];
  readonly tool_choice?: ToolChoice | null;
  readonly parallel_tool_calls?: boolean | null;
  readonly max_tokens?: number | null;
  readonly max_completion_tokens?: number | null;
  readonly response_format?: {
    readonly type: string;
    readonly json_schema?: { readonly schema: Readonly<Record<string, unknown>>; readonly strict?: boolean | null };
  } | null;
  readonly stream?: boolean | null;
  readonly stream_options?: { readonly include_usage?: boolean } | null;
  readonly [field: string]: unknown;
};

/** The functions of a request, each with its place in the list. */
export const functionsOf = ({ tools = [] }: ChatRequest) =>
  tools.flatMap((tool, index) => ("function" in tool ? [{ tool, where: `tools.${index}.function` }] : []));

/** True if the model may search the web. */
export const asksForSearch = ({ tools = [] }: ChatRequest): boolean => tools.some((tool) => !("function" in tool));

/** The Responses request as it stands after `request-shape.ts` has accepted it. Source: OpenAI's API reference. */

export type Part =
  | { readonly type: "input_text" | "output_text"; readonly text: string }
  | { readonly type: "refusal"; readonly refusal: string }
  | { readonly type: "input_image"; readonly image_url?: string | null; readonly file_id?: string | null }
  | {
      readonly type: "input_file";
      readonly file_data?: string;
      readonly file_id?: string | null;
      readonly file_url?: string;
    };

export type MessageItem = {
  readonly type?: "message";
  readonly id?: string;
  readonly role: "user" | "system" | "developer" | "assistant";
  readonly content: string | readonly Part[];
};
export type FunctionCall = {
  readonly type: "function_call";
  readonly id?: string;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
};
export type FunctionOutput = {
  readonly type: "function_call_output";
  readonly call_id: string;
  readonly output: string | readonly Part[];
};
export type Reasoning = {
  readonly type: "reasoning";
  readonly id?: string;
  readonly summary: readonly { readonly type: "summary_text"; readonly text: string }[];
  readonly encrypted_content?: string | null;
};
export type ItemReference = { readonly type: "item_reference"; readonly id: string };
export type Item = MessageItem | FunctionCall | FunctionOutput | Reasoning;

export type FunctionTool = {
  readonly type: "function";
  readonly name: string;
  readonly description?: string | null;
  readonly parameters?: Readonly<Record<string, unknown>> | null;
  readonly strict?: boolean | null;
};

/** The tool that the server runs. */
export type SearchTool = { readonly type: "web_search" };

type ToolChoice =
  | "none"
  | "auto"
  | "required"
  | { readonly type: "function"; readonly name: string }
  | { readonly type: "web_search" };

export type TextFormat = {
  readonly type: string;
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly strict?: boolean | null;
};

export type ResponsesRequest = {
  readonly model: string;
  readonly input: string | readonly (Item | ItemReference)[];
  readonly instructions?: string | null;
  readonly tools?: readonly (FunctionTool | SearchTool)[];
  readonly tool_choice?: ToolChoice | null;
  readonly parallel_tool_calls?: boolean | null;
  readonly max_output_tokens?: number | null;
  readonly reasoning?: { readonly effort?: string | null; readonly summary?: string | null } | null;
  readonly text?: { readonly format?: TextFormat; readonly verbosity?: string | null } | null;
  readonly include?: readonly string[] | null;
  readonly store?: boolean | null;
  readonly previous_response_id?: string | null;
  readonly temperature?: number | null;
  readonly top_p?: number | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly stream?: boolean | null;
  readonly stream_options?: unknown;
  readonly [field: string]: unknown;
};

export const ENCRYPTED_REASONING = "reasoning.encrypted_content";

/** True if reasoning is to be sent in a form that a client can give back. */
export const asksForEncrypted = ({ include }: ResponsesRequest): boolean =>
  include?.includes(ENCRYPTED_REASONING) ?? false;

/** True if the server stores its answers; it does by default. */
export const isStored = ({ store }: ResponsesRequest): boolean => store !== false;

/** The functions of a request, each with its place in the list. */
export const functionsOf = ({ tools = [] }: ResponsesRequest) =>
  tools.flatMap((tool, index) => (tool.type === "function" ? [{ tool, where: `tools.${index}` }] : []));

/** True if the model may search the web. */
export const asksForSearch = ({ tools = [] }: ResponsesRequest): boolean =>
  tools.some(({ type }) => type === "web_search");

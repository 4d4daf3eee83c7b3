import type { ImageBlock, JsonObject, TextBlock } from "./message.ts";
import type { Tool } from "./tool.ts";

export type McpServerStatus = "pending" | "connected" | "failed" | "needs-auth" | "disabled";

/** How a server is reached: as a separate program, over HTTP, or inside the program that drives Quoll. */
export type McpServerKind = "stdio" | "http" | "sse" | "sdk";

/**
 * The sources of server configurations, highest precedence first. `flag`: `--mcp-config`; `local`: the user's own file
 * for this project; `project`: `.mcp.json`; `program`: the program that drives Quoll.
 */
export const MCP_SCOPES = ["managed", "program", "flag", "local", "project", "user", "plugin"] as const;
export type McpScope = (typeof MCP_SCOPES)[number];

/** The scopes that a person can edit with `quoll mcp add`. */
export const EDITABLE_SCOPES = ["local", "project", "user"] as const satisfies readonly McpScope[];
export type EditableScope = (typeof EDITABLE_SCOPES)[number];

/** A configured server that does not start. Every text of the left-out server is safe to print. */
export type LeftOutServer = {
  readonly name: string;
  readonly scope: McpScope;
  /**
   * `new`, `changed`: a person must approve it first; `refused`: a person refused it; `untrusted`: its folder is not
   * trusted; `overridden`: a stronger scope has a server with this name; `same`: another server has the same program or
   * address; `forbidden`: the administrator forbids it.
   */
  readonly reason: "new" | "changed" | "refused" | "untrusted" | "overridden" | "same" | "forbidden";
  /** One line: the reason, and what to do. */
  readonly why: string;
};

/**
 * The state of one server, for people and for the first line of a headless session. Every text of the server's state is
 * safe to print.
 */
export type McpServerState = {
  /** The server's name in the configuration. */
  readonly name: string;
  readonly kind: McpServerKind;
  readonly scope: McpScope;
  readonly status: McpServerStatus;
  /** True if a person is logged in to the server, or the configuration's client is. */
  readonly hasLogin?: true;
  /** One line: why the server failed, or what it needs. */
  readonly error?: string;
  /** True if the server failed because it did not answer within its start limit. */
  readonly isLate?: true;
  /** The prefix of the names of the server's tools, such as `mcp__github__`. */
  readonly toolPrefix: string;
  readonly tools: number;
  /** The name and version that the server reports, and its description or title. */
  readonly program?: { readonly name: string; readonly version: string; readonly about?: string };
  /** The server's own instructions for the model. */
  readonly instructions?: string;
  /** The number of resources and prompts that the server offers; absent if there are none. */
  readonly resources?: number;
  readonly prompts?: number;
  /** The newest warnings that the server logged, oldest first: one line each. */
  readonly warnings?: readonly string[];
  /** The changes and omissions that Quoll made in the server's tools and texts, one line each. */
  readonly notes: readonly string[];
};

/** Data that a server offers by its URI. Every text of the resource is the server's own, and safe to print. */
export type McpResource = {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
};

/** A family of resources: `uriTemplate` has parts to fill in (RFC 6570). */
export type McpResourceTemplate = Omit<McpResource, "uri" | "size"> & { readonly uriTemplate: string };

/** A prompt that a server offers. Every text of the prompt is the server's own and safe to print, except the names. */
export type McpPrompt = {
  readonly server: string;
  readonly name: string;
  readonly description?: string;
  /** In the server's order. */
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string;
    readonly isRequired: boolean;
  }[];
};

/** A server asks for an answer of the model (MCP sampling). The texts of the request are untrusted and unchanged. */
export type McpSampling = {
  readonly server: string;
  readonly systemPrompt?: string;
  readonly messages: readonly McpSamplingMessage[];
  readonly maxTokens: number;
};

export type McpSamplingMessage = {
  readonly role: "user" | "assistant";
  readonly content: readonly (TextBlock | ImageBlock)[];
};

export type McpSamplingReply = {
  readonly text: string;
  readonly model: string;
  readonly stopReason: "endTurn" | "maxTokens";
};

/** The result of replacing the set of servers, by name. `errors`: the reason why an added server is not connected. */
export type McpExchange = {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly errors: Readonly<Record<string, string>>;
};

/** The servers of a session and their tools. A server that fails never ends the session. */
export interface McpServers {
  /** The servers in the order of the configuration. */
  readonly states: readonly McpServerState[];
  /**
   * The tools of every server that has connected, including lost servers: the next call of a tool restarts its
   * server.
   */
  tools(): readonly Tool[];
  /** Resolves when no server is starting any more. Never rejects. */
  settled(): Promise<void>;
  /** Called when a state or the list of tools has changed. @returns the function that ends the subscription. */
  onChanged(listener: () => void): () => void;
  /**
   * Reconnects a server. Never rejects; the server's state shows the outcome.
   * @returns false when there is no such server.
   */
  reconnect(name: string): Promise<boolean>;
  /**
   * Disables a server until it is enabled again, or enables it. Never rejects.
   * @returns false when there is no such server.
   */
  setEnabled(name: string, enabled: boolean): Promise<boolean>;
  /**
   * Logs a person in to a server with the browser, and reconnects the server.
   * @returns one line that says where the login is stored.
   * @throws {Error} (as a rejection) one line if the login failed.
   */
  logIn(name: string, prompt: McpLoginPrompt, signal: AbortSignal): Promise<string>;
  /**
   * Removes a server's login, and ends its connection.
   * @returns one line.
   * @throws {Error} (as a rejection) one line if the logout failed.
   */
  logOut(name: string, signal: AbortSignal): Promise<string>;
  /** Ends every connection and every process that was started. Never rejects. */
  close(): Promise<void>;
}

/**
 * Carries one JSON-RPC message to a server inside the program that drives Quoll.
 * @returns the server's answer to a request; for a notification, the value has no meaning.
 */
export type McpLink = (server: string, message: JsonObject, signal: AbortSignal) => Promise<JsonObject | undefined>;

/**
 * A question that a server asks the person during a call (MCP elicitation). The texts of the question are untrusted and
 * unchanged.
 */
export type McpElicitation = {
  readonly server: string;
  readonly message: string;
  /** `form`: fields by a JSON schema; `url`: a page to open. */
  readonly mode: "form" | "url";
  readonly requestedSchema?: JsonObject;
  readonly url?: string;
  /** True if Quoll itself asks about the server: the message is then Quoll's own. */
  readonly isOwn?: true;
};

export type McpElicitationReply =
  | { readonly action: "accept"; readonly content?: JsonObject }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** The person's side of a login to an MCP server. */
export type McpLoginPrompt = {
  /** Shows the address of the login page. `isOpened`: a browser was started with the address. */
  show(address: string, isOpened: boolean): void;
  /** Shows another line to the person. */
  notify(line: string): void;
  /** Asks a question with yes or no. Absent if nobody can answer the question, which then counts as refused. */
  confirm?(question: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Reads the address of the last login page, which the person pastes from a browser on another machine; undefined if
   * there is no more input. Absent if the person can't paste an address.
   */
  paste?(signal: AbortSignal): Promise<string | undefined>;
};

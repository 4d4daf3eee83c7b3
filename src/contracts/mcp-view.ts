import type { LeftOutServer, McpResource, McpResourceTemplate, McpServerState } from "./mcp.ts";

/** MCP servers and their tools that a person can see and change. */
export type McpView = {
  /** Resolves when the servers of a newly started session are known. Never rejects. */
  known(): Promise<void>;
  states(): readonly McpServerState[];
  /** Configured servers that do not start. */
  leftOut(): readonly LeftOutServer[];
  /**
   * `tokens`: the estimated tokens of the tool's declaration in a request. `isDeferred`: no request contains the tool's
   * declaration.
   */
  tools(): readonly {
    readonly name: string;
    readonly summary: string;
    readonly tokens: number;
    readonly isDeferred: boolean;
  }[];
  /** A server's resources, prompts and last log lines; each line is safe to print. */
  contents(name: string): McpServerContents;
  /** Never rejects; the server's state shows the outcome. @returns false when there is no such server. */
  reconnect(name: string): Promise<boolean>;
  /** For this session. @returns as `reconnect`. */
  setEnabled(name: string, isEnabled: boolean): Promise<boolean>;
  /**
   * Logs in with the person's browser, and reconnects the server. `waiting` is called when the browser has been
   * started.
   * @throws {Error} (as a rejection) one line if the login failed; the abort reason.
   */
  logIn(name: string, waiting: () => void, signal: AbortSignal): Promise<McpLoginStep>;
  /**
   * Continues a login with the address of the last page in a browser on another machine.
   * @returns one line.
   * @throws as `logIn`.
   */
  pasteLogin(name: string, address: string): Promise<string>;
  /** Removes the login. @returns one line. @throws as `logIn`. */
  logOut(name: string, signal: AbortSignal): Promise<string>;
  /** Reads the files again: starts servers that were added, and ends those that were removed or have changed. */
  reload(): Promise<McpReload>;
  /**
   * The programs that a project's server would start, and a hash of this content; undefined if no content waits for
   * approval.
   */
  pendingApproval(name: string): Promise<{ readonly lines: readonly string[]; readonly mark: string } | undefined>;
  /** Approves and starts a project's server. `isApproved` is false if the server's content does not match this mark. */
  approve(name: string, mark: string): Promise<{ readonly isApproved: boolean; readonly problem?: string }>;
};

export type McpServerContents = {
  readonly resources: readonly (McpResource | McpResourceTemplate)[];
  /** `command`: the name of the prompt's command; `hint`: its arguments. */
  readonly prompts: readonly { readonly command: string; readonly hint?: string; readonly description?: string }[];
  /** The end of the program's stderr. */
  readonly stderr: readonly string[];
};

/** `line`: the login is done. `address`: no browser could be started, so the person opens this page; the login waits. */
export type McpLoginStep = { readonly line: string } | { readonly address: string };

/** The servers that a reload changed, by name. */
export type McpReload = {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** One line each. */
  readonly warnings: readonly string[];
};

/** The sentence of the MCP specification (2025-11-25) that a scenario tests, by the scenario's name. */
export const SPEC_SENTENCES: Readonly<Record<string, string>> = {
  initialize: "The initialization phase MUST be the first interaction between client and server.",
  tools_call: "To invoke a tool, clients send a tools/call request.",
  "elicitation-sep1034-client-defaults":
    "Clients that support defaults SHOULD pre-populate form fields with these values.",
  "sse-retry":
    "The client MUST respect the retry field, waiting the given number of milliseconds before attempting to reconnect.",
  "server-initialize": "The server MUST respond with its own capabilities and information.",
  ping: "The receiver MUST respond promptly with an empty response.",
  "tools-list": "To discover available tools, clients send a tools/list request.",
  "logging-set-level": "To configure the minimum log level, clients MAY send a logging/setLevel request.",
  "dns-rebinding-protection":
    "Servers MUST validate the Origin header on all incoming connections to prevent DNS rebinding attacks.",
};

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
  "auth/metadata-default":
    "MCP clients MUST support both discovery mechanisms and use the resource metadata URL from the parsed WWW-Authenticate headers when present.",
  "auth/metadata-var1":
    "MCP clients MUST attempt multiple well-known endpoints when discovering authorization server metadata.",
  "auth/metadata-var2":
    "For issuer URLs with path components, clients MUST try endpoints in the following priority order.",
  "auth/metadata-var3":
    "For issuer URLs with path components, clients MUST try endpoints in the following priority order.",
  "auth/basic-cimd": "MCP clients and authorization servers SHOULD support OAuth Client ID Metadata Documents.",
  "auth/scope-from-www-authenticate":
    "Use scope parameter from the initial WWW-Authenticate header in the 401 response, if provided.",
  "auth/scope-from-scopes-supported":
    "If scope is not available, use all scopes defined in scopes_supported from the Protected Resource Metadata document.",
  "auth/scope-omitted-when-undefined": "Omitting the scope parameter if scopes_supported is undefined.",
  "auth/scope-step-up": "Clients acting on behalf of a user SHOULD attempt the step-up authorization flow.",
  "auth/scope-retry-limit": "Clients SHOULD implement retry limits and SHOULD track scope upgrade attempts.",
  "auth/pre-registration":
    "MCP clients SHOULD support an option for static client credentials such as those supplied by a preregistration flow.",
  "auth/resource-mismatch":
    "The resource parameter MUST identify the MCP server that the client intends to use the token with.",
  "auth/token-endpoint-auth-basic":
    "MCP clients MUST support both discovery mechanisms to obtain the information required to interact with the authorization server.",
  "auth/token-endpoint-auth-post":
    "MCP clients MUST support both discovery mechanisms to obtain the information required to interact with the authorization server.",
  "auth/token-endpoint-auth-none":
    "MCP clients MUST support both discovery mechanisms to obtain the information required to interact with the authorization server.",
};

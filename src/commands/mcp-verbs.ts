/** The words that are typed before a server's name. */
export const MCP_VERBS: Readonly<Record<string, string>> = {
  tools: "lists its tools",
  resources: "lists its resources",
  prompts: "lists its prompts",
  log: "shows its log",
  reconnect: "connects again",
  disable: "switches it off",
  enable: "switches it on",
  login: "logs in",
  logout: "logs out",
  approve: "allows a server of the project",
};

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of a plugin, not templates
/** A server with one tool, in plain JavaScript: it has no dependencies, so it runs from any folder. */
const SERVER = `
import { createInterface } from "node:readline";
const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize")
    send(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "till", version: "1" } });
  if (method === "tools/list")
    send(id, { tools: [{ name: "price", description: "The price of a thing", inputSchema: { type: "object", properties: {} } }] });
  if (method === "tools/call")
    send(id, { content: [{ type: "text", text: "price 42 with data in " + process.env.CLAUDE_PLUGIN_DATA }] });
});
`;

/** A plugin in the published layout, with one part of each kind. Its hook writes its folders to `hook-ran` at each call of Bash. */
export const SHOP_PLUGIN: Readonly<Record<string, string>> = {
  ".claude-plugin/plugin.json": JSON.stringify({
    name: "shop",
    version: "1.0.0",
    description: "Helps in a shop",
    author: { name: "Ann" },
  }),
  "skills/greet/SKILL.md":
    "---\nname: greet\ndescription: Greets customers\nallowed-tools: Bash(echo *)\n---\nGreet $ARGUMENTS from ${CLAUDE_PLUGIN_ROOT}.\n",
  "commands/close.md": "---\ndescription: Closes the shop\n---\nClose the shop now.\n",
  "agents/clerk.md": "---\nname: clerk\ndescription: Sells\n---\nSell.\n",
  "hooks/hooks.json": JSON.stringify({
    description: "Writes down calls",
    hooks: {
      PreToolUse: [
        { matcher: "Bash", hooks: [{ type: "command", command: 'bash "${CLAUDE_PLUGIN_ROOT}/scripts/note.sh"' }] },
      ],
    },
  }),
  "scripts/note.sh": 'cat > /dev/null; echo "$CLAUDE_PLUGIN_ROOT $QUOLL_PLUGIN_DATA" > hook-ran\n',
  // Without `mcpServers` around it, as many plugins have it.
  ".mcp.json": JSON.stringify({
    till: { command: process.execPath, args: ["${CLAUDE_PLUGIN_ROOT}/server.mjs"] },
  }),
  "server.mjs": SERVER,
  "output-styles/terse.md": "---\nname: terse\ndescription: Few words\n---\nAnswer in three words.\n",
  ".lsp.json": "{}",
};

/** Files of a folder below another one. */
export function below(folder: string, files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));
}

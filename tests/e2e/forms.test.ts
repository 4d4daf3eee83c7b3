import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { eventually } from "../support/eventually.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

/** An MCP server whose tool asks the person for a word. */
const SERVER = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const schema = { type: "object", properties: { word: { type: "string", title: "Word" } }, required: ["word"] };
let call;
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === "initialize")
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "forms", version: "1" } } });
  else if (method === "tools/list") {
    require("fs").writeFileSync("asked-for-tools", "");
    send({ id, result: { tools: [{ name: "ask", description: "Asks.", inputSchema: { type: "object", properties: {} } }] } });
  } else if (method === "tools/call") {
    call = id;
    send({ id: "form", method: "elicitation/create", params: { message: "Say a word.", requestedSchema: schema } });
  } else if (id === "form" && call !== undefined) send({ id: call, result: { content: [{ type: "text", text: "asked" }] } });
  else if (id !== undefined && method) send({ id, result: {} });
});
`;
const WORD = "zanzibar-kettle-9";

test("the text of a form that the person leaves with ctrl+c reaches neither model, history nor log", async () => {
  await using place = await quollPlace({
    scenario: [reply([toolUse("mcp__forms__ask", {})]), reply("Hello.")],
    files: { "server.cjs": SERVER },
  });
  const servers = JSON.stringify({ mcpServers: { forms: { command: process.execPath, args: ["server.cjs"] } } });
  await using terminal = terminalProcess(
    [...QUOLL, "--trust", "--mcp-config", servers, "--allowed-tools", "mcp__forms"],
    {
      columns: 80,
      rows: 24,
      cwd: place.project.dir,
      env: place.environmentOf({}),
    },
  );
  // A prompt waits for the tools of a server no longer than a second.
  await eventually("the request for the server's tools", () => existsSync(place.project.path("asked-for-tools")));
  await terminal.shows("? for keys");
  terminal.type("go\r");
  await terminal.shows("The MCP server forms asks you");
  await terminal.asks();
  terminal.type(WORD);
  await terminal.shows(WORD);
  terminal.type("\u0003");
  await terminal.shows("Interrupted.");
  await terminal.shows(() => !terminal.screen.includes(WORD));
  terminal.type("\r");
  terminal.type("hello\r");
  await terminal.shows("● Hello.");
  await terminal.leaves();
  expect(JSON.stringify(place.sent())).not.toContain(WORD);
  const written = await readdir(place.home.dir, { recursive: true, withFileTypes: true });
  for (const file of written.filter((one) => one.isFile()))
    expect(await readFile(join(file.parentPath, file.name), "utf8")).not.toContain(WORD);
});

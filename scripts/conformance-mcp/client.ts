/**
 * The client that the conformance suite starts: it lets the built program talk with the server of the scenario, as a user
 * would have it. The server's URL is the last argument, and the scenario's name is in MCP_CONFORMANCE_SCENARIO. Exits
 * with the program's exit code.
 */
import { quollPlace } from "../../tests/support/quoll-process.ts";
import { control, type StreamLine, said, streamClient } from "../../tests/support/stream-client.ts";
import { playOf } from "./plays.ts";

const url = process.argv.at(-1) ?? "";
const play = playOf(process.env["MCP_CONFORMANCE_SCENARIO"] ?? "");
const context: unknown = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}");
process.exit(await run());

async function run(): Promise<number> {
  await using here = await quollPlace({ scenario: play.model });
  const entry = { type: "http", url, ...play.entry?.(context) };
  const config = JSON.stringify({ mcpServers: { suite: entry } });
  await play.before?.({ here, config, context });
  await using quoll = streamClient(here, ["--mcp-config", config, "--allowed-tools", "mcp__suite"]);
  const answered = answerQuestions(quoll);
  // Only a client that introduces itself is asked the questions of servers.
  quoll.send(control("start", { subtype: "initialize" }), said("go"));
  await quoll.until("the turn's result", ({ type }) => type === "result");
  answered();
  quoll.end();
  const code = await quoll.ended();
  const [state] = (quoll.lines.find(({ subtype }) => subtype === "init")?.["mcp_servers"] ?? []) as readonly unknown[];
  console.error(`${JSON.stringify(state)}\n${JSON.stringify(quoll.results().at(-1))}\n${quoll.err()}`);
  return code;
}

/** Accepts each form of the server without a value, so that the program fills in the defaults. */
function answerQuestions(quoll: ReturnType<typeof streamClient>): () => void {
  const answered = new Set<unknown>();
  const look = ({ type, request_id, request }: StreamLine) => {
    const isForm = (request as { subtype?: string } | undefined)?.subtype === "elicitation";
    if (type !== "control_request" || !isForm || answered.has(request_id)) return;
    answered.add(request_id);
    const response = { subtype: "success", request_id, response: { action: "accept", content: {} } };
    quoll.send({ type: "control_response", response });
  };
  const timer = setInterval(() => quoll.lines.forEach(look), 10);
  return () => clearInterval(timer);
}

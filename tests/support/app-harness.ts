import { reply, type Scenario, type ScenarioRequest, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { type App, openApp } from "../../src/app/open-app.ts";
import { openSession } from "../../src/app/session/open-session.ts";
import type { Session, SessionPorts } from "../../src/app/session/session.ts";
import type { AgentScope } from "../../src/contracts/agent-scope.ts";
import type { EventEnvelope } from "../../src/contracts/event.ts";
import type { SessionConfig } from "../../src/contracts/session-config.ts";
import { tempProject } from "./temp-project.ts";

export const MODEL = "claude-sonnet-4-5";

/** The text of the last message, and a flag that is true if it contains the result of a call. */
function lastOf({ body }: ScenarioRequest): { readonly text: string; readonly isResult: boolean } {
  const messages = (body as { messages: { content: unknown }[] }).messages;
  const blocks = messages.at(-1)?.content as { type: string; text?: string; content?: unknown }[];
  const isResult = blocks.some(({ type }) => type === "tool_result");
  return { text: blocks.map(({ text, content }) => text ?? JSON.stringify(content)).join("\n"), isResult };
}

/** A prompt that ends with `Tool {input}` is answered by that call, and a result is repeated as the answer. */
function obeying(request: ScenarioRequest) {
  const { text, isResult } = lastOf(request);
  const [, name = "", input = "{}"] = /(?:^|\n)((?:mcp__|[A-Z])\w+) (\{.*\})$/.exec(text) ?? [];
  if (isResult || name === "") return reply(text.slice(-500), { usage: { inputTokens: 1_000, outputTokens: 10 } });
  return reply([toolUse(name, JSON.parse(input))], { usage: { inputTokens: 1_000, outputTokens: 10 } });
}

/** One process: an app with its own home and a model, which follows the prompt if there is no scenario. */
export async function oneProcess(scenario: Scenario = obeying) {
  const home = await tempProject();
  const twin = await startTwin({ scenario });
  const environment = {
    HOME: home.dir,
    PATH: process.env["PATH"] ?? "",
    ANTHROPIC_API_KEY: "key",
    ANTHROPIC_BASE_URL: twin.url,
  };
  const app = openApp({ version: "0.0.0", environment });
  return {
    app,
    home,
    twin,
    async [Symbol.asyncDispose]() {
      await app.close();
      await twin.close();
      await home[Symbol.asyncDispose]();
    },
  };
}

export async function sessionIn(
  app: App,
  cwd: string,
  more: Partial<SessionConfig> = {},
  ports: Partial<SessionPorts> = {},
) {
  const events: EventEnvelope[] = [];
  const warnings: string[] = [];
  const config: SessionConfig = {
    ...{ cwd, answerer: "program", conversation: { kind: "new" }, isSaved: true, model: MODEL, isTrusted: true },
    ...more,
  };
  const session = await openSession(app, config, { startupWarning: (line) => void warnings.push(line), ...ports });
  session.agents.subscribe((envelope) => void events.push(envelope));
  return { session, events, warnings };
}

/** A prompt at which the model makes this call. */
export const call = (name: string, input: object) => `${name} ${JSON.stringify(input)}`;
export const bash = (command: string) => call("Bash", { command, description: "A test" });

export async function runIn(session: Session, scope: AgentScope, prompt: string) {
  const agent = await session.main.spawn(scope);
  try {
    return { agent: agent.source, report: await agent.run(prompt) };
  } finally {
    await agent.close();
  }
}

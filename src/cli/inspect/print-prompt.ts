import { formatCount } from "@quoll/terminal-text/format-amount";
import { openApp } from "../../app/open-app.ts";
import { sectionsOf } from "../../app/session/actions/session-context-report.ts";
import { openSession } from "../../app/session/open-session.ts";
import { CHARS_PER_TOKEN, JSON_CHARS_PER_TOKEN } from "../../contracts/token-estimate.ts";
import { host, printProblem } from "../../platform/host.ts";
import { printOut, printText } from "../../platform/standard-output.ts";
import { memoryParts } from "../../services/context/memory/memory-element.ts";
import type { PromptOptions } from "../invocation.ts";
import { sessionConfigOf } from "../session/session-config.ts";
import { mcpOf, sessionTexts } from "../session/session-texts.ts";

/**
 * `quoll config get prompt`: the system prompt and the first message, without the user's words, as a new session with
 * these options would send them (with `-p` as one in which nobody answers questions). No request is sent to a model and
 * nothing is saved.
 */
export async function printPrompt(options: PromptOptions, version: string): Promise<number> {
  const { continue: _continue, resume, forkSession, ...fresh } = options;
  const { systemPrompt } = await sessionTexts(options);
  const unsaved = { ...fresh, model: "offline", sessionPersistence: false };
  const facts = {
    startedIn: host().cwd,
    answerer: options.print ? "nobody" : "person",
    ...(systemPrompt && { systemPrompt }),
    ...mcpOf(options),
  } as const;
  const ports = { startupWarning: printProblem };
  const session = await openSession(openApp({ version }), sessionConfigOf(unsaved, facts), ports);
  session.agents.subscribe(({ event }) => (event.type === "notice" ? printProblem(event.message) : undefined));
  try {
    const { engine, registry } = session.main;
    const { system } = engine;
    const firstMessage = await engine.userMessages.preview();
    const tools = registry.declarations;
    const sections = sectionsOf(session);
    if (options.json) printOut(`${JSON.stringify({ system, sections, tools, firstMessage }, null, 2)}\n`);
    else {
      const parts = [
        ["System prompt", `${tokens(system, CHARS_PER_TOKEN)}: ${sections.map(({ name }) => name).join(", ")}`, system],
        ["Tools", tokens(JSON.stringify(tools), JSON_CHARS_PER_TOKEN), registry.names.join(" ")],
        ["First message", firstMessageSize(firstMessage), firstMessage.join("\n")],
      ];
      printText(parts.map(([title, size, text]) => `=== ${title}: ${size} ===\n${text}\n`).join("\n"));
    }
    return 0;
  } finally {
    await session.close();
  }
}

/** The tokens of the first message, and those of the project's memory in it. */
function firstMessageSize(texts: readonly string[]): string {
  const memory = texts.flatMap(memoryParts).reduce((all, { text }) => all + text, "");
  const size = tokens(texts.join(""), CHARS_PER_TOKEN);
  return memory === "" ? size : `${size}, memory ${tokens(memory, CHARS_PER_TOKEN)}`;
}

function tokens(text: string, charsPerToken: number): string {
  return `about ${formatCount(Math.ceil(text.length / charsPerToken))} tokens`;
}

import { UserFacingError } from "../contracts/errors.ts";
import { agentsRemark } from "../faces/headless/agents.ts";
import type { SessionSetup } from "../faces/headless/initialize-request.ts";
import { inputLines } from "../faces/headless/input-lines.ts";
import { runSession } from "../faces/headless/run-session.ts";
import type { OpenSession, SessionPorts } from "../faces/headless/session-props.ts";
import { randomIds, systemClock } from "../platform/clock.ts";
import { complain } from "../platform/host.ts";
import { openOutput } from "./open-output.ts";
import { outputShape } from "./output-shape.ts";
import type { SessionOptions } from "./program.ts";
import { decider, permissionChanges, STDIO_PROMPTS } from "./prompt-tool.ts";
import { sessionAnswers } from "./session-answers.ts";
import { catalogueLine, modelLimits, modelLines } from "./session-catalogue.ts";
import { commandRunner, sessionCommands } from "./session-commands.ts";
import { initLine } from "./session-lines.ts";
import { sessionServers } from "./session-servers.ts";
import { type SessionTexts, sessionTexts } from "./session-texts.ts";
import { type Wired, wire } from "./wire.ts";

/** `--input-format stream-json`: a program speaks to us in lines of JSON until it has no more to say. */
export async function runStream(prompt: string | undefined, options: SessionOptions, version: string): Promise<number> {
  check(options);
  for (const option of options.ignored ?? []) warn(`the option ${option} is not known here and was left out`);
  const texts = await sessionTexts(options);
  const remark = agentsRemark(texts.agents);
  if (remark !== undefined) warn(remark);
  const over = new AbortController();
  const output = openOutput(() => over.abort(new Error("The session is ended.")));
  const opened: { wired?: Wired } = {};
  const open = async (setup: SessionSetup, ports: SessionPorts) => {
    const wired = await wireSession({ options, version, texts, setup, ports, signal: over.signal });
    opened.wired = wired;
    return openSession(wired, { options, version, texts });
  };
  try {
    await runSession({
      lines: inputLines(process.stdin),
      open,
      clock: systemClock,
      ids: randomIds,
      partial: options.includePartialMessages ?? false,
      replay: options.replayUserMessages ?? false,
      ...(prompt !== undefined && prompt.trim() !== "" && { prompt }),
      out: output.write,
      err: warn,
      signal: over.signal,
    });
    return output.exitCode ?? 0;
  } finally {
    process.stdin.destroy();
    const ended = (await opened.wired?.close()) ?? [];
    if (ended.length > 0) warn(`ended what still ran in the background: ${ended.join(", ")}`);
    output.close();
  }
}

/** @throws {UserFacingError} (exit 2) options that don't go together. */
function check({ outputFormat, resume }: SessionOptions): void {
  if (outputFormat !== "stream-json")
    throw new UserFacingError("--input-format stream-json needs --output-format stream-json.", 2);
  if (resume === true)
    throw new UserFacingError("--resume needs a session's id here (--continue takes the newest).", 2);
}

type Wishes = { readonly options: SessionOptions; readonly version: string; readonly texts: SessionTexts };

/** Puts the session together from what the command line and the program's first words say; the latter go first. */
async function wireSession(
  wishes: Wishes & { readonly setup: SessionSetup; readonly ports: SessionPorts; readonly signal: AbortSignal },
) {
  const { options, version, texts, setup, ports, signal } = wishes;
  const instead = setup.systemPrompt ?? texts.systemPrompt?.instead;
  const behind = setup.appendSystemPrompt ?? texts.systemPrompt?.behind;
  const shape = setup.jsonSchema ? await outputShape(setup.jsonSchema, "jsonSchema") : texts.shape;
  const { mcpServers } = setup;
  const given = Object.keys(mcpServers).length > 0 ? [JSON.stringify({ mcpServers })] : [];
  const configs = [...(options.mcpConfig ?? []), ...given];
  const elicit = ports.elicit && { elicit: ports.elicit };
  const wired = await wire({
    options,
    version,
    answerer: options.permissionPromptTool === undefined ? "nobody" : "program",
    warn,
    hooks: ports.hooks,
    systemPrompt: { ...(instead !== undefined && { instead }), ...(behind !== undefined && { behind }) },
    ...(shape && { shape }),
    mcp: { configs, inProcess: setup.sdkServers, link: ports.link, signal, ...elicit },
  });
  if (wired.choice.provider === "offline" && wired.choice.fallback)
    warn("no model is configured, so the offline engine answers (set ANTHROPIC_API_KEY for a model)");
  return wired;
}

function openSession(wired: Wired, { options, version, texts }: Wishes): OpenSession {
  const { engine } = wired;
  const { permissionPromptTool: tool } = options;
  const commands = sessionCommands().map(({ name }) => name);
  return {
    engine,
    mcp: sessionServers(wired, warn),
    answers: sessionAnswers(wired),
    version,
    agents: texts.agents,
    init: () => initLine(wired, { version, commands }),
    command: commandRunner(wired),
    catalogue: () => catalogueLine(wired),
    models: () => modelLines(wired),
    limits: (model) => modelLimits(model, wired),
    ...permissionChanges(wired, options),
    ...(tool !== undefined && tool !== STDIO_PROMPTS && { decide: decider(tool, wired, options).ask }),
  };
}

function warn(line: string): void {
  complain(`quoll: ${line}`);
}

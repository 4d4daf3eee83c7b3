import { openApp } from "../../app/open-app.ts";
import { openSession } from "../../app/session/open-session.ts";
import { nearestNames } from "../../contracts/did-you-mean.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import type { PermissionDenial } from "../../contracts/event.ts";
import type { ServedSession } from "../../contracts/served-session.ts";
import { remedyLine } from "../../faces/headless/remedy-line.ts";
import { AGENT_TOOL } from "../../faces/mcp-server/agent-tool.ts";
import type { ServePorts } from "../../faces/mcp-server/serve-connection.ts";
import { serveStdio } from "../../faces/mcp-server/serve-stdio.ts";
import { host, printError } from "../../platform/host.ts";
import type { McpServeOptions } from "../invocation.ts";
import { sessionConfigOf } from "../session/session-config.ts";
import { mcpOf } from "../session/session-texts.ts";
import { watchSignals } from "../signals.ts";
import { servedSession } from "./served-session.ts";

/** `quoll mcp serve`: Quoll's tools for another program, until that program ends the connection. */
export async function serveMcp(options: McpServeOptions, version: string): Promise<number> {
  const over = new AbortController();
  const signals = watchSignals(() => over.abort(new Error("The server is ended.")));
  await using app = openApp({ version });
  let failure: unknown;
  const ports: ServePorts = {
    version,
    filter: { only: options.tools, withOthers: options.withMcp === true },
    open: (canAsk) => open(app, options, canAsk),
    newId: () => app.ids.next(),
    remedy,
    failed: (error) => {
      failure = error;
      // The client gets the error as an answer first.
      setTimeout(() => over.abort(new Error("The session can't be opened.")), 0);
    },
  };
  const { stdin, stdout } = process;
  await serveStdio({ ...ports, stdin, stdout, signal: over.signal });
  signals.stop();
  if (failure !== undefined) throw failure;
  return signals.exitCode ?? 0;
}

async function open(
  app: ReturnType<typeof openApp>,
  options: McpServeOptions,
  canAsk: boolean,
): Promise<ServedSession> {
  const { tools, withMcp, ...wanted } = options;
  const all = { ...wanted, sessionPersistence: false, outputFormat: "text" } as const;
  const config = sessionConfigOf(all, {
    startedIn: host().cwd,
    answerer: canAsk ? "program" : "nobody",
    ...(withMcp && mcpOf(all)),
  });
  const warn = (line: string) => printError(`quoll: ${line}`);
  const session = await openSession(app, { ...config, tellsByEvents: true }, { warn });
  const served = servedSession(session);
  try {
    assertKnown(tools ?? [], served);
  } catch (error) {
    await session.close();
    throw error;
  }
  return served;
}

/** @throws {UserFacingError} (exit 2) a tool does not exist. */
function assertKnown(wanted: readonly string[], session: ServedSession): void {
  const names = [...session.tools().map(({ spec }) => spec.name), AGENT_TOOL];
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const [nearest] = nearestNames(unknown, names);
  const hint = nearest === undefined ? `there are ${names.join(", ")}.` : `did you mean ${nearest}?`;
  throw new UserFacingError(`--tools: there is no tool "${unknown}"; ${hint}`, 2);
}

function remedy(denials: readonly PermissionDenial[]): string | undefined {
  const line = remedyLine(denials);
  return line?.replace(/^To allow this next time, add/, "To allow this, start `quoll mcp serve` with");
}

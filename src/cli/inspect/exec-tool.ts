import { openApp } from "../../app/open-app.ts";
import { runOutsideCall } from "../../app/session/actions/run-outside-call.ts";
import { openSession } from "../../app/session/open-session.ts";
import type { Session } from "../../app/session/session.ts";
import { withoutAdvice } from "../../contracts/advice.ts";
import { MAIN_AGENT } from "../../contracts/agent.ts";
import { UnknownToolError, UserFacingError } from "../../contracts/errors.ts";
import type { EngineEvent } from "../../contracts/event.ts";
import { textOf } from "../../contracts/message.ts";
import type { OutsideResult } from "../../contracts/served-session.ts";
import type { Tool } from "../../contracts/tool.ts";
import { remedyLine } from "../../faces/headless/remedy-line.ts";
import { host, printProblem } from "../../platform/host.ts";
import { readSmallText } from "../../platform/private-file.ts";
import { printOut, printText } from "../../platform/standard-output.ts";
import { MAX_STDIN_BYTES, readStdin } from "../../platform/stdin.ts";
import type { ExecOptions } from "../invocation.ts";
import { sessionConfigOf } from "../session/session-config.ts";
import { mcpOf } from "../session/session-texts.ts";
import { watchSignals } from "../signals.ts";

/** Tools that change a file only after it was read. */
const WRITERS: ReadonlySet<string> = new Set(["Edit", "Write", "NotebookEdit"]);

/**
 * `quoll exec`: runs one tool call with the validation and permissions of a model's call. For Edit and Write the file
 * is read first, as a model would do.
 */
export async function execTool(name: string, options: ExecOptions, version: string): Promise<number> {
  const input = await readInput(options.input);
  const unsaved = { ...options, model: "offline", sessionPersistence: false };
  const isOfServer = name.startsWith("mcp__");
  const session = await openSession(
    openApp({ version }),
    {
      ...sessionConfigOf(unsaved, { startedIn: host().cwd, answerer: "nobody", ...(isOfServer && mcpOf(options)) }),
      asksNoModel: true,
    },
    { startupWarning: printProblem },
  );
  const abort = new AbortController();
  const signals = watchSignals(() => abort.abort(new Error("Interrupted.")));
  try {
    const tool = findTool(session, name);
    if (WRITERS.has(tool.spec.name))
      await runOne(
        session,
        "Read",
        { file_path: input["file_path"] ?? input["notebook_path"] ?? input["path"] },
        abort.signal,
      );
    const { result, denials } = await runOne(session, name, input, abort.signal);
    if (options.json) printOut(`${JSON.stringify(result, null, 2)}\n`);
    else printText(`${withoutAdvice(textOf(result.content))}\n`);
    if (signals.exitCode !== undefined) return signals.exitCode;
    const remedy = remedyLine(denials);
    if (remedy !== undefined) printProblem(remedy);
    if (denials.some(({ unanswered }) => unanswered)) return 4;
    return result.isError ? 1 : 0;
  } finally {
    signals.stop();
    await session.close();
  }
}

/** @throws {UserFacingError} (exit 2) the tool does not exist, or a deny rule removed it. */
function findTool({ main: { registry } }: Session, name: string): Tool {
  try {
    return registry.get(name).tool;
  } catch (cause) {
    throw cause instanceof UnknownToolError ? new UserFacingError(cause.message, 2, { cause }) : cause;
  }
}

function runOne(
  session: Session,
  name: string,
  input: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<OutsideResult> {
  const { app, debugging } = session;
  const emit = (event: EngineEvent) => debugging.log?.observe({ sessionId: "exec", ...MAIN_AGENT, event });
  return runOutsideCall(session.main, { id: app.ids.next(), name, input }, { signal, emit });
}

async function readInput(given: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await inputText(given);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new UserFacingError(`--input is not valid JSON: ${cause instanceof Error ? cause.message : cause}`, 2, {
      cause,
    });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UserFacingError(
      "--input must be a JSON object with the tool's fields (quoll show tool NAME lists them).",
      2,
    );
  }
  return { ...value };
}

async function inputText(given: string): Promise<string> {
  if (given === "-") {
    if (process.stdin.isTTY) throw new UserFacingError("--input -: stdin is a terminal: pipe the JSON in.", 2);
    const read = await readStdin(process.stdin);
    if (read.kind === "text") return read.text;
    throw new UserFacingError(
      read.kind === "silent" ? "--input -: nothing came on stdin." : "--input -: stdin is too large.",
      2,
    );
  }
  if (!given.startsWith("@")) return given;
  const file = given.slice(1);
  const text = await readSmallText(file, MAX_STDIN_BYTES).catch((cause: unknown) => {
    throw new UserFacingError(`--input: ${file} can't be read: ${cause instanceof Error ? cause.message : cause}`, 2, {
      cause,
    });
  });
  if (text === undefined) throw new UserFacingError(`--input: there is no file ${file}.`, 2);
  return text;
}

import type { UserInput } from "../contracts/engine.ts";
import { errorCode, UserFacingError } from "../contracts/errors.ts";
import { runHeadless } from "../faces/headless/run-headless.ts";
import { randomIds } from "../platform/clock.ts";
import { complain } from "../platform/host.ts";
import { FIRST_BYTE_MS, MAX_STDIN_BYTES, readStdin } from "../platform/stdin.ts";
import type { SessionOptions } from "./program.ts";
import { watchSignals } from "./signals.ts";
import { COMMAND_SPECS } from "./surface.ts";
import { type Wired, wire } from "./wire.ts";

/** `quoll -p`: one prompt, its answer, an exit code. */
export async function runPrint(prompt: string | undefined, options: SessionOptions, version: string): Promise<number> {
  if (options.resume === true) {
    throw new UserFacingError("--resume needs a session's id with -p (--continue takes the newest).", 2);
  }
  const input = await readInput(prompt);
  const wired = await wire({ options, version, canAsk: false, warn: (line) => complain(`quoll: ${line}`) });
  if (wired.choice.provider === "offline" && wired.choice.fallback) {
    complain("quoll: no model is configured, so the offline engine answers (set ANTHROPIC_API_KEY for a model)");
  }
  let isStdoutGone = false;
  const signals = watchSignals(() => wired.engine.interrupt());
  const onStdoutError = (error: Error) => {
    if (errorCode(error) !== "EPIPE") complain(`quoll: stdout: ${error.message}`);
    isStdoutGone = true;
    wired.engine.interrupt();
  };
  process.stdout.on("error", onStdoutError);
  try {
    const code = await runHeadless({
      engine: wired.engine,
      input,
      format: options.outputFormat,
      verbose: options.verbose ?? false,
      ids: randomIds,
      out: (text) => void (isStdoutGone || process.stdout.write(text)),
      err: (line) => complain(`quoll: ${line}`),
      init: initLine(wired, version),
    });
    if (isStdoutGone) return 0;
    return signals.exitCode ?? code;
  } finally {
    const ended = await wired.close();
    if (ended.length > 0) complain(`quoll: ended what still ran in the background: ${ended.join(", ")}`);
    signals.stop();
    process.stdout.off("error", onStdoutError);
  }
}

/** The prompt is the argument, with piped text beside it as data; without an argument the piped text is the prompt. */
async function readInput(prompt: string | undefined): Promise<UserInput> {
  const piped = process.stdin.isTTY ? "" : await readPiped();
  if (prompt !== undefined && prompt.trim() !== "") {
    const isEmpty = piped.trim() === "";
    return isEmpty ? { prompt } : { prompt, attachments: [{ type: "text", text: `<stdin>\n${piped}\n</stdin>` }] };
  }
  if (piped.trim() === "")
    throw new UserFacingError('There is no prompt: give one as an argument (quoll -p "…") or on stdin.', 2);
  return { prompt: piped };
}

async function readPiped(): Promise<string> {
  const read = await readStdin(process.stdin);
  switch (read.kind) {
    case "too-large":
      throw new UserFacingError(
        `stdin holds more than ${MAX_STDIN_BYTES / 1024 / 1024} MB: write it to a file and name that in the prompt.`,
        2,
      );
    case "silent":
      complain(
        `quoll: nothing came on stdin within ${FIRST_BYTE_MS / 1000} s: going on without it (use < /dev/null to say so at once)`,
      );
      return "";
    case "text":
      if (read.replacedInvalid) complain("quoll: stdin is not valid UTF-8: what could not be read was replaced");
      return read.text;
  }
}

function initLine({ engine, registry, workspace, choice }: Wired, version: string) {
  const { model, mode } = engine.state;
  return {
    cwd: workspace.cwd,
    tools: registry.names,
    mcp_servers: [],
    model,
    permissionMode: mode,
    slash_commands: COMMAND_SPECS.map(({ name }) => name),
    apiKeySource: choice.provider === "offline" ? "none" : "environment",
    output_style: "default",
    skills: [],
    plugins: [],
    agents: [],
    quoll_version: version,
  };
}

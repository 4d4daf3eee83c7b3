import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { parseOptions, type WireOptions } from "./options-json.ts";
import { parseScenario } from "./scenario-json.ts";
import { startTwin } from "./server.ts";

const USAGE = "usage: main.ts --scenario FILE.json [--options FILE.json] [--port N] [--loop]";
const MAX_PORT = 65_535;
/** The number of kept bodies, because a demo may run for days. */
const KEPT_BODIES = 20;

/** The part of `process` that the twin needs as a process of its own. */
type TwinProcess = {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  once(signal: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  off(signal: "SIGTERM" | "SIGINT", listener: () => void): unknown;
};

type Arguments = {
  readonly scenario: string;
  readonly options: string | undefined;
  readonly port: number;
  readonly loop: boolean;
};

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** @throws {Error} one line that describes the problem. */
function readArguments(argv: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      scenario: { type: "string" },
      options: { type: "string" },
      port: { type: "string" },
      loop: { type: "boolean" },
    },
  });
  const { scenario, options, port = "0", loop = false } = values;
  if (!scenario) throw new Error("--scenario is required");
  if (!/^\d+$/.test(port) || Number(port) > MAX_PORT) throw new Error(`--port ${port} is not a port`);
  return { scenario, options, port: Number(port), loop };
}

/** @throws {Error} one line that names the file and the problem. */
async function readJson<Value>(path: string, parse: (json: unknown) => Value): Promise<Value> {
  try {
    const json: unknown = JSON.parse(await readFile(path, "utf8"));
    return parse(json);
  } catch (error) {
    throw new Error(`${path}: ${message(error)}`, { cause: error });
  }
}

/** `stopped` resolves at the end of stdin, at SIGTERM and at SIGINT; `release` ends the listening. */
function listenForStop(host: TwinProcess): { stopped: Promise<void>; release: () => void } {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const onStop = () => stop();
  host.stdin.once("end", onStop).once("close", onStop).once("error", onStop).resume();
  host.once("SIGTERM", onStop);
  host.once("SIGINT", onStop);
  const release = () => {
    host.stdin.off("end", onStop).off("close", onStop).off("error", onStop).pause();
    host.off("SIGTERM", onStop);
    host.off("SIGINT", onStop);
  };
  return { stopped, release };
}

/**
 * Serves a scenario file until stdin ends or a signal comes. Prints one line of JSON, `{"url":"…"}`, when it listens.
 * @returns the exit code: 0; 1 if the scenario or the port cannot be used; 2 for wrong arguments. Errors are one line on stderr.
 */
export async function runTwin(argv: readonly string[], host: TwinProcess): Promise<number> {
  const complain = (text: string, code: number) => {
    host.stderr.write(`model-twin: ${text.replaceAll("\n", " ")}\n`);
    return code;
  };
  let options: Arguments;
  try {
    options = readArguments(argv);
  } catch (error) {
    return complain(`${message(error)}; ${USAGE}`, 2);
  }
  const { stopped, release } = listenForStop(host);
  try {
    const { port, loop } = options;
    const scenario = await readJson(options.scenario, parseScenario);
    const wires: WireOptions = options.options === undefined ? {} : await readJson(options.options, parseOptions);
    await using twin = await startTwin({ ...wires, scenario, port, loop, keptBodies: KEPT_BODIES });
    host.stdout.write(`${JSON.stringify({ url: twin.url })}\n`);
    await stopped;
    return 0;
  } catch (error) {
    return complain(message(error), 1);
  } finally {
    release();
  }
}

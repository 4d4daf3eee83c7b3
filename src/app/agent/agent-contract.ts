import { resolve } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import type { AgentReport, AuthorizedCall, SpawnedAgent } from "../../contracts/agent-scope.ts";
import { errorMessage, ToolFailedError } from "../../contracts/errors.ts";
import { addUsage } from "../../contracts/message.ts";
import { type OutputShape, readStructured } from "../../engine/structured-output.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import type { ContractCheck } from "../../services/agents/agent-result.ts";
import { type FileState, fileState, isSameState } from "../../services/agents/io/hash-files.ts";
import type { AgentExpect } from "../../services/tools/agent/agent.ts";
import { outputShape } from "../session/output-shape.ts";

/** The maximum time that Bash allows a command. */
const CHECK_TIMEOUT_MS = 600_000;
const MAX_FILES = 100;
const MAX_SHOWN_LINES = 10;
const MAX_SHOWN_CHARS = 2_000;
const MAX_PROBLEM_COLUMNS = 300;
const MAX_COMMAND_COLUMNS = 100;
const FENCE = /```(?:json)?[ \t]*\n([\s\S]*?)\n?```/g;

/** The files of a contract before its agent first started, by their absolute paths. */
export type FilesBefore = ReadonlyMap<string, FileState>;

/** An expectation that was not met, in one phrase; `output`: the last lines of a command. */
type Unmet = { readonly problem: string; readonly output?: string };

type ExpectedFile = { readonly given: string; readonly path: string; readonly before: FileState };

/**
 * The contract of an agent, ready to be checked: the state of files before the agent started, and a command that may
 * run.
 */
export class AgentContract {
  readonly #agent: SpawnedAgent;
  readonly #expect: AgentExpect;
  readonly #files: readonly ExpectedFile[];
  #command: AuthorizedCall | undefined;
  readonly #shape: OutputShape | undefined;

  private constructor(
    { agent, expect }: { readonly agent: SpawnedAgent; readonly expect: AgentExpect },
    files: readonly ExpectedFile[],
    { command, shape }: { readonly command: AuthorizedCall | undefined; readonly shape: OutputShape | undefined },
  ) {
    this.#agent = agent;
    this.#expect = expect;
    this.#files = files;
    this.#command = command;
    this.#shape = shape;
  }

  /**
   * Records the state of the files, and checks the permission of the command as a call of the agent.
   * @param known The files before the first start of an agent that is continued.
   * @param signal Ends the agent.
   * @throws {ToolFailedError} a path, the schema or the command can't be used, or the command is refused.
   */
  static async open(
    { agent, expect, known }: { agent: SpawnedAgent; expect: AgentExpect; known: FilesBefore | undefined },
    signal: AbortSignal,
  ): Promise<AgentContract> {
    const { files = [], command, schema } = expect;
    if (files.length > MAX_FILES) throw new ToolFailedError(`\`expect.files\` may name ${MAX_FILES} files at most.`);
    const shape = schema && (await outputShape({ schema, source: "`expect.schema`" }).catch(asToolError));
    const paths = files.map((given) => ({ given, path: pathOf(given, agent) }));
    const noted: ExpectedFile[] = [];
    for (const file of paths) {
      const before = known?.get(file.path) ?? (await fileState(file.path, signal));
      noted.push({ ...file, before });
    }
    const call = command === undefined ? undefined : await authorized(agent, command, signal);
    return new AgentContract({ agent, expect }, noted, { command: call, shape });
  }

  /** The recorded files, for the contract of the same agent when it is continued. */
  get filesBefore(): FilesBefore {
    return new Map(this.#files.map(({ path, before }) => [path, before]));
  }

  /**
   * Runs the agent's turn, tells the agent its contract, and checks the contract afterwards unless the turn was
   * stopped. An agent that answered is told once what was not met, and continues.
   */
  async run(prompt: string, signal: AbortSignal): Promise<{ report: AgentReport; check: ContractCheck }> {
    let report = await this.#agent.run(`${prompt}\n\n${this.#words()}`, signal);
    if (report.reason === "aborted") return { report, check: { state: "unchecked" } };
    let unmet = await this.#unmet(report, signal);
    if (unmet.length > 0 && report.reason === "completed" && (await this.#canRepeat(signal))) {
      report = joined(report, await this.#agent.run(this.#repeatRequest(unmet), signal));
      if (report.reason === "aborted") return { report, check: { state: "unchecked" } };
      unmet = await this.#unmet(report, signal);
    }
    if (unmet.length === 0) return { report, check: { state: "kept" } };
    return {
      report,
      check: { state: "broken", broken: unmet.map(({ problem }) => problem), output: outputOf(unmet) },
    };
  }

  /** Drops the command's permission if it was not used. */
  async close(): Promise<void> {
    await this.#command?.drop();
  }

  #words(): string {
    const { files = [], command, schema } = this.#expect;
    return [
      "Quoll itself checks your work when you end:",
      ...(files.length > 0 ? [`- These files must be created or changed: ${files.join(", ")}`] : []),
      ...(command === undefined ? [] : [`- This command must end with exit code 0: ${command}`]),
      ...(schema ? [`- Your last message must be JSON alone that fits this schema: ${JSON.stringify(schema)}`] : []),
    ].join("\n");
  }

  async #unmet({ reason, text }: AgentReport, signal: AbortSignal): Promise<readonly Unmet[]> {
    const files = await this.#brokenFiles(signal);
    const failed = await this.#commandFailure();
    const isOpen = this.#shape !== undefined && reason !== "completed";
    const problem = isOpen ? "the agent gave no complete answer" : this.#problemOf(text);
    return [
      ...files.map((one) => ({ problem: one })),
      ...(failed ? [failed] : []),
      ...(problem === undefined ? [] : [{ problem: `the answer does not fit the schema: ${problem}` }]),
    ];
  }

  /**
   * Checks the permission of the command again, because a permitted call runs only once.
   * @returns false if the command may not run again.
   */
  async #canRepeat(signal: AbortSignal): Promise<boolean> {
    const { command } = this.#expect;
    if (command === undefined) return true;
    try {
      this.#command = await authorized(this.#agent, command, signal);
      return true;
    } catch {
      signal.throwIfAborted();
      return false;
    }
  }

  #repeatRequest(unmet: readonly Unmet[]): string {
    const form = this.#shape ? ", as JSON alone" : "";
    const output = outputOf(unmet);
    return [
      "Quoll checked your work. Not met:",
      ...unmet.map(({ problem }) => `- ${problem}`),
      ...(output === "" ? [] : [`Output of the command:\n${output}`]),
      `Put this right, then send your whole answer again${form}.`,
    ].join("\n");
  }

  async #brokenFiles(signal: AbortSignal): Promise<string[]> {
    const broken: string[] = [];
    for (const { given, path, before } of this.#files) {
      const after = await fileState(path, signal);
      if (after === "missing") broken.push(`${given} does not exist`);
      else if (isSameState(before, after)) broken.push(`${given} was not changed`);
    }
    return broken;
  }

  async #commandFailure(): Promise<Unmet | undefined> {
    if (!this.#command) return undefined;
    const { text, isError, display } = await this.#command.run();
    const ended = display?.kind === "command" ? display : undefined;
    if (!isError && ended?.exitCode === 0) return undefined;
    const how = ended?.timedOut ? "ran out of time" : `ended with exit code ${ended?.exitCode ?? "unknown"}`;
    const name = oneLine(this.#expect.command ?? "", MAX_COMMAND_COLUMNS);
    const lines = text.trimEnd().split("\n").slice(-MAX_SHOWN_LINES).join("\n");
    return { problem: `the command \`${name}\` ${how}`, output: lines.slice(-MAX_SHOWN_CHARS) };
  }

  /** The reason why an answer does not match the schema; the last fenced block of an answer is also tried. */
  #problemOf(text: string): string | undefined {
    if (!this.#shape) return undefined;
    const fenced = [...text.matchAll(FENCE)].at(-1)?.[1];
    const read = [text, ...(fenced === undefined ? [] : [fenced])].map((one) => shaped(one, this.#shape));
    if (read.some((problem) => problem === undefined)) return undefined;
    return oneLine(read.at(-1) ?? "", MAX_PROBLEM_COLUMNS);
  }
}

function shaped(text: string, shape: OutputShape | undefined): string | undefined {
  const read = shape && readStructured(text, shape);
  return read && "problem" in read ? read.problem : undefined;
}

function outputOf(unmet: readonly Unmet[]): string {
  return unmet.find(({ output }) => output)?.output ?? "";
}

/** Absolute, links resolved. */
function pathOf(given: string, { workspace }: SpawnedAgent): string {
  const path = realPathOrSelf(resolve(workspace.cwd, given));
  if (!workspace.contains(path))
    throw new ToolFailedError(`\`expect.files\`: ${given} is outside the folders of this session.`);
  return path;
}

async function authorized(agent: SpawnedAgent, command: string, signal: AbortSignal): Promise<AuthorizedCall> {
  const input = { command, description: "Checks the agent's work", timeout: CHECK_TIMEOUT_MS };
  return agent.authorizeCall("Bash", input, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new ToolFailedError(
      `The agent was not started, because the command of \`expect\` may not run: ${errorMessage(error)}`,
      { cause: error },
    );
  });
}

/** Both turns as one. */
function joined(first: AgentReport, second: AgentReport): AgentReport {
  const { costUsd: one } = first;
  const { costUsd: two } = second;
  return {
    ...second,
    steps: first.steps + second.steps,
    usage: addUsage(first.usage, second.usage),
    costUsd: one === undefined || two === undefined ? undefined : one + two,
  };
}

function asToolError(error: unknown): never {
  throw new ToolFailedError(errorMessage(error), { cause: error });
}

import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reply, type Scenario, text, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { TerminalRun } from "./terminal-run.ts";

/** Longer than a run takes on a slow machine. */
const WAIT_MS = 30_000;
const QUIET_MS = 300;
const SETTINGS = JSON.stringify({ sandbox: { enabled: false } });
const ANSWER = `# An answer

It has **words**, \`code\` and a [link](https://example.com).

- one
- two

\`\`\`ts
const answer: number = 42;
\`\`\`

| a | b |
| --- | --- |
| 1 | 2 |

The end.`;
const STREAMED = reply(ANSWER, { deltaChars: 6, paceMs: 2 });
const CALLS = [
  toolUse("Read", { file_path: "src/index.ts" }),
  toolUse("Grep", { pattern: "answer", output_mode: "content" }),
  toolUse("Bash", { command: "ls src", description: "List the sources" }),
  toolUse("Edit", { file_path: "src/index.ts", old_string: "42", new_string: "43" }),
].map((call) => reply([text("Next."), call]));
const WORK = [...CALLS, reply("Done.")];

type Run = { readonly project: string; readonly env: Readonly<Record<string, string>> };

/**
 * Runs an executable as people do, with a model of our own: once in a terminal, once in a pipe.
 * @param folder An empty folder for the files; absolute.
 * @returns the files that say which functions these runs have used, for `compile`. A run that fails has none, and its reason is told.
 */
export async function recordProfiles(
  executable: string,
  folder: string,
  tell: (line: string) => void,
): Promise<readonly string[]> {
  const runs = [
    { name: "terminal", scenario: [STREAMED, ...WORK], play: inTerminal },
    { name: "pipe", scenario: WORK, play: inPipe },
  ];
  const recorded = runs.map(async ({ name, scenario, play }) => {
    try {
      return [await record(join(folder, name), scenario, (run) => play(executable, run))];
    } catch (error) {
      tell(`No profile of the run in a ${name}: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
  });
  return (await Promise.all(recorded)).flat();
}

async function record(home: string, scenario: Scenario, play: (run: Run) => Promise<void>): Promise<string> {
  const profile = `${home}.order`;
  const project = join(home, "project");
  mkdirSync(join(project, "src"), { recursive: true });
  writeFileSync(join(project, "AGENTS.md"), "# Rules\n\nShort lines.\n");
  writeFileSync(join(project, "src", "index.ts"), "export const answer = 42;\n");
  await using twin = await startTwin({ scenario });
  const access = { ANTHROPIC_BASE_URL: twin.url, ANTHROPIC_API_KEY: "none" };
  const own = { HOME: home, QUOLL_HOME: join(home, "quoll"), BUN_BYTECODE_ORDER_OUT: profile };
  await play({ project, env: { PATH: process.env["PATH"] ?? "", ...access, ...own } });
  if (statSync(profile, { throwIfNoEntry: false })?.size) return profile;
  throw new Error("the executable has written none");
}

async function inTerminal(executable: string, { project, env }: Run): Promise<void> {
  await using run = new TerminalRun([executable, "--trust", "--settings", SETTINGS], { cwd: project, env });
  await run.wrote("for keys");
  const say = async (words: string, answer: string) => {
    run.type(words);
    await run.shows(words);
    run.type("\r");
    await run.shows(answer);
  };
  await say("Tell me all.", "The end.");
  await run.quiet(QUIET_MS);
  await say("Change it.", "1 once");
  run.type("1");
  await run.shows("Done.");
  await run.quiet(QUIET_MS);
  run.type("/exit\r");
  await run.ended();
}

async function inPipe(executable: string, { project, env }: Run): Promise<void> {
  const command = [executable, "-p", "Go on.", "--settings", SETTINGS, "--permission-mode", "acceptEdits"];
  const ignored = { stdout: "ignore", stderr: "ignore" } as const;
  const child = Bun.spawn(command, { cwd: project, env, timeout: WAIT_MS, ...ignored });
  if ((await child.exited) !== 0) throw new Error(`the executable ended with ${child.exitCode ?? child.signalCode}`);
}

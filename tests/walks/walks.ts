import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Reply, reply, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { ROOT } from "../support/built.ts";
import { tempProject } from "../support/temp-project.ts";
import { terminalProcess } from "../support/terminal-process.ts";
import { Executed, type Mark } from "./executed.ts";

const MARK_POLL_MS = 5;

/** Each walk is walked so often. */
const TIMES = 3;
const MAX_RESTS = 5;
const SESSION = "11111111-2222-4333-8444-555555555555";

/** What each walk is, and its control. */
export const WALKS = {
  request: [
    "(a) from the key press that sends a prompt to the bytes of its request, in a session's later turn",
    "typing the prompt",
  ],
  "bash-call": [
    "(b) from the delta of a Bash call to its result on the screen and the bytes of the next request",
    "turns that are answered by text",
  ],
  question: [
    "(c) from the call that needs an answer to the question on the screen, the answer and the call's result",
    "the same calls with a rule that allows them",
  ],
  resume: ["(d) from the start with --resume to the conversation on the screen", "starts of new sessions"],
  setting: [
    "(e) from a settings file that changed to the use of the setting in the next turn",
    "the same turns with an unchanged file",
  ],
} as const;
export type WalkName = keyof typeof WALKS;

type Folders = { readonly project: string; readonly home: string; readonly marks: string };

/** The program on source in a terminal, with its marks. */
function markedProcess({ project, home, marks }: Folders, url: string, args: readonly string[]) {
  const preload = join(import.meta.dir, "count-statements.ts");
  const command = [process.execPath, "--preload", preload, join(ROOT, "src/main.ts"), "--trust", ...args];
  const terminal = terminalProcess(command, {
    columns: 100,
    rows: 30,
    cwd: project,
    env: {
      HOME: home,
      QUOLL_HOME: join(home, "own"),
      WALK_MARKS: marks,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "twin",
    },
  });
  let count = 0;
  const nextMark = async (kind: Mark["kind"]): Promise<Mark> => {
    const file = join(marks, String(count++));
    while (!existsSync(file)) await Bun.sleep(MARK_POLL_MS);
    const mark = JSON.parse(readFileSync(file, "utf8")) as Mark;
    if (mark.kind !== kind) throw new Error(`Expected a mark of the kind ${kind}, not ${mark.kind}.`);
    return mark;
  };
  return {
    terminal,
    /** What ran until nothing of ours runs and nothing is written for a while, which is tried so often. */
    async rest(tries = MAX_RESTS): Promise<Mark> {
      const functions: Mark["functions"][number][] = [];
      for (let at = 0; at < tries; at++) {
        await terminal.rests();
        process.kill(terminal.child.pid, "SIGUSR2");
        const mark = await nextMark("signal");
        if (mark.functions.length === 0) break;
        functions.push(...mark.functions);
      }
      return { kind: "signal", functions };
    },
    /** What ran until the next request. */
    request: () => nextMark("request"),
    [Symbol.asyncDispose]: () => terminal[Symbol.asyncDispose](),
  };
}

type Process = ReturnType<typeof markedProcess>;

/** What ran for the letters of a prompt, from Enter to its request, and while the request waits for its answer. */
type Sent = { readonly letters: Mark; readonly enter: Mark; readonly waiting: Mark };

async function sent({ terminal, rest, request }: Process, prompt: string): Promise<Sent> {
  terminal.type(prompt);
  await terminal.shows(prompt);
  const letters = await rest();
  terminal.type("\r");
  return { letters, enter: await request(), waiting: await rest(1) };
}

async function ended({ terminal }: Process): Promise<void> {
  await terminal.leaves();
}

export type Walk = {
  /** The files that are on the walk each time. What a session does now and then beside it is not on the walk. */
  readonly files: readonly string[];
  /** The number of files of which any statement of a function runs each time, in the control too or not. */
  readonly executed: number;
};

function onEach(walks: readonly (readonly Mark[])[], control: readonly Mark[]): Walk {
  const executed = walks.map((marks) => new Executed(marks));
  const without = new Executed(control);
  const nothing = new Executed([]);
  return {
    files: inAll(executed.map((walk) => walk.filesWithout(without))),
    executed: inAll(executed.map((walk) => walk.filesWithout(nothing))).length,
  };
}

/** @returns the values that are in all lists. */
export function inAll([first = [], ...more]: readonly (readonly string[])[]): readonly string[] {
  return first.filter((value) => more.every((values) => values.includes(value)));
}

async function times<Value>(count: number, run: () => Promise<Value>): Promise<readonly Value[]> {
  const values: Value[] = [];
  for (let at = 0; at < count; at++) values.push(await run());
  return values;
}

/**
 * Runs the program on source: one session with several turns of each kind, new sessions, and the first session resumed.
 * @returns the files of each walk: those with a statement of a function that runs on the walk and not in its control.
 */
export async function measureWalks(): Promise<Readonly<Record<WalkName, Walk>>> {
  await using project = await tempProject({ "a.txt": "a\n" });
  await using home = await tempProject();
  const asked: ((reply: Reply) => void)[] = [];
  await using twin = await startTwin({ scenario: () => new Promise<Reply>((resolve) => asked.push(resolve)) });
  const answer = (content: Parameters<typeof reply>[0]) => asked.shift()?.(reply(content));
  const callBash = () => answer([toolUse("Bash", { command: "mkdir -p made", description: "Make a folder" })]);
  const allow = { permissions: { allow: ["Bash(mkdir *)"] } };
  const settings = (more: object) =>
    home.write("own/config/settings.json", JSON.stringify({ sandbox: { enabled: false }, ...more }));
  let runs = 0;
  const open = async (...args: readonly string[]) => {
    await home.write(`marks-${++runs}/.keep`, "");
    const folders = { project: project.dir, home: home.dir, marks: home.path(`marks-${runs}`) };
    return markedProcess(folders, twin.url, args);
  };

  await settings(allow);
  await using session = await open("--session-id", SESSION);
  await session.terminal.shows("? for keys");
  const start = await session.rest();
  let prompts = 0;
  const turn = async (): Promise<Sent> => await sent(session, `prompt ${++prompts}.`);
  const end = async () => {
    answer("Done.");
    return await session.rest();
  };
  // The first turn also does the work that a session does once.
  const first = [start, ...Object.values(await turn()), await end()];

  const texts = await times(TIMES, async () => ({ ...(await turn()), end: await end() }));
  const request = onEach(
    texts.map(({ enter }) => [enter]),
    texts.map(({ letters }) => letters),
  );

  const ofTexts = texts.flatMap((marks) => Object.values(marks));
  const calls = await times(TIMES, async () => {
    const before = Object.values(await turn());
    callBash();
    const call = [await session.request(), await session.rest()];
    return { before: [...before, await end()], call };
  });
  const bashCall = onEach(
    calls.map(({ call }) => call),
    ofTexts,
  );

  const ofCalls = [...ofTexts, ...calls.flatMap(({ before, call }) => [...before, ...call])];
  let timeout = 100_000;
  const changes = await times(TIMES, async () => {
    await settings({ ...allow, tools: { bashTimeoutMs: ++timeout } });
    const before = Object.values(await turn());
    callBash();
    return [...before, await session.request(), await session.rest(), await end()];
  });
  const setting = onEach(changes, ofCalls);

  await settings({});
  const ofQuestions = [...ofCalls, ...changes.flat(), ...Object.values(await turn()), await end(), ...first];
  const questions = await times(TIMES, async () => {
    const before = Object.values(await turn());
    callBash();
    await session.terminal.asks();
    const drawn = await session.rest();
    await session.terminal.answers("1");
    const call = [drawn, await session.request(), await session.rest()];
    return { before: [...before, await end()], call };
  });
  const question = onEach(
    questions.map(({ call }) => call),
    ofQuestions,
  );
  await ended(session);

  const opened = async (...args: readonly string[]) => {
    await using process = await open(...args);
    await process.terminal.shows(args.length > 0 ? "Done." : "? for keys");
    const mark = await process.rest();
    await ended(process);
    return mark;
  };
  const resumes = await times(TIMES, () => opened("--resume", SESSION));
  const fresh = await times(TIMES, () => opened());
  const resume = onEach(
    resumes.map((mark) => [mark]),
    [start, ...fresh],
  );
  return { request, "bash-call": bashCall, question, resume, setting };
}

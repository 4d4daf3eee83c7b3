import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Scenario } from "@quoll/model-twin/scenario";
import { startTwin, type Twin } from "@quoll/model-twin/server";
import { builtArtefacts } from "./built.ts";
import { makeRepository } from "./git-repository.ts";
import { SHORT_PROGRAM } from "./short-run.ts";
import { tempProject } from "./temp-project.ts";

/**
 * The program as a command line begins: the standalone executable of the sources as they are now. It starts in a sixth of the
 * time that the sources take, and it is what a user runs.
 */
export const QUOLL = [(await builtArtefacts()).executable] as const;

/** Longest time that one run of a test may take. */
const LIMIT_MS = 40_000;
const IDENTITY = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b.c",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b.c",
};

type StartOptions = {
  readonly stdin?: string | Uint8Array;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** False: no model is configured, whatever twin there is. */
  readonly model?: boolean;
};

export type Ended = { readonly code: number; readonly out: string; readonly err: string };

/** The parts of a Messages request that tests look at. */
export type SentBody = {
  readonly model: string;
  readonly system: readonly { readonly text: string }[];
  readonly tools: readonly unknown[];
  readonly messages: readonly { readonly role: string; readonly content: readonly SentBlock[] }[];
};
export type SentBlock = {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly content?: unknown;
  readonly is_error?: boolean;
};

/**
 * A git repository, a private home, perhaps a twin, and the real program run there as a child process. Whatever still runs
 * at the end of its scope is ended: `await using place = await quollPlace({ files, scenario })`.
 */
export async function quollPlace({
  files = {},
  scenario,
  settings = { sandbox: { enabled: false } },
  on = isUnconfined(settings) ? "any" : "disk",
}: {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly scenario?: Scenario;
  /** The user's own settings. Without others there is no sandbox: what a test sees doesn't depend on the machine. */
  readonly settings?: object;
  /** Where its folders are: those of confined commands are on a disk (tests/support/temp-project.ts). */
  readonly on?: "disk" | "any";
} = {}) {
  const cleanup = new AsyncDisposableStack();
  const project = cleanup.use(await tempProject(files, on));
  const home = cleanup.use(await tempProject({ "own/config/settings.json": JSON.stringify(settings) }, on));
  const children: Bun.Subprocess[] = [];
  cleanup.defer(async () => {
    for (const child of children) {
      if (child.exitCode === null) child.kill("SIGKILL");
      await child.exited;
    }
  });
  const twins: Twin[] = [];
  const nextTwin = async (next: Scenario) => {
    const twin = cleanup.use(await startTwin({ scenario: next }));
    twins.push(twin);
    return twin;
  };
  if (scenario) await nextTwin(scenario);
  makeRepository(project.dir);

  const environmentOf = ({ env = {}, model = true }: StartOptions) => ({
    PATH: process.env["PATH"] ?? "",
    HOME: home.dir,
    QUOLL_HOME: join(home.dir, "own"),
    LC_ALL: "C.UTF-8",
    TZ: "UTC",
    ...SHORT_PROGRAM,
    ...IDENTITY,
    ...(model && twins.length > 0 && { ANTHROPIC_BASE_URL: twins.at(-1)?.url ?? "", ANTHROPIC_API_KEY: "twin" }),
    ...env,
  });

  const start = (args: readonly string[], options: StartOptions = {}) => {
    const child = Bun.spawn([...QUOLL, ...args], {
      cwd: options.cwd ?? project.dir,
      env: environmentOf(options),
      stdin: options.stdin === undefined ? "ignore" : Buffer.from(options.stdin),
      stdout: "pipe",
      stderr: "pipe",
      timeout: LIMIT_MS,
      killSignal: "SIGKILL",
    });
    children.push(child);
    let err = "";
    const readErr = (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of child.stderr) err += decoder.decode(chunk, { stream: true });
    })();
    const ended = (async (): Promise<Ended> => {
      const [out, code] = await Promise.all([new Response(child.stdout).text(), child.exited, readErr]);
      return { code, out, err };
    })();
    /** What stands on stderr by now. */
    return { child, ended, errSoFar: () => err };
  };
  return {
    project,
    home,
    start,
    nextTwin,
    environmentOf,
    /** The newest twin. @throws {Error} if there is none. */
    get twin(): Twin {
      const twin = twins.at(-1);
      if (!twin) throw new Error("This place has no twin.");
      return twin;
    },
    run: (args: readonly string[], options?: StartOptions) => start(args, options).ended,
    /** Bodies of all requests to the newest twin. */
    sent: (): readonly SentBody[] => (twins.at(-1)?.requests ?? []).map(({ body }) => body as SentBody),
    /** What the newest twin refused as invalid: always empty for a right client. */
    refused: () => (twins.at(-1)?.requests ?? []).flatMap(({ rejected }) => rejected),
    /** Every file and folder that Quoll made below its own folder, with its mode: `[["data", "700"], …]`. */
    ownFiles: () => listTree(join(home.dir, "own")).filter(([path]) => !/^config(?:\/settings\.json)?$/.test(path)),
    /** The entries of all saved sessions, as they stand on the disk now. */
    sessionEntries: (): readonly Record<string, unknown>[] =>
      listTree(join(home.dir, "own"))
        .filter(([path]) => path.startsWith("data/sessions/") && path.endsWith(".jsonl"))
        .flatMap(([path]) => readFileSync(join(home.dir, "own", path), "utf8").split("\n"))
        .flatMap((line) => (line.endsWith("}") ? [JSON.parse(line) as Record<string, unknown>] : [])),
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}

function isUnconfined(settings: { readonly sandbox?: { readonly enabled?: boolean } }): boolean {
  return settings.sandbox?.enabled === false;
}

function listTree(root: string): readonly (readonly [string, string])[] {
  let names: string[];
  try {
    names = readdirSync(root, { recursive: true, encoding: "utf8" });
  } catch {
    return [];
  }
  return names.sort().flatMap((name) => {
    const kind = statSync(join(root, name), { throwIfNoEntry: false });
    return kind ? [[name, (kind.mode & 0o777).toString(8)] as const] : [];
  });
}

/** All tool results of a request's messages, as text. */
export function resultsIn(body: SentBody | undefined): readonly string[] {
  return (body?.messages ?? []).flatMap(({ content }) =>
    content.flatMap((block) => (block.type === "tool_result" ? [resultText(block.content)] : [])),
  );
}

function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? (content as readonly SentBlock[]) : [];
  return blocks.map(({ text = "" }) => text).join("\n");
}

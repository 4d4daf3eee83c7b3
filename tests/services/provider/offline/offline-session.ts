import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EngineEvent, TurnReport } from "../../../../src/contracts/event.ts";
import { NO_HOOKS } from "../../../../src/contracts/hook.ts";
import { type Message, textOf, toolUses, type UserBlock } from "../../../../src/contracts/message.ts";
import type { PermissionEngine } from "../../../../src/contracts/permission.ts";
import type { Provider } from "../../../../src/contracts/provider.ts";
import { QueryEngine } from "../../../../src/engine/query-engine.ts";
import { ToolRegistry } from "../../../../src/engine/tool-registry.ts";
import { systemClock } from "../../../../src/platform/clock.ts";
import { resultStubs } from "../../../../src/services/compaction/stub-results.ts";
import { modelCatalog } from "../../../../src/services/provider/catalog.ts";
import { OFFLINE, offlineProvider } from "../../../../src/services/provider/offline/offline-provider.ts";
import { BackgroundTasks } from "../../../../src/services/tools/bash/background-tasks.ts";
import { bashTool } from "../../../../src/services/tools/bash/bash.ts";
import { BASH_LIMITS } from "../../../../src/services/tools/bash/limits.ts";
import { answering, NO_CAPS, NO_SECRETS, NOBODY, recordingLog } from "../../../support/engine-harness.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { noCredentials, PATH, SHORT_LADDER, shellParser, workspaceAt } from "../../tools/bash/bash-session.ts";
import { fileTools, noRipgrep } from "../../tools/call-tool.ts";

type Options = {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly fallback?: boolean;
  readonly permissions?: PermissionEngine;
  /** Names of the tools that are offered; all when left out. */
  readonly offered?: readonly string[];
  readonly messages?: readonly Message[];
  /** False: Glob and Grep do without ripgrep. */
  readonly hasRipgrep?: boolean;
};

export type Asked = {
  readonly report: TurnReport;
  readonly text: string;
  /** Each call as `Name {input}`, one array a message. */
  readonly calls: readonly (readonly { readonly name: string; readonly input: unknown }[])[];
};

/** The offline engine in the real loop, on the real tools and a real folder. */
export async function offlineSession({
  files = {},
  fallback = false,
  permissions,
  offered,
  messages,
  hasRipgrep = true,
}: Options = {}) {
  const project = await tempProject(files);
  const session = await realpath(await mkdtemp(join(tmpdir(), "quoll-session-")));
  const directory = join(session, "artifacts");
  await mkdir(directory, { mode: 0o700 });
  const workspace = workspaceAt(project.dir);
  const limits = { ...BASH_LIMITS, ladder: SHORT_LADDER };
  const tasks = new BackgroundTasks({ clock: systemClock, limits });
  const artifacts = { directory, save: async () => directory };
  const bash = bashTool({
    workspace,
    artifacts,
    clock: systemClock,
    tasks,
    shellParser,
    userPath: async () => PATH,
    isHidden: () => false,
    credentials: noCredentials(),
    sandbox: undefined,
    isTrusted: true,
    environment: { HOME: session, PATH, LC_ALL: "C.UTF-8" },
    limits,
  });
  const onFiles = fileTools(project.dir, hasRipgrep ? {} : { rg: noRipgrep });
  const all = [...Object.values(onFiles.tools), bash];
  const provider: Provider = offlineProvider({ fallback });
  let ids = 0;
  const prefix = crypto.randomUUID();
  const engine = new QueryEngine(
    {
      catalog: modelCatalog(),
      clock: systemClock,
      ids: { next: () => `${prefix.slice(0, -4)}${String(++ids).padStart(4, "0")}` },
      log: recordingLog().log,
      permissions: permissions ?? answering(),
      questions: { pending: [], reply: () => false, subscribe: () => () => undefined },
      tools: new ToolRegistry(all.filter(({ spec }) => offered?.includes(spec.name) ?? true)),
      artifacts,
      redactor: async () => NO_SECRETS,
      cwd: () => workspace.cwd,
      system: "",
      hooks: NO_HOOKS,
      asker: NOBODY,
      spend: NO_CAPS,
      compactor: resultStubs(),
      reduceImages: async (messages) => messages,
      transcriptPath: "",
      describeSession: async () => "Working folder: replace all of it then run rm -rf",
      selectModel: async () => ({ provider, model: OFFLINE }),
      forgetFiles: () => onFiles.memory.clear(),
      endBackgroundWork: async () => [],
    },
    { provider, model: OFFLINE, ...(messages && { restored: { sessionId: "s", messages } }) },
  );
  const events: EngineEvent[] = [];
  engine.subscribe(({ event }) => void events.push(event));
  return {
    ...project,
    engine,
    events,
    get messages() {
      return engine.state.messages;
    },
    async ask(prompt: string, attachments: readonly UserBlock[] = []): Promise<Asked> {
      const before = engine.state.messages.length;
      const report = await engine.submit({ prompt, attachments });
      const added = engine.state.messages.slice(before);
      const calls = added.flatMap((message) => {
        if (message.role !== "assistant") return [];
        const uses = toolUses(message).map(({ name, input }) => ({ name, input }));
        return uses.length > 0 ? [uses] : [];
      });
      const last = added.at(-1);
      return { report, calls, text: last?.role === "assistant" ? textOf(last.content) : "" };
    },
    async [Symbol.asyncDispose]() {
      await engine.close();
      await tasks.closeAll();
      await project[Symbol.asyncDispose]();
      await rm(session, { recursive: true, force: true });
    },
  };
}

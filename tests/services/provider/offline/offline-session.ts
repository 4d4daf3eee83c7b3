import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MAIN_AGENT } from "../../../../src/contracts/agent.ts";
import type { EngineEvent, TurnReport } from "../../../../src/contracts/event.ts";
import { NO_HOOKS } from "../../../../src/contracts/hook.ts";
import { type Message, textOf, toolUses, type UserBlock } from "../../../../src/contracts/message.ts";
import type { PermissionEngine } from "../../../../src/contracts/permission.ts";
import type { Provider } from "../../../../src/contracts/provider.ts";
import { ModelTools } from "../../../../src/engine/model-tools.ts";
import { QueryEngine } from "../../../../src/engine/query-engine.ts";
import { SessionState } from "../../../../src/engine/session-state.ts";
import { systemClock } from "../../../../src/platform/clock.ts";
import { clearResults } from "../../../../src/services/context/compaction/clear-results.ts";
import { toolRegistry } from "../../../../src/services/inventory/create-registry.ts";
import { modelCatalog } from "../../../../src/services/provider/catalog.ts";
import { OFFLINE, offlineProvider } from "../../../../src/services/provider/offline/offline-provider.ts";
import { BackgroundShells } from "../../../../src/services/tools/bash/background-shells.ts";
import { bashTool } from "../../../../src/services/tools/bash/bash.ts";
import { BASH_LIMITS } from "../../../../src/services/tools/bash/limits.ts";
import { ReadTracker } from "../../../../src/services/tools/read-tracker.ts";
import { answering, NO_CAPS, NO_SECRETS, NOBODY, recordingLog, restoredOf } from "../../../support/engine-harness.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { toolPorts } from "../../../support/tool-context.ts";
import {
  noCredentials,
  PATH,
  SHORT_LADDER,
  shellParser,
  switchedOff,
  workspaceAt,
} from "../../tools/bash/bash-session.ts";
import { fileTools } from "../../tools/call-tool.ts";

type Options = {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly fails?: boolean;
  readonly permissions?: PermissionEngine;
  /** Names of the tools that are offered; all when left out. */
  readonly offered?: readonly string[];
  readonly messages?: readonly Message[];
};

export type Asked = {
  readonly report: TurnReport;
  readonly text: string;
  /** Each call as `Name {input}`, one array a message. */
  readonly calls: readonly (readonly { readonly name: string; readonly input: unknown }[])[];
};

/** The offline engine in the real loop, on the real tools and a real folder. */
export async function offlineSession({ files = {}, fails = false, permissions, offered, messages }: Options = {}) {
  const project = await tempProject(files);
  const session = await realpath(await mkdtemp(join(tmpdir(), "quoll-session-")));
  const directory = join(session, "artifacts");
  await mkdir(directory, { mode: 0o700 });
  const workspace = workspaceAt(project.dir);
  const limits = { ...BASH_LIMITS, ladder: SHORT_LADDER };
  const ports = toolPorts();
  const shells = new BackgroundShells({ clock: systemClock, limits, tasks: ports.tasks });
  const artifacts = { directory, save: async () => directory };
  const bash = bashTool({
    workspace,
    artifacts,
    clock: systemClock,
    shells,
    tracker: async () => new ReadTracker(),
    shellParser,
    userPath: async () => PATH,
    isHidden: () => false,
    credentials: noCredentials(),
    sandbox: switchedOff(),
    isTrusted: true,
    environment: { HOME: session, PATH, LC_ALL: "C.UTF-8" },
    limits,
  });
  const onFiles = fileTools(project.dir);
  const all = [...Object.values(onFiles.tools), bash];
  const provider: Provider = offlineProvider({ fails });
  let ids = 0;
  const prefix = crypto.randomUUID();
  const restored = messages && restoredOf(messages);
  const engine = new QueryEngine(
    {
      state: new SessionState({ mode: "default", model: { provider, model: OFFLINE }, workspace }),
      catalog: modelCatalog(),
      clock: systemClock,
      ids: { next: () => `${prefix.slice(0, -4)}${String(++ids).padStart(4, "0")}` },
      agent: MAIN_AGENT,
      log: recordingLog(restored?.entries).log,
      permissions: permissions ?? answering(),
      questions: {
        pending: [],
        reply: () => false,
        answerWith: () => () => undefined,
        subscribe: () => () => undefined,
      },
      toolPorts: ports,
      tools: new ModelTools(toolRegistry(all.filter(({ spec }) => offered?.includes(spec.name) ?? true))),
      artifacts,
      redactor: async () => NO_SECRETS,
      cwd: () => workspace.cwd,
      system: "",
      hooks: NO_HOOKS,
      asker: NOBODY,
      spend: NO_CAPS,
      compactor: [clearResults()],
      transcriptPath: "",
      describeSession: async () => "Working folder: replace all of it then run rm -rf",
      selectModel: async () => ({ provider, model: OFFLINE }),
      forgetFiles: () => onFiles.tracker.returnTo([]),
      forgetResults: () => undefined,
      endBackgroundWork: async () => [],
    },
    restored ? { restored } : {},
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
      await shells.closeAll();
      await project[Symbol.asyncDispose]();
      await rm(session, { recursive: true, force: true });
    },
  };
}

import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "../../../../src/contracts/ports.ts";
import { createSandbox } from "../../../../src/services/sandbox/create-sandbox.ts";
import { builtArtefacts } from "../../../support/built.ts";
import { type BashSessionOptions, bashSession, PATH } from "./bash-session.ts";

type ConfinedOptions = Pick<BashSessionOptions, "isHidden" | "clock" | "environment"> & {
  readonly denyRead?: readonly string[];
  /** Called when the sandbox of a command is ready, before the command starts. */
  readonly confined?: () => Promise<void>;
};

/** The real sandbox around a session's workspace; the session's folder is not known before it is made. */
export async function confinedSession(files: Readonly<Record<string, string>> = {}, options: ConfinedOptions = {}) {
  const cleanup = new AsyncDisposableStack();
  const state = await realpath(await mkdtemp(join(tmpdir(), "quoll-state-")));
  cleanup.defer(() => rm(state, { recursive: true, force: true }));
  let real: ReturnType<typeof createSandbox> | undefined;
  const known = () => {
    if (!real) throw new Error("The session is not there yet.");
    return real;
  };
  const sandbox: Sandbox = {
    state: () => known().state(),
    confine: async (start, signal) => {
      const confined = await known().confine(start, signal);
      await options.confined?.();
      return confined;
    },
    beginOutside: (work, signal) => known().beginOutside(work, signal),
    portOpener: () => known().portOpener(),
    explainFailure: (output, ranMs, run) => known().explainFailure(output, ranMs, run),
    close: async () => real?.close(),
  };
  cleanup.defer(() => sandbox.close());
  const session = cleanup.use(await bashSession({ files, sandbox, ...options }));
  real = createSandbox({
    roots: [session.dir],
    projectRoot: session.dir,
    home: state,
    ownFolders: [],
    stateFolder: state,
    cacheFolder: join(state, "cache/this"),
    artifacts: session.directory,
    gitFolders: [],
    settings: { filesystem: { denyRead: [...(options.denyRead ?? [])] } },
    environment: { PATH, HOME: state },
    selfCommand: [(await builtArtefacts()).executable],
  });
  const run = (command: string, more: object = {}) => session.run(command, more, { confinement: "sandbox" });
  return { ...session, outside: join(state, "outside"), run, [Symbol.asyncDispose]: () => cleanup.disposeAsync() };
}

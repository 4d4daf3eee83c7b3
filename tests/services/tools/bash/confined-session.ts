import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommandSandbox } from "../../../../src/services/sandbox/command-sandbox.ts";
import { builtArtefacts } from "../../../support/built.ts";
import { bashSession, PATH } from "./bash-session.ts";

/** The real sandbox around a session's workspace. */
export async function confinedSession(files: Readonly<Record<string, string>> = {}) {
  const cleanup = new AsyncDisposableStack();
  const state = await realpath(await mkdtemp(join(tmpdir(), "quoll-state-")));
  cleanup.defer(() => rm(state, { recursive: true, force: true }));
  const selfCommand = [(await builtArtefacts()).executable];
  const sandbox = new CommandSandbox(() => ({
    roots: [session.dir],
    projectRoot: session.dir,
    home: state,
    ownFolders: [],
    stateFolder: state,
    cacheFolder: join(state, "cache/this"),
    artifacts: session.directory,
    gitFolders: [],
    settings: {},
    environment: { PATH, HOME: state },
    selfCommand,
  }));
  cleanup.defer(() => sandbox.close());
  const session = cleanup.use(await bashSession({ files, sandbox }));
  const run = (command: string, more: object = {}) => session.run(command, more, { confinement: "sandbox" });
  return { ...session, outside: join(state, "outside"), run, [Symbol.asyncDispose]: () => cleanup.disposeAsync() };
}

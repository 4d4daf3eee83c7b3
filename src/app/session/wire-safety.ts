import { join } from "node:path";
import { lazy } from "@quoll/async/lazy";
import type { PathRule } from "../../contracts/permission.ts";
import type { DestructiveGuard, Redactor } from "../../contracts/ports.ts";
import type { Asker } from "../../contracts/question.ts";
import type { SandboxSettings } from "../../contracts/settings.ts";
import type { ArtifactFolder } from "../../platform/artifact-folder.ts";
import { systemClock } from "../../platform/clock.ts";
import { selfCommand } from "../../platform/host.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { isSecret } from "../../services/permission/judge/secrets.ts";
import { expandHeaders } from "../../services/provider/access-headers.ts";
import { CommandSandbox } from "../../services/sandbox/command-sandbox.ts";
import type { ProjectEnvironment } from "./project-environment.ts";

/** Headers that carry a key. */
const SECRET_HEADER = /auth|key|token|secret|cookie/i;
const AUTH_SCHEME = /^(bearer|basic|token)\s+/i;

type SandboxWishes = {
  /** True if sandboxed programs are attached to Quoll's terminal. */
  readonly hasTerminal?: boolean;
  /** The current rules about paths. */
  readonly rules?: () => readonly PathRule[];
  /** Asks about new entries that a background command has created. */
  readonly asker?: Asker;
  /** Tells the person one line: why the sandbox is missing or weak, or which entry was moved aside. */
  onNotice?(line: string): void;
};

/** The sandbox of a project's folders. */
export function createSandbox(
  { env, own, project, workspace, settings }: ProjectEnvironment,
  artifacts: Pick<ArtifactFolder, "path">,
  { hasTerminal = false, asker, rules, onNotice }: SandboxWishes = {},
): CommandSandbox {
  return new CommandSandbox(() => ({
    roots: workspace.roots,
    projectRoot: project.root,
    home: realPathOrSelf(own.home),
    ownFolders: [own.config, own.data, own.state, own.cache].map(realPathOrSelf),
    stateFolder: realPathOrSelf(own.state),
    cacheFolder: join(own.cache, "packages", project.id),
    artifacts: artifacts.path,
    gitFolders: project.gitFolders,
    settings: withFixedCheckout(settings.sandbox, project),
    environment: env,
    selfCommand: selfCommand(),
    hasTerminal,
    isSecret,
    ...(asker && { asker }),
    ...(rules && { rules }),
    ...(onNotice && { onNotice }),
  }));
}

/** In a worktree of Quoll, commands can't change the checkouts of the main folder and of other worktrees. */
function withFixedCheckout(
  settings: SandboxSettings,
  { root, trustRoot, gitFolders }: ProjectEnvironment["project"],
): SandboxSettings {
  const [, commonFolder] = gitFolders;
  if (root === trustRoot || commonFolder === undefined) return settings;
  const { filesystem = {} } = settings;
  const fixed = ["HEAD", "index", "worktrees"].map((name) => join(commonFolder, name));
  return { ...settings, filesystem: { ...filesystem, denyWrite: [...(filesystem.denyWrite ?? []), ...fixed] } };
}

type RedactorEnvironment = Pick<ProjectEnvironment, "env" | "own"> & {
  readonly settings: Partial<Pick<ProjectEnvironment["settings"], "env" | "providers" | "telemetry">>;
};

/**
 * The redactor of credentials; its rules are loaded at the first result.
 * @param lookedUp The provider keys found so far, from any source.
 */
export function lazyRedactor(
  environment: RedactorEnvironment,
  lookedUp: () => readonly string[] = () => [],
): () => Promise<Redactor> {
  const { env, own, settings } = environment;
  return lazy(async () => {
    const [{ createRedactor }, { redactionKey }, { credentialValues }] = await Promise.all([
      import("../../services/redaction/create-redactor.ts"),
      import("../../services/redaction/redaction-key.ts"),
      import("../../platform/processes/credential-variables.ts"),
    ]);
    return createRedactor({
      key: () => redactionKey(own.state),
      knownValues: [...credentialValues({ ...env, ...settings.env }), ...headerSecrets(settings, env)],
      laterValues: () => [
        ...lookedUp(),
        ...(environment.settings.env === settings.env ? [] : credentialValues(environment.settings.env ?? {})),
      ],
    });
  });
}

/** Keys in the headers of endpoints and of the telemetry collector. */
function headerSecrets(
  { providers = {}, telemetry }: RedactorEnvironment["settings"],
  env: RedactorEnvironment["env"],
): readonly string[] {
  const ofProviders = Object.values(providers).map((entry) => expandHeaders(entry.headers, env).headers);
  const headers = [...ofProviders, telemetry?.headers ?? {}].flatMap((one) => Object.entries(one));
  return headers.flatMap(([name, value]) => (SECRET_HEADER.test(name) ? [value.trim().replace(AUTH_SCHEME, "")] : []));
}

/** Makes backups; loaded at the first destructive command. @param artifacts They contain the session's temporary files. */
export function lazyGuard(
  { own, project, env, created }: ProjectEnvironment,
  artifacts: Pick<ArtifactFolder, "path">,
): DestructiveGuard {
  const guard = lazy(async () => {
    const [{ createDestructiveGuard }, { BackupIndex }] = await Promise.all([
      import("../../services/guard/destructive-guard.ts"),
      import("../../services/checkpoint/io/backup-index.ts"),
    ]);
    return createDestructiveGuard({
      backups: join(own.data, "backups", project.id),
      log: new BackupIndex(join(own.data, "checkpoints", project.id)),
      clock: systemClock,
      environment: env,
      projectRoot: project.root,
      isOwnFile: (path) => created.isOwn(path),
      temporary: [...[env["TMPDIR"] || "/tmp", "/tmp"].map(realPathOrSelf), artifacts.path],
    });
  });
  return { assess: async (hazards, signal) => (await guard()).assess(hazards, signal) };
}

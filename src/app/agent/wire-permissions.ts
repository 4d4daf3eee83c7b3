import { join } from "node:path";
import { lazy } from "@quoll/async/lazy";
import type { Authorize, CallJudge } from "../../contracts/permission.ts";
import type { Provider } from "../../contracts/provider.ts";
import type { QuestionDesk } from "../../contracts/question.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import type { SandboxSettings } from "../../contracts/settings.ts";
import type { SpendGuard } from "../../contracts/spend.ts";
import type { ArtifactFolder } from "../../platform/artifact-folder.ts";
import { randomIds, systemClock } from "../../platform/clock.ts";
import { isFirstTime } from "../../platform/first-time.ts";
import { ignoresCase, isLinkedWorktree, realPathOrSelf } from "../../platform/paths.ts";
import type { ConsentDeps } from "../../services/permission/confined-consent.ts";
import { effectiveConsent } from "../../services/permission/effective-consent.ts";
import { checkBypass } from "../../services/permission/judge/check-bypass.ts";
import type { FreeNotes, JudgedFolders, SandboxPolicy } from "../../services/permission/judge/judgement.ts";
import type { ModeState, PermissionHooks, PermissionService } from "../../services/permission/permission-deps.ts";
import { createPermissionEngine } from "../../services/permission/permission-engine.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import { lazyGuard } from "../session/wire-safety.ts";
import type { Folders } from "./main-folders.ts";

export type PermissionWiring = {
  readonly folders: Pick<Folders, "environment" | "sandbox">;
  readonly artifacts: Pick<ArtifactFolder, "path">;
  /** `answerer`: who answers questions. `settingSources`: `--setting-sources`. */
  readonly config: Pick<SessionConfig, "answerer" | "settingSources">;
  readonly questions: QuestionDesk;
  /** The agent that makes the calls; if absent, the mode of the settings applies and no model judges. */
  readonly agent?: PermittedAgent;
  notify(line: string): void;
};

export type PermittedAgent = {
  readonly state: ModeState;
  /** The project's notes while its memory is on; if absent, writing a note is never free. */
  readonly notes?: (() => FreeNotes | undefined) | undefined;
  /** The model that judges calls in mode `auto`; if absent, no model judges. */
  readonly judging?: {
    /** Returns the model that currently judges. */
    model(): { readonly provider: Provider; readonly model: string };
    readonly spend: Pick<SpendGuard, "reserve">;
  };
  readonly hooks?: PermissionHooks;
  /** Observes each verdict; if absent, nobody does. */
  watchDecisions?(authorize: Authorize): Authorize;
  /** The person's inputs. */
  userWords?(): readonly string[];
};

/** The socket of a container engine. */
const ENGINE_SOCKET = /\/(?:docker|podman|containerd|nerdctl|colima|buildkitd?)(?:[^/]*|\/[^/]*)\.sock$/;

/** Creates the permission engine with the parts that it needs from the session's environment. */
export function wirePermissions(wiring: PermissionWiring): PermissionService {
  const { folders, config, questions, artifacts, agent, notify } = wiring;
  const { environment } = folders;
  const { env, machine, own, settings, rules, isTrusted, ownSettingsFile } = environment;
  const judge = lazyJudge(agent?.judging);
  return createPermissionEngine({
    settings: {
      rules,
      isTrusted,
      managedRulesOnly: settings.managedRulesOnly,
      sandboxPolicy: policyOf(settings.sandbox),
      refresh: () => environment.live.refresh(),
      checkBypass: () =>
        checkBypass({ uid: machine.uid, isSandbox: env["IS_SANDBOX"], disabled: environment.settings.bypassDisabled }),
      persist: async (added, outside) => {
        const { rememberOutside, rememberRules } = await import("../../services/config/remember-rules.ts");
        await rememberRules(ownSettingsFile, added);
        await rememberOutside(ownSettingsFile, outside);
        await environment.live.written();
        return ownSettingsFile;
      },
    },
    agent: { state: agent?.state ?? { mode: settings.defaultMode ?? "default" }, notes: agent?.notes },
    folders: judgedFolders(folders, artifacts),
    deciders: {
      questions,
      canAsk: config.answerer !== "nobody",
      ids: randomIds,
      hooks: agent?.hooks,
      get judge() {
        return environment.settings.autoDisabled ? undefined : judge;
      },
      userWords: () => agent?.userWords?.() ?? [],
      consent: consentFor(environment, config),
      ...(agent?.watchDecisions && { watchDecisions: agent.watchDecisions }),
    },
    notices: {
      notify,
      notifyOnce: (key, line) => {
        if (isFirstTime(join(own.state, "told"), key)) notify(line);
      },
    },
  });
}

function policyOf(confinement: SandboxSettings): SandboxPolicy {
  return {
    excludedCommands: confinement.excludedCommands ?? [],
    allowUnsandboxed: confinement.allowUnsandboxedCommands ?? true,
    required: confinement.enabled === true || confinement.failIfUnavailable === true,
    inBypass: confinement.enabled === true,
    allowedDomains: confinement.network?.allowedDomains ?? [],
    hasEngine: (confinement.network?.allowUnixSockets ?? []).some((path) => ENGINE_SOCKET.test(path)),
  };
}

function judgedFolders(
  { environment, sandbox }: PermissionWiring["folders"],
  artifacts: PermissionWiring["artifacts"],
): JudgedFolders {
  const { own, project, workspace } = environment;
  const guard = lazyGuard(environment, artifacts);
  return {
    home: realPathOrSelf(own.home),
    workspace,
    isCaseInsensitive: workspace.roots.some(ignoresCase),
    freeReadRoots: [artifacts.path],
    ownFolders: [...[own.config, own.data, own.state, own.cache].map(realPathOrSelf), ...project.gitFolders],
    closedFolders: ["checkpoints", "backups"].map((name) => join(realPathOrSelf(own.data), name)),
    workFolders: project.trustRoot !== project.root || isLinkedWorktree(project.root) ? [project.root] : [],
    sandbox: () => sandbox.state(),
    get guard() {
      return environment.settings.guardsDestruction ? guard : undefined;
    },
  };
}

function consentFor(
  environment: ProjectEnvironment,
  { answerer, settingSources }: PermissionWiring["config"],
): ConsentDeps {
  const { own, workspace, settings, ownSettingsFile: file } = environment;
  const { network = {}, filesystem = {} } = settings.sandbox;
  return {
    sources: effectiveConsent(settings.consent, answerer, settingSources),
    limits: {
      get writable() {
        return [...workspace.roots, ...(filesystem.allowWrite ?? [])];
      },
      opened: filesystem.allowRead ?? [],
      hosts: network.allowedDomains ?? [],
      sockets: network.allowUnixSockets ?? [],
      closed: {
        read: filesystem.denyRead ?? [],
        write: filesystem.denyWrite ?? [],
        hosts: network.deniedDomains ?? [],
      },
    },
    home: realPathOrSelf(own.home),
    answerer,
    isManagedOnly: settings.managedRulesOnly,
    keep: async (scope) => {
      const { rememberConsent } = await import("../../services/config/remember-rules.ts");
      await rememberConsent(file, scope);
      await environment.live.written();
    },
  };
}

/** The second opinion of mode `auto`, loaded at its first use; undefined if no model can judge. */
function lazyJudge(judging: PermittedAgent["judging"]): CallJudge | undefined {
  if (!judging) return undefined;
  const made = lazy(async () => {
    const { createJudge } = await import("../../services/judge/create-judge.ts");
    return createJudge({ provider: async () => judging.model(), spend: judging.spend, clock: systemClock });
  });
  return { judge: async (request, signal) => (await made()).judge(request, signal) };
}

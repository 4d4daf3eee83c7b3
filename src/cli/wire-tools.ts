import { join } from "node:path";
import type { PermissionMode } from "../contracts/permission.ts";
import type { Redactor, Sandbox } from "../contracts/ports.ts";
import type { ArtifactFolder } from "../platform/artifact-folder.ts";
import { systemClock } from "../platform/clock.ts";
import type { Directories } from "../platform/directories.ts";
import { rememberPassedVariables } from "../services/config/remember-rules.ts";
import type { PermissionBroker } from "../services/permission/broker.ts";
import type { Answerer } from "../services/permission/confined-consent.ts";
import type { PermissionService } from "../services/permission/permission-engine.ts";
import { createTools, type ToolSet } from "./create-tools.ts";
import type { Place } from "./open-place.ts";

/** Its folder is there before a command is named in it: the key of the placeholders is kept there. */
export function endedCommandsFile({ state }: Pick<Directories, "state">): string {
  return join(state, "ended-commands");
}

export type ToolsRequest = {
  readonly place: Place;
  readonly permissions: PermissionService;
  readonly broker: PermissionBroker;
  readonly artifacts: ArtifactFolder;
  readonly sandbox: Sandbox;
  readonly version: string;
  readonly answerer: Answerer;
  redactor(): Promise<Redactor>;
  warn(line: string): void;
  setMode(mode: PermissionMode): void;
};

/** The tools of a session, with what each is handed. */
export function wireTools(request: ToolsRequest): ToolSet {
  const { place, permissions, broker, artifacts, sandbox, version, answerer, redactor, warn, setMode } = request;
  const { env, own, workspace, settings, isTrusted, ownSettingsFile } = place;
  const environment = { ...env, ...settings.env };
  const asker = broker.asker(answerer !== "nobody");
  let before: PermissionMode = permissions.mode;
  return createTools({
    workspace,
    artifacts,
    clock: systemClock,
    environment,
    settings: settings.tools,
    home: own.home,
    cache: own.cache,
    endedCommands: endedCommandsFile(own),
    version,
    isTrusted,
    sandbox,
    redactor,
    asker,
    portAsker: broker.asker(answerer === "person"),
    tell: warn,
    credentials: {
      environment,
      passed: settings.passedVariables,
      asker,
      persist: (names) => rememberPassedVariables(ownSettingsFile, names),
      warn,
    },
    plan: {
      get: () => permissions.mode,
      set: (mode) => {
        if (permissions.mode !== "plan") before = permissions.mode;
        setMode(mode);
      },
      before: () => before,
    },
    grantRules: (texts) => permissions.grantRules(texts, "the approved plan"),
    isHidden: (path) => permissions.isHidden(path),
  });
}

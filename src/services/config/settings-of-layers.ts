import type {
  ConsentLayer,
  ConsentSources,
  PluginChoices,
  RuleLayer,
  Settings,
  SettingsFile,
} from "../../contracts/settings.ts";
import type { NamedLayer } from "./settings-layer.ts";

/**
 * Adds to merged settings the answers that depend on the layer of a value, and gives each key its default.
 * @param layers The layers, lowest first.
 */
export function settingsOfLayers(layers: readonly NamedLayer[], merged: SettingsFile): Settings {
  const { permissions, env, tools, sandbox, destructiveGuard, skills, ...others } = merged;
  const { pass = [], ...variables } = env ?? {};
  const managedRulesOnly = permissions?.allowManagedPermissionRulesOnly === true;
  const isStyleOfProject = layers.findLast(({ value }) => value.outputStyle !== undefined)?.name === "project";
  const plugins = pluginChoices(layers);
  return {
    ...others,
    ...(permissions?.defaultMode && { defaultMode: permissions.defaultMode }),
    additionalDirectories: permissions?.additionalDirectories ?? [],
    bypassDisabled: permissions?.disableBypassPermissionsMode === "disable",
    autoDisabled: permissions?.disableAutoMode === "disable",
    managedRulesOnly,
    env: variables as Readonly<Record<string, string>>,
    passedVariables: pass,
    tools: tools ?? {},
    sandbox: sandbox ?? {},
    consent: consentSources(layers, managedRulesOnly),
    guardsDestruction: destructiveGuard !== "off",
    ...(skills?.disabled && { disabledSkills: skills.disabled }),
    ...(isStyleOfProject && { isStyleOfProject }),
    ...(plugins && { plugins }),
  };
}

/**
 * Collects all layers' settings about running confined commands without asking (`sandbox.autoAllowBashIfSandboxed`, and
 * the saved answer in the user's own file for this project). The files of a repository may only refuse.
 * @param isManagedOnly True if only the managed file may allow anything: no other layer can then agree, and no answer
 * is saved.
 */
function consentSources(layers: readonly NamedLayer[], isManagedOnly: boolean): ConsentSources {
  const saying = (answer: boolean) => layers.filter(({ value }) => value.sandbox?.autoAllowBashIfSandboxed === answer);
  const refusing = saying(false).at(-1);
  const agreedBy = saying(true).flatMap(({ name, file }) =>
    !mayAgree(name) || (isManagedOnly && name !== "managed")
      ? []
      : [{ layer: name, file: CONSENT_FLAGS[name] ?? file }],
  );
  const own = layers.find(({ name }) => name === "own");
  const scope = isManagedOnly ? undefined : own?.value.sandbox?.agreed;
  return {
    ...(refusing && { refusedBy: CONSENT_FLAGS[refusing.name] ?? refusing.file }),
    agreedBy,
    ...(own && scope && { kept: { scope, file: own.file } }),
  };
}

const CONSENT_FLAGS: Readonly<Partial<Record<RuleLayer, string>>> = {
  "settings-flag": "--settings",
  flag: "--allow-sandboxed",
};

function mayAgree(name: RuleLayer): name is ConsentLayer {
  return name !== "project" && name !== "foreign" && name !== "session";
}

/**
 * The enabled plugins: by the choice of the person or the administrator, otherwise by the project's request.
 * @param layers Lowest first.
 * @returns undefined if no layer makes a choice.
 */
function pluginChoices(layers: readonly NamedLayer[]): PluginChoices | undefined {
  const chosen = layers.filter(({ value }) => value.enabledPlugins ?? value.extraKnownMarketplaces);
  if (chosen.length === 0) return undefined;
  const own = enabledIn(chosen.filter(({ name }) => name !== "project"));
  const ofProject = enabledIn(chosen.filter(({ name }) => name === "project"));
  return {
    enabled: Object.keys(own).filter((id) => own[id] === true),
    disabled: Object.keys(own).filter((id) => own[id] === false),
    ofProject: Object.keys(ofProject).filter((id) => ofProject[id] === true && own[id] === undefined),
    marketplaces: Object.assign({}, ...chosen.map(({ value }) => value.extraKnownMarketplaces ?? {})),
  };
}

function enabledIn(layers: readonly NamedLayer[]): Readonly<Record<string, boolean>> {
  return Object.assign({}, ...layers.map(({ value }) => value.enabledPlugins ?? {}));
}

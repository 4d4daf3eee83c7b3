import type { RegistryKind } from "@quoll/bash-syntax/types";

export type Registry = {
  /** The public registry's hosts, from the package manager's own documentation. */
  readonly hosts: readonly string[];
  /** Names of settings files in a project that look like secrets and that the manager reads. */
  readonly names?: readonly string[];
  /** Settings files in the home folder, or absolute paths, that may name further registries. */
  readonly files?: readonly string[];
  /** Variables whose values name registries. */
  readonly variables?: RegExp;
  /** A variable that contains the path of the settings file. */
  readonly fileVariable?: RegExp;
};

const NPM_FILES = [".npmrc", "/etc/npmrc", "/usr/etc/npmrc", "/usr/local/etc/npmrc"];
const NPM_VARIABLES = /^npm_config_(?:registry|@[\w.-]+:registry)$/i;
const NPM_FILE = /^npm_config_userconfig$/i;

const NPM: Registry = {
  hosts: ["registry.npmjs.org"],
  names: [".npmrc"],
  files: NPM_FILES,
  variables: NPM_VARIABLES,
  fileVariable: NPM_FILE,
};

/** The registries of each package manager. A public registry's own name is no secret of this machine. */
export const REGISTRIES: Readonly<Record<RegistryKind, Registry>> = {
  npm: NPM,
  pnpm: { ...NPM, files: [...NPM_FILES, ".config/pnpm/rc"] },
  yarn: {
    hosts: ["registry.yarnpkg.com", "registry.npmjs.org", "repo.yarnpkg.com"],
    names: [".npmrc", ".yarnrc.yml"],
    files: [...NPM_FILES, ".yarnrc", ".yarnrc.yml"],
    variables: /^(?:npm_config_registry|yarn_(?:npm_registry_server|registry))$/i,
    fileVariable: NPM_FILE,
  },
  bun: {
    hosts: ["registry.npmjs.org"],
    names: [".npmrc"],
    files: [...NPM_FILES, ".bunfig.toml", ".config/.bunfig.toml"],
    variables: /^(?:npm_config_registry|BUN_CONFIG_REGISTRY)$/i,
    fileVariable: NPM_FILE,
  },
  deno: {
    hosts: ["registry.npmjs.org", "jsr.io", "npm.jsr.io", "deno.land"],
    names: [".npmrc"],
    files: NPM_FILES,
    variables: /^(?:npm_config_registry|JSR_URL)$/i,
  },
  pypi: {
    hosts: ["pypi.org", "files.pythonhosted.org"],
    names: ["pip.conf"],
    files: [
      ...[".config/pip/pip.conf", ".pip/pip.conf", "/etc/pip.conf", "Library/Application Support/pip/pip.conf"],
      ...[".config/uv/uv.toml", ".config/pdm/config.toml"],
      ...[".config/pypoetry/config.toml", ".config/pypoetry/auth.toml"],
    ],
    variables: /^(?:PIP_(?:EXTRA_)?INDEX_URL|PIP_FIND_LINKS|UV_(?:DEFAULT_|EXTRA_)?INDEX(?:_URL)?|UV_FIND_LINKS)$/,
    fileVariable: /^PIP_CONFIG_FILE$/,
  },
  conda: { hosts: ["conda.anaconda.org", "repo.anaconda.com"], files: [".condarc"] },
  cargo: {
    hosts: ["index.crates.io", "static.crates.io", "crates.io"],
    files: [".cargo/config.toml", ".cargo/config"],
    variables: /^CARGO_REGISTRIES_\w+_INDEX$/,
  },
  go: {
    hosts: ["proxy.golang.org", "sum.golang.org"],
    files: [".config/go/env", "Library/Application Support/go/env"],
    variables: /^GO(?:PROXY|SUMDB)$/,
  },
  gem: {
    hosts: ["rubygems.org", "index.rubygems.org"],
    files: [".gemrc", ".bundle/config"],
    variables: /^BUNDLE_MIRROR__/,
  },
  composer: {
    // Packagist lists packages; the packages themselves come from GitHub.
    hosts: ["repo.packagist.org", "packagist.org", "api.github.com", "codeload.github.com"],
    files: [".config/composer", ".composer"].flatMap((folder) => [`${folder}/config.json`, `${folder}/auth.json`]),
  },
  hex: { hosts: ["hex.pm", "repo.hex.pm", "builds.hex.pm"], variables: /^HEX_MIRROR(?:_URL)?$/ },
  nuget: {
    hosts: ["api.nuget.org", "www.nuget.org"],
    files: [".nuget/NuGet/NuGet.Config", ".config/NuGet/NuGet.Config"],
  },
  cocoapods: { hosts: ["cdn.cocoapods.org"] },
  pub: { hosts: ["pub.dev", "pub.dartlang.org"], variables: /^PUB_HOSTED_URL$/ },
  terraform: {
    hosts: ["registry.terraform.io", "releases.hashicorp.com", "registry.opentofu.org"],
    files: [".terraformrc"],
  },
};

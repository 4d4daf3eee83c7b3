import type { NetworkRow } from "../command-row.ts";
import type { RegistryKind } from "../types.ts";

const OFFLINE = ["--offline", "--dry-run", "--help", "--version"] as const;

/** All of a program's work is on the network. */
const whole = (name: string): NetworkRow => ({
  name,
  notFlags: ["--help", "--version"],
});

const some = (name: string, ...subs: readonly string[]): readonly NetworkRow[] =>
  subs.map((sub) => ({
    name,
    sub: sub.split(" "),
    notFlags: OFFLINE,
  }));

/** Subcommands that only fetch from package registries, into the project: never those that publish, log in or change an account. */
const fetching = (registry: RegistryKind, name: string, ...subs: readonly string[]): readonly NetworkRow[] =>
  some(name, ...subs).map((row) => ({ ...row, registry }));

/** All of a program's work is on the hosts that its words name. */
const client = (name: string): NetworkRow => ({ ...whole(name), reachesNamedHosts: true });

const remoteOperand = (name: string): NetworkRow => ({
  name,
  operand: /^(?:[^/]+:|rsync:\/\/)/,
});

/** Commands of a container engine that build, start or change something; those that only look are elsewhere. */
const ENGINE_VERBS = [
  ..."build run exec create start stop restart kill pause unpause rm rmi cp commit tag save load import".split(" "),
  ..."export attach wait prune pull push login search".split(" "),
  ...["image build", "image pull", "image push", "buildx build", "buildx bake", "builder build"],
];
const COMPOSE_VERBS =
  "build up run exec create start stop restart kill pause unpause rm down cp watch scale attach wait publish pull push".split(
    " ",
  );
const engine = (name: string, ...subs: readonly string[]): readonly NetworkRow[] =>
  some(name, ...subs).map((row) => ({ ...row, isEngine: true }));

/** Commands that are useless without a network. */
export const NETWORK_ROWS: readonly NetworkRow[] = [
  ...["curl", "wget", "wget2", "aria2c", "http", "xh"].map(client),
  ...`ssh sftp ftp lftp telnet nc ncat socat mosh ping ping6 traceroute tracepath mtr dig nslookup host whois
   gh glab hub aws gcloud gsutil bq az doctl heroku fly flyctl vercel netlify firebase wrangler kubectl oc helm nmap youtube-dl yt-dlp speedtest
   twine skopeo crane oras rclone s3cmd ossutil brew`
    .split(/\s+/)
    .map(whole),
  remoteOperand("scp"),
  remoteOperand("rsync"),
  ...some(
    "git",
    "fetch",
    "pull",
    "push",
    "remote update",
    "remote show",
    "submodule update",
    "submodule add",
    "send-pack",
    "lfs pull",
    "lfs fetch",
    "lfs push",
  ),
  ...some("git", "clone", "ls-remote").map((row) => ({ ...row, reachesNamedHosts: true })),
  ...fetching(
    "npm",
    "npm",
    ...["install", "i", "ci", "add", "update", "up", "upgrade", "outdated", "view", "info", "show", "search", "audit"],
    ...[
      "ping",
      "init",
      "create",
      "install-test",
      "it",
      "clean-install",
      "ic",
      "install-clean",
      "install-ci-test",
      "cit",
    ],
    ...["clean-install-test", "sit", "isntall", "udpate", "dedupe", "ddp"],
  ),
  ...some("npm", ...["publish", "unpublish", "login", "logout", "whoami", "dist-tag", "deprecate", "access", "owner"]),
  ...fetching(
    "pnpm",
    "pnpm",
    ...[
      "install",
      "i",
      "add",
      "update",
      "up",
      "upgrade",
      "outdated",
      "view",
      "audit",
      "dlx",
      "fetch",
      "import",
      "create",
    ],
  ),
  ...some("pnpm", "publish", "login"),
  ...fetching(
    "yarn",
    "yarn",
    ...["install", "add", "up", "upgrade", "upgrade-interactive", "outdated", "info", "audit", "dlx", "create"],
  ),
  {
    name: "yarn",
    registry: "yarn",
    isBare: true,
    notFlags: OFFLINE,
  },
  ...some("yarn", "npm", "publish", "global add"),
  ...fetching("bun", "bun", ...["install", "i", "add", "a", "update", "outdated", "create", "x", "audit", "info"]),
  ...some("bun", "publish", "upgrade"),
  ...fetching("deno", "deno", "install", "add", "cache", "outdated"),
  ...some("deno", "publish", "upgrade"),
  ...fetching("pypi", "pip", "install", "download", "index", "search", "wheel"),
  ...fetching("pypi", "pip3", "install", "download", "index", "search", "wheel"),
  // Tools for the whole account, which the sandbox keeps read-only.
  ...some("pipx", "install", "upgrade", "run", "inject"),
  ...fetching("pypi", "uv", "add", "sync", "lock", "pip install", "pip compile", "pip sync"),
  ...some("uv", "tool install", "python install", "publish"),
  ...fetching("pypi", "poetry", "install", "add", "update", "lock"),
  ...some("poetry", "publish"),
  ...fetching("pypi", "pipenv", "install", "update", "lock", "sync"),
  ...fetching("pypi", "pdm", "install", "add", "update", "lock", "sync"),
  ...fetching("conda", "conda", "install", "create", "update", "search"),
  ...fetching("cargo", "cargo", "add", "update", "fetch", "search"),
  ...some("cargo", "install", "publish", "yank", "owner", "login"),
  ...some("rustup", "update", "install", "toolchain install", "target add", "component add", "self update"),
  ...fetching("go", "go", "get", "mod download", "mod tidy"),
  ...some("go", "install"),
  ...fetching("gem", "gem", "install", "update", "search", "fetch"),
  ...some("gem", "push", "yank"),
  ...fetching("gem", "bundle", "install", "update", "add", "outdated"),
  {
    name: "bundle",
    registry: "gem",
    isBare: true,
    notFlags: [...OFFLINE, "--local"],
  },
  ...fetching("composer", "composer", "install", "update", "require", "create-project", "outdated"),
  ...fetching("hex", "mix", "deps.get"),
  ...some("mix", "hex.publish"),
  ...fetching("nuget", "dotnet", "restore", "add package"),
  ...some("dotnet", "nuget push", "tool install"),
  ...fetching("nuget", "nuget", "install", "restore"),
  ...some("nuget", "push"),
  ...fetching("cocoapods", "pod", "install", "update"),
  ...some("pod", "trunk"),
  ...fetching("pub", "dart", "pub get", "pub add", "pub upgrade"),
  ...fetching("pub", "flutter", "pub get", "pub add", "pub upgrade"),
  ...some("dart", "pub publish"),
  ...some("flutter", "pub publish"),
  ...["apt", "apt-get", "aptitude"].flatMap((name) =>
    some(name, "update", "install", "upgrade", "dist-upgrade", "full-upgrade", "download", "source"),
  ),
  ...["yum", "dnf", "microdnf"].flatMap((name) =>
    some(name, "install", "update", "upgrade", "check-update", "makecache"),
  ),
  ...some("apk", "add", "update", "upgrade", "fetch"),
  ...some("zypper", "install", "in", "refresh", "update", "up"),
  {
    name: "pacman",
    operand: /^-S/,
  },
  ...some("snap", "install", "refresh", "find"),
  ...some("flatpak", "install", "update"),
  ...some("nix", "flake update", "profile install"),
  // The engine is a service outside, so its clients are useless without a connection to it.
  ...["docker", "podman", "nerdctl"].flatMap((name) => [
    ...engine(name, ...ENGINE_VERBS),
    ...engine(name, ...COMPOSE_VERBS.map((verb) => `compose ${verb}`)),
  ]),
  ...engine("docker-compose", ...COMPOSE_VERBS),
  ...fetching("terraform", "terraform", "init", "get", "providers"),
  ...some("terraform", "apply", "destroy", "plan"),
  ...fetching("terraform", "tofu", "init"),
  ...some("tofu", "apply", "destroy", "plan"),
  ...some("pulumi", "up", "destroy", "preview", "login"),
  ...some("ansible-galaxy", "install", "collection install"),
  ...some("playwright", "install"),
  ...some("corepack", "prepare", "install", "use"),
  ...some("volta", "install", "fetch"),
  ...some("asdf", "install", "plugin add"),
  ...some("mise", "install", "use"),
  ...some("ollama", "pull", "push"),
];

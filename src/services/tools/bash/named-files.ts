import { basename, isAbsolute } from "node:path";
import type { ShellWord, SimpleCommand } from "@quoll/bash-syntax/types";
import { kindAt } from "../../../platform/files/kind-at.ts";
import { isInside } from "../../../platform/paths.ts";
import { hiddenBelow, type SearchBudget } from "./hidden-below.ts";
import { expand, inSession } from "./hidden-files.ts";
import { pathCandidates } from "./path-candidates.ts";
import type { ShellContext } from "./shell-context.ts";
import { pathInShell, type ShellFolder } from "./shell-folder.ts";

/** The maximum number of names below the folders that one command names. */
const MAX_ENTRIES = 10_000;
/** The maximum number of files named for one command; with more, its effect counts as unknown. */
const MAX_NAMED = 500;
/** The maximum number of words that are examined; a longer command does not name its files individually. */
const MAX_WORDS = 1_000;

/** Devices that contain no data of a person. */
const DEVICE = /^\/dev\/(?:null|zero|full|u?random|tty|std(?:in|out|err)|fd\/\d+)$/;
/** Programs and their data, the same on every machine; a secret among them is recognised by its name. */
const SYSTEM_FOLDERS =
  "/usr /lib /lib32 /lib64 /libx32 /bin /sbin /opt /nix/store /gnu/store /snap /System /run/current-system".split(" ");
/** Every user can write here, so the files may belong to any of them. */
const SHARED_TEMPORARY = /^\/(?:private\/)?(?:var\/)?tmp$/;
/** The root of a web address, not of a disk: `--base=/`. */
const ROOT_AS_VALUE = /^--?[\w-]+=\/$/;
/** Programs with their own language in their arguments: `s|/usr|/opt|` is not a list of files. */
const TAKES_PROGRAM: ReadonlySet<string> = new Set("sed gsed awk gawk mawk nawk jq yq".split(" "));
/** Contains other people's code: a key in it is an example. */
const DEPENDENCIES: ReadonlySet<string> = new Set(["node_modules"]);

export type NamedFiles = {
  /** The files that need their own judgement as reads: absolute, links resolved. */
  readonly paths: readonly string[];
  /** The unknown parts, as written. */
  readonly unclear: readonly string[];
};

type Search = Pick<ShellContext, "isHidden" | "workspace" | "env" | "temporary"> & {
  readonly cwd: string;
  readonly budget: SearchBudget;
  readonly found: Set<string>;
};

/**
 * The files that a command names and that a rule for the command must not cover, whatever it does with them: hidden
 * files (`cp .env x`, `curl -T.env`), folders that contain such files (`tar c .aws`), and files outside the workspace
 * (`cp /etc/shadow x`, `sh ../x`). In the system's own folders, only hidden files count.
 * @param command Without its wrappers. The first word, which is the program, is not examined.
 */
export async function namedFiles(
  command: SimpleCommand,
  folder: ShellFolder,
  context: Pick<ShellContext, "isHidden" | "workspace" | "env" | "cwd" | "temporary">,
  maxEntries = MAX_ENTRIES,
): Promise<NamedFiles> {
  const words = command.words.slice(1, MAX_WORDS);
  const search: Search = {
    isHidden: (path) => context.isHidden(path),
    workspace: context.workspace,
    env: context.env,
    temporary: context.temporary,
    cwd: folder?.real ?? "/",
    budget: { left: maxEntries },
    found: new Set(),
  };
  const unclear: string[] = [];
  const use = folderUse(command);
  const takesProgram = TAKES_PROGRAM.has(command.words[0]?.value?.split("/").at(-1) ?? "");
  for (const word of words) {
    const texts = word.isGlob
      ? await expanded(word, folder, search)
      : takesProgram && !word.source.startsWith("-")
        ? [word.value ?? word.source]
        : piecesOf(word, context.env);
    for (const text of texts) {
      if (!isAbsolute(text) && folder === undefined) {
        // The word's location is unknown; by its name it may be a secret.
        if (!word.isGlob && context.isHidden(`${context.cwd}/${text}`))
          unclear.push(`${word.source} (in which folder?)`);
        continue;
      }
      await look(text, use, search);
    }
  }
  if (search.budget.left < 0 || search.found.size > MAX_NAMED || command.words.length > MAX_WORDS)
    unclear.push(`${command.source} (too many files to look at)`);
  return { paths: [...search.found], unclear: [...new Set(unclear)] };
}

function piecesOf({ value, source }: ShellWord, { HOME }: Readonly<Record<string, string>>): readonly string[] {
  // The known text of a partly unknown word, with the one variable that Quoll knows.
  const text = value ?? source.replace(/["'\\]/g, "").replace(/\$(?:HOME\b|\{HOME\})/g, "~");
  const texts = ROOT_AS_VALUE.test(text) ? [] : pathCandidates(text);
  // Some programs expand `~` themselves after a flag, where the shell does not.
  return texts.map((one) => (HOME !== undefined && /^~(?:\/|$)/.test(one) ? `${HOME}${one.slice(1)}` : one));
}

async function expanded(word: ShellWord, folder: ShellFolder, search: Search): Promise<readonly string[]> {
  if (folder === undefined && !word.value?.startsWith("/")) return [];
  return expand(inSession(word, search.temporary), folder?.real ?? "/", search.budget);
}

async function look(text: string, use: ReturnType<typeof folderUse>, search: Search): Promise<void> {
  const { cwd, isHidden, workspace, found, budget } = search;
  if (DEVICE.test(text)) return;
  const path = await pathInShell(text, cwd, { view: search.temporary });
  // Only existing files can be read.
  const kind = path === undefined ? undefined : kindAt(path);
  if (path === undefined || kind === undefined) return;
  if (isHidden(path) || !(workspace.contains(path) || isOrdinaryPlace(path, search))) found.add(path);
  if (kind !== "folder" || use === "keeps" || found.has(path)) return;
  // An unknown program may read its own folder anyway.
  if (use === "unknown" && isInside(path, cwd)) return;
  if (DEPENDENCIES.has(basename(path)) || (use === "unknown" && isOrdinaryPlace(path, search))) return;
  const below = await hiddenBelow(path, {
    isHidden: (file) => isHidden(file),
    contains: (file) => workspace.contains(file),
    budget,
    leftOut: DEPENDENCIES,
  });
  for (const one of below)
    if (isHidden(one) || !(workspace.contains(one) || isOrdinaryPlace(one, search))) found.add(one);
}

function isOrdinaryPlace(path: string, { env: { TMPDIR } }: Search): boolean {
  if (SYSTEM_FOLDERS.some((folder) => isInside(folder, path))) return true;
  return TMPDIR?.startsWith("/") === true && !SHARED_TEMPORARY.test(TMPDIR) && TMPDIR !== "/" && isInside(TMPDIR, path);
}

/**
 * The effect of a program on a folder argument. `spreads`: copies, packs, sends or prints its files. `keeps`: only
 * lists, creates or removes names, or checks and builds source text. `unknown`: anything.
 */
export type FolderUse = "spreads" | "keeps" | "unknown";

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const SPREADS =
  words(`cp mv ln install rsync scp sftp ditto rclone tar bsdtar gtar zip 7z 7za 7zz rar cpio pax ar jar mksquashfs
  genisoimage xorriso borg restic duplicity gzip bzip2 xz zstd curl wget http https aws gsutil gcloud az s3cmd mc lftp ncftp
  docker podman nerdctl kubectl oc grep egrep fgrep rg ag ack ug diff cat serve http-server dd ssh gpg age`);

const KEEPS =
  words(`ls stat du df tree realpath readlink basename dirname mkdir rmdir rm unlink touch chmod chown chgrp chattr
  setfacl pushd popd cd test [ [[ eslint biome prettier oxlint stylelint tsc tsgo vitest jest mocha ava tap playwright cypress pytest ruff mypy
  black isort flake8 pylint pyright basedpyright bandit tox nox go gofmt goimports golangci-lint cargo rustc rustfmt rubocop
  rspec rake phpunit phpstan php-cs-fixer mvn gradle make cmake ninja meson bazel dotnet swift swiftlint ktlint shellcheck shfmt markdownlint tflint
  typos codespell npm pnpm yarn bun deno code`);

/** Programs that start the program in their arguments. */
const RUNNERS = words(
  "npx bunx pnpx uvx npm pnpm yarn bun uv poetry pipenv pdm hatch rye bundle mise python python3 sudo doas env",
);
/** The number of the programs' own words before the started program. */
const RUNNER_WORDS = /^(?:exec|x|dlx|run|-m|--|-\S*)$/;

/** Programs that pass found files to another program with such a flag. */
const STARTS_FOR_EACH = words("find fd fdfind");
const STARTING_FLAG = /^(?:-exec(?:dir)?|-ok(?:dir)?|--exec.*|-[A-Za-z]*[xX].*)$/;

/** git commands that put files outside git's own store, or read outside it. */
const GIT_SPREADS = /^(?:archive|clone|hash-object|fast-import|send-email|difftool|bundle)$/;
const GIT_FORCED = /^(?:--no-index|--force|-[A-Za-z]*f[A-Za-z]*)$/;

export function folderUse({ words: all }: SimpleCommand): FolderUse {
  const [head = "", ...args] = all.map(({ value }) => value?.split("/").at(-1) ?? "");
  if (head === "git") return gitUse(args);
  if (STARTS_FOR_EACH.has(head)) return args.some((word) => STARTING_FLAG.test(word)) ? "spreads" : "keeps";
  const names = RUNNERS.has(head) ? [args.find((word) => !RUNNER_WORDS.test(word)) ?? "", head] : [head];
  if (args.some((word) => SPREADS.has(word)) && names.length > 1) return "spreads";
  const [name = ""] = names;
  if (SPREADS.has(name)) return "spreads";
  return names.some((one) => KEEPS.has(one)) ? "keeps" : "unknown";
}

function gitUse(args: readonly string[]): FolderUse {
  const isForced = args.includes("add") || args.includes("stage") || args.includes("diff") || args.includes("grep");
  if (args.some((word) => GIT_SPREADS.test(word))) return "spreads";
  return isForced && args.some((word) => GIT_FORCED.test(word)) ? "spreads" : "keeps";
}

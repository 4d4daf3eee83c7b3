import type { SimpleCommand } from "@quoll/bash-syntax/types";

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

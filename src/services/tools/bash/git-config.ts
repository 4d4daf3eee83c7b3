import { dirname, join, resolve } from "node:path";
import { kindAt } from "../../../platform/files/kind-at.ts";
import { GITLINK, indexNames } from "../../../platform/git/index-names.ts";
import { readSmallFile } from "../../../platform/read-small-file.ts";

/** A repository's own configuration is a few hundred bytes; a person reviews a larger one. */
const MAX_CONFIG_BYTES = 256 * 1024;
const MAX_POINTER_BYTES = 8 * 1024;

/**
 * Keys with pure data: none names a program, another settings file, a hook folder or another work tree. With any other
 * key (filters, textconv, fsmonitor, pagers, aliases, includes, partial clones, which fetch on a read …), git is not safe
 * to run without asking.
 */
const DATA_KEYS: readonly RegExp[] = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|protecthfs|protectntfs|autocrlf|eol|symlinks|safecrlf|quotepath|compression|loosecompression|bigfilethreshold|untrackedcache|abbrev|sharedrepository|longpaths|preloadindex|commentchar|whitespace|checkstat|trustctime|multipackindex|commitgraph|sparsecheckout|sparsecheckoutcone|splitindex)$/,
  /^extensions\.(?:worktreeconfig|objectformat|refstorage|noop|preciousobjects|relativeworktrees|compatobjectformat)$/,
  /^remote\..*\.(?:url|pushurl|fetch|push|mirror|tagopt|prune|prunetags|skipdefaultupdate|gh-resolved)$/,
  /^remote\.pushdefault$/,
  /^branch\..*\.(?:remote|merge|rebase|pushremote|description|vscode-merge-base|gh-merge-base|github-pr-owner-number)$/,
  /^branch\.(?:autosetupmerge|autosetuprebase|sort)$/,
  /^user\.(?:name|email|signingkey|useconfigonly)$/,
  /^(?:author|committer)\.(?:name|email)$/,
  /^init\.defaultbranch$/,
  /^pull\.(?:rebase|ff|octopus|twohead)$/,
  /^push\.(?:default|autosetupremote|followtags)$/,
  /^fetch\.(?:prune|prunetags|parallel|writecommitgraph|fsckobjects)$/,
  /^rebase\.(?:autosquash|autostash|updaterefs|stat)$/,
  /^merge\.(?:ff|conflictstyle|renames|renamelimit|log|stat)$/,
  /^diff\.(?:algorithm|renames|renamelimit|colormoved|colormovedws|mnemonicprefix|noprefix|context|interhunkcontext|indentheuristic|wserrorhighlight|submodule|ignoresubmodules)$/,
  /^status\.(?:short|branch|showuntrackedfiles|renames|aheadbehind|relativepaths|showstash|submodulesummary)$/,
  /^log\.(?:date|decorate|abbrevcommit|follow|mailmap)$/,
  /^color\.[a-z.-]*$/,
  /^(?:gc|pack|index|advice|rerere|maintenance)\.[a-z0-9.-]*$/,
  /^feature\.(?:manyfiles|experimental)$/,
  /^lfs\.repositoryformatversion$/,
  /^tag\.sort$/,
  /^column\.ui$/,
];

/**
 * True if a read-only git command in a folder would run no other program, judged from the repository's own files,
 * without starting git. False for any unusual content.
 * @param folder Absolute, links resolved.
 */
export function gitIsInert(folder: string): boolean {
  const found = findRepository(folder);
  if (found === "none") return true;
  if (found === "unusual") return false;
  const { workTree, gitDir, commonDir } = found;
  if (kindAt(join(workTree, ".gitmodules")) !== undefined || kindAt(join(commonDir, "modules")) !== undefined)
    return false;
  // git reads repositories that the index names, with their own settings.
  if (indexNames(gitDir, GITLINK)?.length !== 0) return false;
  // The only hook that a read-only command can start, when it refreshes the index.
  if (kindAt(join(commonDir, "hooks", "post-index-change")) !== undefined) return false;
  if (!configIsData(join(commonDir, "config"))) return false;
  const ofWorktree = join(gitDir, "config.worktree");
  return kindAt(ofWorktree) === undefined || configIsData(ofWorktree);
}

/** The files next to a repository's HEAD: gitrepository-layout(5). */
const BARE_PARTS = ["objects", "refs", "commondir", "config", "config.worktree", "index"];

type Repository = { readonly workTree: string; readonly gitDir: string; readonly commonDir: string };

/** The place where git would find its repository (gitrepository-layout(5)). */
function findRepository(folder: string): Repository | "none" | "unusual" {
  for (let at = folder; ; at = dirname(at)) {
    const dotGit = join(at, ".git");
    const kind = kindAt(dotGit);
    if (kind === "folder") return withCommonDir(at, dotGit);
    if (kind === "file") {
      const target = /^gitdir: ([^\n]+)\n?$/.exec(readSmallFile(dotGit, MAX_POINTER_BYTES) ?? "")?.[1];
      return target === undefined ? "unusual" : withCommonDir(at, resolve(at, target.trim()));
    }
    if (kind !== undefined) return "unusual";
    // A bare repository: its configuration is an ordinary file of the folder's author. Parts of the repository may be
    // elsewhere.
    if (kindAt(join(at, "HEAD")) !== undefined && BARE_PARTS.some((part) => kindAt(join(at, part)) !== undefined))
      return "unusual";
    if (dirname(at) === at) return "none";
  }
}

function withCommonDir(workTree: string, gitDir: string): Repository | "unusual" {
  const pointer = join(gitDir, "commondir");
  if (kindAt(pointer) === undefined) return { workTree, gitDir, commonDir: gitDir };
  const target = readSmallFile(pointer, MAX_POINTER_BYTES)?.trim();
  return target ? { workTree, gitDir, commonDir: resolve(gitDir, target) } : "unusual";
}

function configIsData(path: string): boolean {
  const text = readSmallFile(path, MAX_CONFIG_BYTES);
  const keys = text === undefined ? undefined : configKeys(text);
  return keys?.every((key) => DATA_KEYS.some((pattern) => pattern.test(key))) ?? false;
}

/**
 * The keys in a git configuration file (git-config(1), "Syntax"), section and name in lower case.
 * @returns undefined if a line is not plainly a section, a key or a comment, such as a continued line.
 */
export function configKeys(text: string): readonly string[] | undefined {
  const keys: string[] = [];
  let section: string | undefined;
  for (const raw of text.split("\n")) {
    let line = raw.replace(/\r$/, "").trim();
    if (line.endsWith("\\")) return undefined;
    const header = /^\[\s*([A-Za-z0-9-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/.exec(line);
    if (header) {
      const [, name = "", sub, rest = ""] = header;
      section = sub === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${sub}`;
      line = rest.trim();
    }
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
    const key = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=.*)?$/.exec(line)?.[1];
    if (key === undefined || section === undefined) return undefined;
    keys.push(`${section}.${key.toLowerCase()}`);
  }
  return keys;
}

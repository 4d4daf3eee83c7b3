import { isAbsolute, join, resolve } from "node:path";
import { UserFacingError } from "../../contracts/errors.ts";
import { isJsonObject } from "../../contracts/message.ts";
import { isInside, realPathOrSelf } from "../../platform/paths.ts";

/** The origin of a plugin or a marketplace. */
export type PluginOrigin =
  | { readonly kind: "folder" /** Absolute. */; readonly path: string }
  | {
      readonly kind: "git";
      readonly url: string;
      /** A branch or a tag; the default branch if absent. */
      readonly ref?: string | undefined;
      /** The commit that must be used. */
      readonly sha?: string | undefined;
      /** The folder in the repository. */
      readonly path?: string | undefined;
    };

const GITHUB_NAME = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9_.][\w.-]*$/;
/** git@host:path; neither part may look like an option. */
const SCP_ADDRESS = /^[A-Za-z0-9_][\w.-]*@[A-Za-z0-9][\w.-]*:[^-\s][^\s]*$/;
const URL_ADDRESS = /^(?:https|ssh|file):\/\/[^-\s][^\s]*$/i;
const REF = /^[A-Za-z0-9_][\w./+-]{0,200}$/;
const SHA = /^[0-9a-f]{40}$/i;

/**
 * Reads an origin that a person typed: a folder, `owner/repo` on GitHub, or the address of a git repository; `#name` after
 * an address is a branch or a tag.
 * @param folders `cwd` is the folder of relative paths.
 * @throws {UserFacingError} (exit 2) it is none of them.
 */
export function typedOrigin(
  text: string,
  { cwd, home }: { readonly cwd: string; readonly home: string },
): PluginOrigin {
  if (text === "~" || text.startsWith("~/")) return { kind: "folder", path: join(home, text.slice(1)) };
  if (text.startsWith("./") || text.startsWith("../") || text === "." || text === ".." || isAbsolute(text))
    return { kind: "folder", path: resolve(cwd, text) };
  const [address = "", ref] = text.split("#", 2);
  const url = GITHUB_NAME.test(address) ? githubUrl(address) : address;
  const origin = gitOrigin({ url, ref });
  if (typeof origin !== "string") return origin;
  throw new UserFacingError(
    `${JSON.stringify(text)}: ${origin}. Give a folder (./name), owner/repo on GitHub, or a git address that begins with https://, ssh:// or file://.`,
    2,
  );
}

/** @returns one phrase if Quoll can't fetch from this origin. */
export function gitOrigin(given: {
  readonly url: unknown;
  readonly ref?: unknown;
  readonly sha?: unknown;
  readonly path?: unknown;
}): PluginOrigin | string {
  const { url, ref, sha, path } = given;
  if (typeof url !== "string" || !(URL_ADDRESS.test(url) || SCP_ADDRESS.test(url)))
    return "this is not a git address over https, ssh or file";
  if (ref !== undefined && !(typeof ref === "string" && REF.test(ref)))
    return "this is not the name of a branch or a tag";
  if (sha !== undefined && !(typeof sha === "string" && SHA.test(sha))) return "`sha` must be a whole commit id";
  if (path !== undefined && !(typeof path === "string" && isRelative(path))) return "`path` must lie in the repository";
  return {
    kind: "git",
    url,
    ...(ref !== undefined && { ref }),
    ...(sha !== undefined && { sha }),
    ...(path !== undefined && { path }),
  };
}

/**
 * The `source` of an entry in a marketplace.
 * @param root The marketplace's folder; absolute.
 * @returns one phrase if Quoll can't install from this origin.
 */
export function entryOrigin(source: unknown, root: string, pluginRoot = "."): PluginOrigin | string {
  if (typeof source === "string") {
    const base = source.startsWith("./") ? "." : pluginRoot;
    if (!isRelative(source) || !isRelative(base)) return "`source` must be a path in the marketplace";
    const path = resolve(root, base, source);
    if (!isInside(root, realPathOrSelf(path))) return "`source` leads out of the marketplace";
    return { kind: "folder", path };
  }
  if (!isJsonObject(source)) return "`source` is missing";
  const { source: kind, repo, url, ref, sha, path } = source;
  if (kind === "github")
    return typeof repo === "string" && GITHUB_NAME.test(repo)
      ? gitOrigin({ url: githubUrl(repo), ref, sha })
      : "`repo` must be owner/name";
  if (kind === "url" || kind === "git") return gitOrigin({ url, ref, sha });
  if (kind === "git-subdir") return gitOrigin({ url: addressOf(url), ref, sha, path });
  return `Quoll does not install from ${JSON.stringify(kind ?? "nothing")}`;
}

function addressOf(url: unknown): unknown {
  return typeof url === "string" && GITHUB_NAME.test(url) ? githubUrl(url) : url;
}

/** An origin in a sentence. */
export function originText(origin: PluginOrigin): string {
  if (origin.kind === "folder") return origin.path;
  const { url, ref, path } = origin;
  return `${url.replace(/\/\/[^/@]*@/, "//")}${ref === undefined ? "" : `#${ref}`}${path === undefined ? "" : ` (${path})`}`;
}

function githubUrl(name: string): string {
  return `https://github.com/${name.replace(/\.git$/, "")}.git`;
}

function isRelative(path: string): boolean {
  return !isAbsolute(path) && !path.split("/").includes("..") && !path.includes("\0");
}

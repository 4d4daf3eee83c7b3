import { join } from "node:path";
import { kindAt } from "../../../platform/files/kind-at.ts";
import type { PathContext } from "./path-pattern.ts";

/** Characters that no one sees or types: pasted from a web page or a document. */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find.
  /[\u0000-\u0008\u000b-\u001f\u007f\u00a0\u00ad\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]/;
/** `path:x`, and the names of tools' parameters: only a domain has such a prefix. */
const PARAMETER =
  /^(?:regex|re|exact|prefix|name|type|path|paths|file|file_path|filePath|dir|directory|glob|pattern|command|domain|url|tool|agent|agent_type|subagent_type|model|skill|description|prompt)\s*[:=](?!:)/;

/** The reason why nothing can match an invisible character of a rule; undefined if the rule holds none. */
export function invisibleFault(text: string): string | undefined {
  const code = INVISIBLE.exec(text)?.[0].codePointAt(0);
  if (code === undefined) return undefined;
  return `it contains the invisible character U+${code.toString(16).toUpperCase().padStart(4, "0")}: type it again`;
}

/** Letters of Cyrillic and Greek that look like Latin ones. */
const LOOK_ALIKES =
  /^[A-Za-z\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0408\u0405\u03bf\u0391\u0392\u0395-\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7]+$/;

/** The reason why nothing can match a word with a letter of another script; undefined if the rule holds none. */
export function lookAlikeFault(text: string): string | undefined {
  const words = text.match(/\p{L}+/gu) ?? [];
  const word = words.find((one) => /[A-Za-z]/.test(one) && /[^A-Za-z]/.test(one) && LOOK_ALIKES.test(one));
  const letter = /[^A-Za-z]/u.exec(word ?? "")?.[0];
  return letter === undefined ? undefined : looksLike(letter);
}

/** For a sign that is not the one that it looks like. */
export function looksLike(sign: string): string {
  const code = (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `${sign} (U+${code}) only looks like another sign: type it again`;
}

/** The reason why no path can match a pattern, as one phrase; undefined if one can. */
export function pathFault(spec: string, { base, home }: Pick<PathContext, "base" | "home">): string | undefined {
  const path = spec.trim();
  const bare = path.replace(/\\[\s\S]/g, "_").replace(/\{[^}]*\}/g, "_");
  if (isQuoted(path)) return "the quotes are part of its path: leave them out";
  if (/^[a-z][a-z+.-]*:\/\//i.test(path)) return "it is an address, not a path";
  if (/^[A-Za-z]:[\\/]/.test(path)) return "it is a path of Windows: write //folder/… for a path from the root";
  const parameter = PARAMETER.exec(path)?.[0];
  if (parameter !== undefined) return `${parameter} is part of its path: write the path alone`;
  if (/\\[A-Za-z0-9_]/.test(path)) return "\\ separates no folders: write / between them";
  if (/[^\\]:\*$/.test(path)) return ":* is for commands: write ** for everything below a folder";
  if (/\s#\s/.test(path)) return "it has a comment: leave it out";
  if (/\{[^{}]*,[^{}]*$/.test(path.replace(/\\[\s\S]/g, "_"))) return "the closing } is missing";
  if (/<[A-Za-z][\w -]*>/.test(path)) return "it has a placeholder: ** stands for any folders";
  if (/(?:^|\/)(?:\.\.\.|\u2026)(?:\/|$)/.test(path)) return "... names no folder: write ** for any folders";
  if (/^\^|^\.\+$|\w\$$|\$\/$|\.[*+]\\\.|\((?:[^()]*\|)+[^()]*\)/.test(path) || bare.includes("|"))
    return "it is written as a regular expression: paths have the syntax of .gitignore";
  if (/^(?:\$\{|\$\([a-z]+[^)]*\)|\$[A-Z_]{2,}(?:\/|$)|%\w+%)/.test(path))
    return "variables are not replaced: write ~/ for the home folder";
  if (/^~[A-Za-z_+-][\w-]*(?:\/|$)/.test(path)) return "only ~/ is a home folder: write // and the whole path";
  if (/\n|,\s*(?=[.~/*]|\S+\/)|,\s+\S|[;\s]\s*(?=\.[\w/]|[~/*])/.test(bare))
    return "it is a list: write one rule for each path";
  return absoluteFault(path, base, home);
}

/** `/home/ann/x` is a path below the project's root, which has no such folder. */
function absoluteFault(path: string, base: string, home: string): string | undefined {
  if (path.startsWith("//") || !path.startsWith("/")) return undefined;
  const isBelow = (folder: string) => folder !== "/" && (path === folder || path.startsWith(`${folder}/`));
  if (!isBelow(base) && !isBelow(home)) return undefined;
  return `one / at its start means the project's root: write /${path} for the path from the root of the file system`;
}

/** A host as addresses give it: in lower case, without a dot at its end, in ASCII. */
export function plainHost(written: string): string {
  const host = written
    .trim()
    .toLowerCase()
    .replace(/(?<=[^*.])\.$/, "");
  const prefix = host.startsWith("*.") ? "*." : "";
  const name = host.slice(prefix.length);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII.
  if (/^[\u0000-\u007f]*$/.test(name) || !URL.canParse(`http://${name}`)) return host;
  return prefix + new URL(`http://${name}`).hostname;
}

/** Parents of home folders: a team's rule may name those of another system. */
const HOMES = /^\/(?:home|Users)$/;
/** Folders of the system that a project rarely has. */
const SYSTEM_FOLDER =
  /^\/(?:etc|home|Users|root|usr|var|opt|tmp|private|mnt|Volumes|proc|sys|srv|boot|Library|Applications|System)(?=\/|$)/;

/** One phrase if a path seems to mean a folder of the system, and its first `/` means the project's root. */
export function rootDoubt(spec: string, { base }: Pick<PathContext, "base">): string | undefined {
  const path = spec.trim();
  const folder = SYSTEM_FOLDER.exec(path)?.[0];
  if (folder === undefined || kindAt(join(base, folder)) !== undefined) return undefined;
  if (!HOMES.test(folder) && kindAt(folder) === undefined) return undefined;
  return `${path} means ${join(base, path)}; write /${path} for the path from the root of the file system`;
}

/** The reason why no host can match a pattern, as one phrase; undefined if one can. */
export function hostFault(host: string): string | undefined {
  const name = host.startsWith("*.") ? host.slice(2) : host;
  if (host === "*" || /^\[[0-9a-f:.]+\]$/.test(host)) return undefined;
  if (/:\/\/|\//.test(name)) return "write the name of the host alone, without https:// and without a path";
  if (name.includes(",") || /\s/.test(name)) return "it is a list: write one rule for each host";
  if (name.includes("*")) return "a host is written as example.com or *.example.com";
  if (/:\d+$/.test(name)) return "write the name of the host without its port";
  if (name.startsWith(".") && name.length > 1) return `write domain:*${name} for every host below it`;
  const isName = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/.test(name);
  if (!isName) return "a host is written as example.com or *.example.com";
  // An address in numbers has one form in the addresses of requests.
  if (!/^[\d.]+$|^0x/.test(name)) return undefined;
  const plain = URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : undefined;
  if (plain === undefined) return "it is no address: a host is written as example.com or *.example.com";
  return plain === name ? undefined : `write domain:${plain}`;
}

/** The reason why no agent or skill can match a pattern, as one phrase; undefined if one can. */
export function nameFault(spec: string): string | undefined {
  const name = spec.trim();
  if (isQuoted(name)) return "the quotes are part of its name: leave them out";
  const parameter = PARAMETER.exec(name)?.[0];
  if (parameter !== undefined) return `${parameter} is part of its name: write the name alone`;
  if (/^(?:[@!/#]|\.\.?\/)|\.md$/i.test(name)) return "write the name alone, without a sign before it and without .md";
  if (/\.[*+](?:$|[^*+])/.test(name)) return "it is written as a regular expression: * alone stands for any text";
  return /[,|()^$[\]{}]/.test(name) ? "it is no name: write one rule for each name, with * for any text" : undefined;
}

function isQuoted(text: string): boolean {
  return /^(["'`]).*\1$/s.test(text) && text.length > 1;
}

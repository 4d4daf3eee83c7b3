import { isDummyValue } from "./judge-value.ts";
import type { Finder, SecretMatch } from "./secret-match.ts";

const SECRET_KIND = /\bkind["']?[ \t]{0,4}:[ \t]{0,4}["']?Secret(?:List)?\b/;
const DATA_IN_JSON = /"(?:data|stringData)"\s{0,20}:\s{0,20}\{([^{}]{1,500000})\}/g;
const PAIR_IN_JSON = /"[\w.-]{1,253}"\s{0,20}:\s{0,20}"((?:[^"\\\n]|\\.){1,500000})"/g;
/** Prefixes that tools put before a line; matched separately so that indentation can be compared. */
const LINE = /^((?:[^\n]{0,200}?[:-]\d{1,7}[:-]|[ \t]{0,8}\d{1,7}(?:\t|→)|[+-])?)([ ]*)(.*)$/;
const DATA_IN_YAML = /^(?:data|stringData):\s*$/;
const PAIR_IN_YAML = /^["']?[\w.-]{1,253}["']?:[ \t]+(?:!!binary[ \t]+)?["']?([^\s"'#|>&*{[][^\s"']*)["']?\s*$/;
const BLOCK_IN_YAML = /^["']?[\w.-]{1,253}["']?:[ \t]+[|>][+-]?\d?\s*$/;
const MIN_CHARS = 4;
const MAX_LINE_CHARS = 100_000;

/** Finds the values of Kubernetes secrets, in YAML and JSON: base64 hides nothing. */
export const kubernetesSecretFinder: Finder = (text) => {
  if (!SECRET_KIND.test(text)) return [];
  return [...inJson(text), ...inYaml(text)];
};

function inJson(text: string): readonly SecretMatch[] {
  const found: SecretMatch[] = [];
  for (const block of text.matchAll(DATA_IN_JSON)) {
    const body = block[1] ?? "";
    const offset = block.index + block[0].length - 1 - body.length;
    for (const pair of body.matchAll(PAIR_IN_JSON)) {
      const value = pair[1] ?? "";
      const start = offset + pair.index + pair[0].length - 1 - value.length;
      if (isSecretValue(value)) found.push({ start, end: start + value.length, kind: "kubernetes" });
    }
  }
  return found;
}

/** Documents are separated by `---`; only those of kind Secret are scanned. */
function inYaml(text: string): readonly SecretMatch[] {
  const found: SecretMatch[] = [];
  let start = 0;
  for (const document of text.split(/(?<=\n)(?=(?:[^\n]{0,200}[:\t+-])?---[ \t]*\r?\n)/)) {
    if (SECRET_KIND.test(document)) found.push(...inDocument(document, start));
    start += document.length;
  }
  return found;
}

function inDocument(document: string, offset: number): readonly SecretMatch[] {
  const found: SecretMatch[] = [];
  /** The indentation of the current `data:`, and of a block scalar in it. */
  let dataIndent: number | undefined;
  let blockIndent: number | undefined;
  let start = offset;
  for (const raw of document.split("\n")) {
    const [, lead = "", indent = "", rest = ""] = LINE.exec(raw.slice(0, MAX_LINE_CHARS).replace(/\r$/, "")) ?? [];
    const at = start + lead.length + indent.length;
    start += raw.length + 1;
    if (rest.trim() === "") continue;
    if (blockIndent !== undefined && indent.length > blockIndent) {
      found.push({ start: at, end: at + rest.trimEnd().length, kind: "kubernetes" });
      continue;
    }
    blockIndent = undefined;
    if (dataIndent === undefined || indent.length <= dataIndent) {
      dataIndent = DATA_IN_YAML.test(rest) ? indent.length : undefined;
      continue;
    }
    if (BLOCK_IN_YAML.test(rest)) blockIndent = indent.length;
    const value = PAIR_IN_YAML.exec(rest)?.[1] ?? "";
    if (!isSecretValue(value)) continue;
    const from = at + rest.lastIndexOf(value);
    found.push({ start: from, end: from + value.length, kind: "kubernetes" });
  }
  return found;
}

function isSecretValue(value: string): boolean {
  return value.length >= MIN_CHARS && !isDummyValue(value);
}

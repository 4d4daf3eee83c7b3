import { isDummyValue, looksLikePassword, looksRandom } from "./judge-value.ts";
import type { Finder, SecretMatch } from "./secret-match.ts";

/** A rule that recognises a credential by its context. */
type ContextRule = {
  /** `password` by default. */
  readonly kind?: string;
  /** Texts without this lower-case word are skipped. */
  readonly word: string;
  /** A global expression whose first group is the value. Every repetition is bounded. */
  readonly pattern: RegExp;
  /** `looksLikePassword` by default. */
  accepts?(value: string): boolean;
};

const SECRET_NAME = "password|passwd|passphrase|token|secret|api-?key|access-?key|secret-?key|auth-?key";

const RULES: readonly ContextRule[] = [
  {
    kind: "authorization",
    word: "authorization",
    pattern:
      /authorization(?:\\?["'])?\s{0,4}[:=]{1,2}>?\s{0,4}(?:\\?["'`])?(?:(?:bearer|basic|token|bot|apikey|negotiate|ghs|key)\s{1,4})?([^\s"'`\\,;(){}<>]{8,8192})/gi,
    accepts: (value) => looksRandom(value, 12) || isBasic(value),
  },
  {
    kind: "authorization",
    word: "bearer ",
    pattern: /\bbearer {1,4}([\w.~+/=-]{16,8192})/gi,
    accepts: (value) => looksRandom(value),
  },
  { kind: "basic-auth", word: "basic ", pattern: /\bbasic {1,4}([A-Za-z0-9+/]{8,2048}={0,2})/gi, accepts: isBasic },
  {
    kind: "basic-auth",
    word: "auth",
    pattern: /_?auth(?:\\?["'])?[ \t]{0,4}[:=][ \t]{0,4}(?:\\?["'])?([A-Za-z0-9+/]{8,2048}={0,2})/gi,
    accepts: isBasic,
  },
  {
    kind: "cookie",
    word: "cookie",
    pattern:
      /cookie:[ \t]{0,4}(?:[^\n"'=;]{1,60}=[^\n"';]{0,200};[ \t]?){0,8}?[\w.-]{0,40}(?:sess|sid|auth|token|jwt)[\w.-]{0,40}=([^\s"';,]{12,4096})/gi,
    accepts: (value) => looksRandom(value),
  },
  {
    word: "--",
    pattern: new RegExp(
      `(?<![\\w-])--(?:[\\w-]{0,30}-)?(?:${SECRET_NAME})[ \\t]{1,4}["']?([^\\s"'<>$-][^\\s"'<>]{5,1024})`,
      "gi",
    ),
    accepts: (value) => looksRandom(value) || (looksLikePassword(value) && /\d/.test(value)),
  },
  { word: "curl", pattern: /\bcurl\b[^\n]{0,400}?\s(?:-u|--user)[ =]?["']?[^\s:"'$]{1,64}:([^\s"']{4,256})/g },
  { word: "sshpass", pattern: /\bsshpass\b[^\n]{0,40}?\s-p[ ]?["']?([^\s"']{4,256})/g },
  {
    word: "mysql",
    pattern: /\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n]{0,200}?\s-p["']?([^\s"'=][^\s"']{5,256})/g,
  },
  {
    word: "login",
    pattern: /\blogin\s{1,8}\S{1,128}\s{1,8}password\s{1,8}(\S{4,256})/g,
    accepts: (value) => !isDummyValue(value),
  },
  {
    word: "identified",
    pattern:
      /\bidentified\s{1,4}(?:with\s{1,4}\S{1,40}\s{1,4})?by\s{1,4}(?:password\s{1,4})?["']([^"'\n]{6,256})["']/gi,
  },
  {
    word: "</",
    pattern: new RegExp(`<(?:[\\w.:-]{0,30})(?:${SECRET_NAME})>\\s{0,20}([^<>\\s]{6,4096})\\s{0,20}</`, "gi"),
    accepts: (value) => looksLikePassword(value) || looksRandom(value, 12),
  },
  {
    kind: "password-hash",
    word: ":$",
    pattern:
      /(?<![^\n])(?:[^\n]{0,200}?[:-]\d{1,7}[:-]|[ \t]{0,8}\d{1,7}\t)?[a-z_][\w.-]{0,31}:(\$(?:apr1|[1-7y]|2[aby]|gy|scrypt)\$[./A-Za-z0-9$=,+]{20,256})(?=:|\r?$)/gm,
    accepts: () => true,
  },
  {
    word: ":5432:",
    pattern: /(?<![^\n])[\w.*-]{1,253}:5432:[\w*-]{1,63}:[\w*-]{1,63}:([^\s:]{4,256})$/gm,
    accepts: (value) => !isDummyValue(value),
  },
  { word: ":", pattern: /(?<![^\n])[\w.*-]{1,253}:\d{4,5}:[\w*-]{1,63}:[\w*-]{1,63}:([^\s:]{6,256})$/gm },
  { word: "password", pattern: /\bpassword\s{1,4}["']([^"'\n]{6,256})["']/gi },
  {
    word: "chpasswd",
    pattern:
      /\becho\s{1,4}(?:-\w{1,3}\s{1,4})?["']?[\w.-]{1,32}:([^\s"'|]{4,256})["']?\s{0,4}\|\s{0,4}(?:sudo\s{1,4})?chpasswd/g,
    accepts: (value) => !isDummyValue(value),
  },
  { word: "redis-cli", pattern: /\bredis-cli\b[^\n]{0,200}?\s-a\s{1,4}["']?([^\s"'$]{4,256})/g },
];

/** Credentials that are recognisable by their context: headers, options of commands, markup, password files. */
export const contextFinder: Finder = (text) => {
  const lower = text.toLowerCase();
  return RULES.filter(({ word }) => lower.includes(word)).flatMap((rule) => matchesOf(text, rule));
};

function matchesOf(
  text: string,
  { kind = "password", pattern, accepts = looksLikePassword }: ContextRule,
): readonly SecretMatch[] {
  const found: SecretMatch[] = [];
  for (const match of text.matchAll(pattern)) {
    const value = match[1] ?? "";
    if (isDummyValue(value) || !accepts(value)) continue;
    const start = match.index + match[0].lastIndexOf(value);
    found.push({ start, end: start + value.length, kind });
  }
  return found;
}

/** Base64 of `user:password` (RFC 7617). */
function isBasic(value: string): boolean {
  if (value.length % 4 === 1 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return false;
  const text = Buffer.from(value, "base64").toString("utf8");
  return /^[\x20-\x7e]{1,200}:[\x20-\x7e]{3,500}$/.test(text) && !isDummyValue(text);
}

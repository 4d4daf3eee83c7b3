import { describe, expect, test } from "bun:test";
import { createRedactor } from "../../../src/services/redaction/create-redactor.ts";
import { ruleSetKinds } from "../../../src/services/redaction/rule-set.ts";
import { cpuClock } from "../../support/cpu-clock.ts";
import { deepTest, eachOrDeep, seededTest } from "../../support/deep.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { CREDENTIALS, hex, jwt, keyBody, mixed, pem } from "./credentials.ts";
import { NO_SECRETS } from "./no-secrets.ts";

const KEY = new Uint8Array(32).fill(7);
const PLACEHOLDER = /\[\[SECRET:[a-z0-9-]{1,32}:[0-9a-f]{12}\]\]/g;
const redactor = await createRedactor({ key: KEY });
const { redact } = redactor;
const names = (text: string) => redact(text).match(PLACEHOLDER) ?? [];
const TOKEN = ["gh", "p_", mixed(36)].join("");

describe("hidden credentials", () => {
  test("is shown by enough samples", () => {
    expect(CREDENTIALS.length).toBeGreaterThanOrEqual(60);
    expect(NO_SECRETS.length).toBeGreaterThanOrEqual(60);
  });

  test.each(CREDENTIALS)("is $name", ({ text, values, kind }) => {
    const shown = redact(text);
    for (const value of values) expect(shown).not.toContain(value);
    expect(shown).toMatch(new RegExp(`\\[\\[SECRET:${kind}:[0-9a-f]{12}\\]\\]`));
  });

  test.each(NO_SECRETS)("is not %s", (text) => {
    expect(redact(text)).toBe(text);
  });

  test("replace only the value: the text around it stays byte for byte", () => {
    const text = `\r\nremote:\thttps://ann:${"Tr0ub4dor"}9x@git.acme.dev/shop.git # main\r\n`;
    expect(redact(text).replace(PLACEHOLDER, "*")).toBe("\r\nremote:\thttps://ann:*@git.acme.dev/shop.git # main\r\n");
  });

  test("leaves a key's first and last lines, and what is before and behind them", () => {
    const text = `a\n${pem(keyBody(5))}\nb`;
    const [first, last] = ["BEGIN", "END"].map((word) => `-----${word} RSA ${"PRIVATE KEY"}-----`);
    expect(redact(text).replace(PLACEHOLDER, "*")).toBe(`a\n${first}\n*\n${last}\nb`);
  });

  test.each([
    ["sk-ant-api03-", mixed(320), ""],
    ["gh" + "p_", mixed(400), ""],
    ["gl" + "pat-", `${mixed(120)}-${mixed(120)}`, ""],
    ["sk_" + "live_", mixed(400), ""],
    [`${jwt().split(".").slice(0, 2).join(".")}.`, mixed(3_000), ""],
    ["API_KEY=", mixed(9_000), "\nNEXT=1"],
  ])("that is longer than usual is hidden to its end: %s", (lead, secret, rest) => {
    const shown = redact(`x=1\n${lead}${secret}${rest}`);
    for (let at = 0; at + 16 <= secret.length; at += 1) expect(shown).not.toContain(secret.slice(at, at + 16));
  });

  test("comes from each rule of the preset that is in use", () => {
    expect(ruleSetKinds()).toEqual(
      expect.arrayContaining(["aws", "npm", "slack", "github", "gitlab", "openai", "anthropic", "databricks", "figma"]),
    );
    expect(ruleSetKinds()).not.toContain("filter-comments");
  });

  test("can't be switched off by the text", () => {
    const shown = redact(`/* secretlint-disable */\n${TOKEN}\n// secretlint-disable-line ${TOKEN}`);
    expect(shown).not.toContain(TOKEN);
  });

  test("is every secret of a text, also on one huge line", () => {
    const text = `${"x=1;".repeat(100_000)}t="${TOKEN}";${"y=2;".repeat(100_000)}${jwt()}`;
    expect(names(text)).toHaveLength(2);
  });
});

describe("values that are known", () => {
  const secret = "some words, spaced: no shape";
  const known = createRedactor({ key: KEY, knownValues: [secret, "short", "overlap-1", "lap-1234567"] });

  test("are hidden wherever they stand, whatever their shape", async () => {
    const shown = (await known).redact(`a${secret}b ${secret}\n${secret}`);
    expect(shown).not.toContain(secret);
    expect(shown.replace(PLACEHOLDER, "*")).toBe("a*b *\n*");
    expect(new Set(shown.match(PLACEHOLDER)).size).toBe(1);
  });

  test("remain visible if they are too short to distinguish from other text", async () => {
    expect((await known).redact("short")).toBe("short");
  });

  test("that overlap are hidden together", async () => {
    expect((await known).redact("<overlap-1234567>").replace(PLACEHOLDER, "*")).toBe("<*>");
  });
});

test("a password that was hidden once stays so where nothing says what it is", async () => {
  const fresh = await createRedactor({ key: KEY });
  const password = ["Tr0ub", "4dor&9x"].join("");
  expect(fresh.redact(`login failed: ${password}`)).toContain(password);
  const [placeholder = ""] = fresh.redact(`PASSWORD=${password}`).match(PLACEHOLDER) ?? [];
  expect(fresh.redact(`login failed: ${password}`)).toBe(`login failed: ${placeholder}`);
});

test("a token with a counted-up id in it is hidden, a token that is nothing but a sequence is not", async () => {
  const { redact } = await createRedactor({ key: KEY });
  const random = "a8Kd93jfLs02mfPqZx81Tr4w";
  for (const token of [
    `xoxb-${"1234567890"}-${"1234567890"}123-${random}`,
    `ghp_${"12345678"}kdJfi39dkPqLzMxNcBvAa7Yt6Re2`,
    `sk_live_${"12345678"}kJfi39dkPqLzMxNcBvAa`,
  ])
    expect(redact(`key: ${token} end`)).toMatch(/^key: \[\[SECRET:[\w-]+:\w{12}\]\] end$/);
  for (const token of [
    `ghp_abcdefghijklmnopqrstuvwxyz${"1234567890"}`,
    `xoxb-${"1234567890"}-abcdefghijklmnopqrstuvwx`,
  ])
    expect(redact(`key: ${token} end`)).toBe(`key: ${token} end`);
});

describe("placeholders", () => {
  test("are the same for the same value, other for others, and other under another key", async () => {
    const other = await createRedactor({ key: new Uint8Array(32).fill(8) });
    expect(names(TOKEN)).toEqual(names(`x ${TOKEN}`));
    expect(names(TOKEN)).not.toEqual(names(["gh", "p_", mixed(35), "Z"].join("")));
    expect(other.redact(TOKEN)).not.toBe(redact(TOKEN));
    expect(other.redact(TOKEN)).toMatch(PLACEHOLDER);
  });

  test("of a private key are the same with numbers, with CRLF, indented and in JSON", () => {
    const key = pem(keyBody(6), "");
    const lines = key.split("\n");
    const shapes = [
      key,
      key.replaceAll("\n", "\r\n"),
      lines.map((line, at) => `${String(at + 1).padStart(6)}\t${line}`).join("\n"),
      lines.map((line, at) => `a/b-1.pem:${at + 1}:${line}`).join("\n"),
      lines.map((line) => `      ${line}`).join("\n"),
      lines.map((line) => `+${line}`).join("\n"),
      JSON.stringify({ key: `${key}\n` }),
      `KEY="${key.replaceAll("\n", "\\n")}"`,
    ];
    expect(new Set(shapes.flatMap(names)).size).toBe(1);
    expect(shapes.flatMap(names)).toHaveLength(shapes.length);
  });

  test("survive JSON, quotes of a shell and templates unchanged", () => {
    const [name = ""] = names(TOKEN);
    expect(JSON.stringify(name)).toBe(`"${name}"`);
    expect(name).toMatch(/^[\x21-\x7e]+$/);
    expect(name).not.toMatch(/[$`"'\\{}<>&]/);
  });

  test("are listed once each", () => {
    const [name = ""] = names(TOKEN);
    expect(redactor.placeholdersIn(`a ${name} b ${name} [[SECRET:x]] [[SECRET:Y:000000000000]]`)).toEqual([name]);
    expect(redactor.placeholdersIn("none")).toEqual([]);
  });

  test("are left as they are by a second pass", () => {
    for (const { text } of CREDENTIALS) expect(redact(redact(text))).toBe(redact(text));
  });

  test("in a value don't hide the value's neighbours from the rules", () => {
    const [name] = names(TOKEN);
    expect(redact(`${name} ${jwt()}`)).not.toContain(jwt());
    expect(redact(`password=${name}`)).toBe(`password=${name}`);
  });
});

/** Texts made of credentials, pieces of notation and rubbish. */
function randomText(seed: number): string {
  const { pick, some, below } = seededRandom(seed);
  const pieces = [
    ...CREDENTIALS.map(({ text }) => text),
    ...NO_SECRETS,
    ..."password=|token: |\"|'|\n|\r\n|://|@|:|[[SECRET:|]]|\\n|-----BEGIN PRIVATE KEY-----|\0|\ud800|é|😀|   ".split(
      "|",
    ),
  ];
  return some(14, () => {
    const piece = pick(pieces);
    const from = below(4) === 0 ? below(piece.length) : 0;
    return piece.slice(from, below(4) === 0 ? from + below(piece.length) : undefined);
  }).join("");
}

describe("over random texts", () => {
  const cases = { quick: 15, deep: 400 };
  const seedsFrom = (seed: number, count: number) => Array.from({ length: count }, (_, at) => seed + at);

  seededTest("hiding twice is hiding once", { seed: 1, cases }, (first, count) => {
    const different = seedsFrom(first, count).filter((seed) => {
      const once = redact(randomText(seed));
      return redact(once) !== once;
    });
    expect(different).toEqual([]);
  });

  seededTest(
    "a credential of a known shape never remains, whatever stands around it",
    { seed: 1, cases },
    (first, count) => {
      const left = seedsFrom(first, count).filter((seed) => {
        const random = seededRandom(seed);
        const value = ["gh", "p_", ...random.some(0, () => ""), mixed(60).slice(random.below(20)).slice(0, 36)].join(
          "",
        );
        return redact(`${randomText(seed)} ${value} ${randomText(seed + 1)}`).includes(value);
      });
      expect(left).toEqual([]);
    },
  );

  seededTest("random passwords in an environment file never remain", { seed: 1, cases }, (first, count) => {
    const signs = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789!%^*+-_.";
    const left = seedsFrom(first, count).filter((seed) => {
      const { pick, below } = seededRandom(seed);
      const value = `k9${Array.from({ length: 8 + below(30) }, () => pick([...signs])).join("")}`;
      return redact(`PORT=1\nDB_PASSWORD=${value}\nAPI_TOKEN=${value}${hex(12)}\n`).includes(value);
    });
    expect(left).toEqual([]);
  });
});

describe("bad input", () => {
  const MOST_MS_PER_MILLION = 4_000;
  const HOSTILE = [
    "a",
    " ",
    "\n",
    "password=",
    'password="',
    "password: '",
    "token:token:",
    '"token",',
    "eyJ",
    "eyJhbGciOiJIUzI1NiJ9.",
    "://a:",
    "https://a:b",
    `-----BEGIN ${"PRIVATE KEY"}-----`,
    `-----BEGIN ${"PRIVATE KEY"}-----\nAAAA\n`,
    `-----END ${"PRIVATE KEY"}-----\nAAAA\n`,
    "Private-Lines: 1\n",
    "ghs_1_",
    "ghs_1_a.",
    "xoxb-1-",
    "SG.a.",
    "sk-ant-a-",
    "kind: Secret\ndata:\n  a: b\n",
    '{"kind":"Secret","data":{"a":"b"}}',
    '"data":{',
    "authorization: ",
    "cookie: a=b;",
    "curl -u a:",
    "login a password ",
    "</password>",
    "[[SECRET:",
    "[[SECRET:a:000000000000]]",
    "_authToken=",
    "1:2:",
    "\\n",
    "\ud800",
    "\0",
  ];

  const takesNoLongTime = (piece: string, length: number) => {
    const text = piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
    const spent = cpuClock();
    redact(text);
    expect(spent()).toBeLessThan((MOST_MS_PER_MILLION * length) / 1_000_000);
  };

  eachOrDeep(
    "200,000 characters of %j take no long time",
    (at) => at % 3 === 0,
    HOSTILE,
    (piece) => takesNoLongTime(piece, 200_000),
  );
  for (const piece of HOSTILE)
    deepTest(`a million characters of ${JSON.stringify(piece)} take no long time`, () =>
      takesNoLongTime(piece, 1_000_000),
    );

  deepTest("time grows with the text, not with its square", () => {
    const time = (length: number) => {
      const text = `password=${"a1".repeat(8)}:`.repeat(length / 26);
      const runs = [1, 2, 3].map(() => {
        const spent = cpuClock();
        redact(text);
        return spent();
      });
      return Math.min(...runs);
    };
    const short = time(52_000);
    expect(time(416_000)).toBeLessThan(Math.max(short, 2) * 32);
  });

  test.each(["", "\n", "\r", "[[SECRET::]]", "password=", "-----BEGIN", "\ud800\udc00\udc00"])("%j stays", (text) => {
    expect(redact(text)).toBe(text);
  });
});

import { describe, expect, test } from "bun:test";
import { childEnvironment } from "../../../src/platform/processes/child-environment.ts";
import {
  credentialValues,
  isCredential,
  variablesWantedBy,
  withheldHint,
  withheldVariables,
} from "../../../src/platform/processes/credential-variables.ts";
import { PROGRAM_CREDENTIALS, RUNNERS } from "../../../src/platform/processes/program-credentials.ts";
import { holdsToken, TOKEN_SHAPES } from "../../../src/platform/processes/token-shapes.ts";
import { findUrlPasswords, urlPasswords } from "../../../src/platform/processes/url-passwords.ts";
import { cpuClock } from "../../support/cpu-clock.ts";

const given = (base: Record<string, string>, pass?: readonly string[]) =>
  childEnvironment(base, { path: "/usr/bin", tag: "t", ...(pass && { pass }) });
const TOKEN = ["gh", "p_", "kQ7xWm2ZpT9vBn4RsJ6hYc8LdG3fUa5Ee1Xo"].join("");

const CREDENTIALS: readonly (readonly [name: string, value: string])[] = [
  ...[
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "NPM_TOKEN",
    "NODE_AUTH_TOKEN",
    "TOKEN",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_SESSION_TOKEN",
    "DB_PASSWORD",
    "PGPASSWORD",
    "DBPASSWORD",
    "MYSQL_PWD",
    "MYSQL_ROOT_PASSWORD",
    "SMTP_PASS",
    "BORG_PASSPHRASE",
    "CLIENT_SECRET",
    "JWT_SECRET",
    "SECRET_KEY_BASE",
    "STRIPE_API_KEY",
    "ENCRYPTION_KEY",
    "JWT_SIGNING_KEY",
    "AZURE_STORAGE_KEY",
    "GITHUB_PAT",
    "SENTRY_DSN",
    "npm_config__auth",
    "npm_config_//registry.acme.dev/:_authToken",
    "GOOGLE_CREDENTIALS",
    "ANTHROPIC_API_KEY",
    "QUOLL_SOME_KEY",
    "CI_JOB_TOKEN",
    "REDISCLI_AUTH",
    "APP_SECRET_2",
    "KEY_B64_SECRET",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
  ].map((name) => [name, "v4lue-of-it"] as const),
  ["DATABASE_URL", "postgres://app:Tr0ub4dor@db:5432/shop"],
  ["REDIS_URL", "redis://:Tr0ub4dor@cache"],
  ["SOMETHING", TOKEN],
  ["TLS", `-----BEGIN ${"PRIVATE KEY"}-----\nMIIE`],
  ["GOOGLE_APPLICATION_CREDENTIALS", '{"type":"service_account"}'],
];
const OTHERS: readonly (readonly [name: string, value: string])[] = [
  ["HOME", "/home/ann"],
  ["SSH_AUTH_SOCK", "/run/user/1/keyring/ssh"],
  ["SSH_ASKPASS", "/usr/bin/ask"],
  ["XAUTHORITY", "/home/ann/.Xauthority"],
  ["KUBECONFIG", "/home/ann/.kube/config"],
  ["GOOGLE_APPLICATION_CREDENTIALS", "/home/ann/keys/app.json"],
  ["SSH_PRIVATE_KEY", "/home/ann/.ssh/id_ed25519"],
  ["AWS_PROFILE", "shop"],
  ["AWS_REGION", "eu-central-1"],
  ["KEYBOARD_LAYOUT", "de"],
  ["MONKEY", "banana"],
  ["TOKENIZERS_PARALLELISM", "false"],
  ["MAX_TOKENS", "4096"],
  ["PRIMARY_KEY", "id"],
  ["CACHE_KEY", "v17"],
  ["GPG_KEY", "A035C8C19219BA821ECEA86B64E628F8D684696D"],
  ["STRIPE_PUBLISHABLE_KEY", "pk_x"],
  ["PUBLIC_KEY", "abc"],
  ["USE_API_KEY", "true"],
  ["DATABASE_URL", "postgres://localhost/shop"],
  ["HTTPS_PROXY", "http://ann:Tr0ub4dor@proxy:3128"],
  ["PROJECT_PWD", "/home/ann/shop"],
  ["INIT_CWD", "/home/ann/shop"],
  ["GIT_CONFIG_KEY_0", "user.name"],
  ["GIT_CONFIG_VALUE_0", "https://x:y@z/"],
  ["API_KEY", ""],
  ["ANTHROPIC_BASE_URL", "http://x"],
  ["BYPASS", "1"],
  ["COMPASS", "north"],
  ["LS_COLORS", "rs=0:di=01;34"],
  ["GIT_COMMIT", "4f9c1b7e5a2d8046e17fb93ca5d80264f1b7e93c"],
];

describe("a variable that looks like a credential", () => {
  test.each(CREDENTIALS)("%s is kept from a child", (name, value) => {
    expect(isCredential(name, value)).toBe(true);
    expect(Object.hasOwn(given({ [name]: value }), name)).toBe(false);
    expect(withheldVariables({ [name]: value })).toEqual([name]);
  });

  test.each(OTHERS)("%s=%s is not one", (name, value) => {
    expect(isCredential(name, value)).toBe(false);
    expect(withheldVariables({ [name]: value })).toEqual([]);
  });

  test.each(CREDENTIALS)("%s is given when settings list it", (name, value) => {
    expect(given({ [name]: value }, [name])[name]).toBe(value);
    expect(withheldVariables({ [name]: value }, [name])).toEqual([]);
  });

  test("its value is nowhere else in the child's environment", () => {
    const environment = JSON.stringify(given(Object.fromEntries(CREDENTIALS)));
    for (const [, value] of CREDENTIALS) expect(environment).not.toContain(JSON.stringify(value).slice(1, -1));
  });
});

describe("the list of what is given all the same", () => {
  const base = { AWS_SECRET_ACCESS_KEY: "a1b2c3", AWS_SESSION_TOKEN: "d4e5f6", GH_TOKEN: "x", LD_PRELOAD: "evil" };

  test.each([
    [[], ["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "GH_TOKEN"]],
    [["AWS_*"], ["GH_TOKEN"]],
    [["*_TOKEN"], ["AWS_SECRET_ACCESS_KEY"]],
    [["A*S*KEY"], ["AWS_SESSION_TOKEN", "GH_TOKEN"]],
    [["*"], []],
    [
      ["aws_*", "TOKEN", "GH_TOKE", "H_TOKEN", "GH_TOKEN*N"],
      ["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "GH_TOKEN"],
    ],
  ])("%j keeps back %j", (pass, withheld) => {
    expect(withheldVariables(base, pass)).toEqual(withheld);
  });

  test("never gives what changes how commands run", () => {
    expect(given(base, ["*"])["LD_PRELOAD"]).toBeUndefined();
  });

  test("takes a hostile pattern in its stride", () => {
    const spent = cpuClock();
    withheldVariables({ [`${"A".repeat(20_000)}_TOKEN`]: "x1" }, [`${"*A".repeat(5_000)}*B`]);
    expect(spent()).toBeLessThan(500);
  });
});

describe("the values that are hidden in output", () => {
  test("are those of headers for a collector too, encoded or not, without names and schemes", () => {
    const headers = "Authorization=Basic%20cGs6c2stdmFsdWU%3D, x-key=plain-Value-7,x-other=Bearer Other-Value-8";
    expect(credentialValues({ OTEL_EXPORTER_OTLP_HEADERS: headers })).toEqual([
      "cGs6c2stdmFsdWU%3D",
      "cGs6c2stdmFsdWU=",
      "plain-Value-7",
      "Other-Value-8",
    ]);
  });

  test("are those of credentials, the password alone of a URL, a proxy's too", () => {
    const values = credentialValues({
      GH_TOKEN: "some-token-1",
      DATABASE_URL: "postgres://app:Tr0ub4dor@db/x",
      HTTPS_PROXY: "http://ann:pr0xypass@proxy",
      HOME: "/home/ann/long/enough",
      NOTHING: undefined,
    });
    expect(values).toEqual(["some-token-1", "Tr0ub4dor", "pr0xypass"]);
  });

  test("leave out values that are too short or too ordinary to distinguish from other text", () => {
    expect(
      credentialValues({ A_TOKEN: "abc123", DB_PASSWORD: "postgres", B_SECRET: "12345678", C_TOKEN: "  " }),
    ).toEqual([]);
  });
});

describe("a program's own variables", () => {
  test.each([
    ["gh", ["pr", "list"], "GH_TOKEN"],
    ["npm", ["publish"], "NPM_TOKEN"],
    ["npm", ["ci"], "NODE_AUTH_TOKEN"],
    ["pnpm", ["add", "-D", "x"], "NPM_TOKEN"],
    ["yarn", [], "NPM_TOKEN"],
    ["aws", ["s3", "ls"], "AWS_SECRET_ACCESS_KEY"],
    ["terraform", ["plan"], "AWS_SESSION_TOKEN"],
    ["psql", [], "PGPASSWORD"],
    ["cargo", ["publish"], "CARGO_REGISTRY_TOKEN"],
    ["npx", ["-y", "wrangler@4", "deploy"], "CLOUDFLARE_API_TOKEN"],
    ["npx", ["prisma", "migrate", "deploy"], "DATABASE_URL"],
    ["pnpm", ["dlx", "vercel"], "VERCEL_TOKEN"],
    ["bundle", ["exec", "rails", "server"], "DATABASE_URL"],
  ])("%s %j may want %s", (program, args, name) => {
    expect(variablesWantedBy(program, args)).toContain(name);
  });

  test.each([
    ["npm", ["test"]],
    ["npm", ["run", "build"]],
    ["bun", ["test"]],
    ["cargo", ["build"]],
    ["terraform", ["fmt"]],
    ["gh", ["--version"]],
    ["gh", ["help"]],
    ["ls", []],
    ["", []],
    ["npx", []],
    ["npx", ["npx", "gh"]],
    ["constructor", ["toString"]],
    ["__proto__", []],
  ])("%s %j wants none", (program, args) => {
    expect(variablesWantedBy(program, args)).toEqual([]);
  });

  test("are all taken for credentials, and the table names no program twice for one purpose", () => {
    const names = [...new Set(PROGRAM_CREDENTIALS.flatMap(({ variables }) => variables))];
    const url = "postgres://app:Tr0ub4dor@db/x";
    expect(names.filter((name) => !isCredential(name, name.endsWith("_URL") ? url : "v4lue-of-it"))).toEqual([]);
    const programs = PROGRAM_CREDENTIALS.flatMap((row) => row.programs);
    expect(programs.length).toBe(new Set(programs).size);
    expect(programs.filter((program) => Object.hasOwn(RUNNERS, program)).sort()).toEqual(
      ["bun", "npm", "pnpm", "poetry", "uv", "yarn"].sort(),
    );
  });
});

test("an address for reports that pages carry is given, a password named PW is not", () => {
  const dsn = `https://${"0a1b2c3d".repeat(4)}@o17.ingest.sentry.io/4505`;
  expect(withheldVariables({ SENTRY_DSN: dsn, ADMIN_PW: "Zx81kQw77" })).toEqual(["ADMIN_PW"]);
});

describe("the line that names what was withheld", () => {
  const names = ["GH_TOKEN", "NPM_TOKEN"];
  const hint = (output: string, withheld: readonly string[] = names) => withheldHint(output, withheld);

  test("has names only, of those that the output names where it does", () => {
    expect(hint("HTTP 401")).toBe(
      "Withheld from this command: GH_TOKEN, NPM_TOKEN (they look like credentials). The user can list it under env.pass in settings.",
    );
    expect(hint("error: NPM_TOKEN is not set")).toStartWith("Withheld from this command: NPM_TOKEN (it looks");
    expect(hint("bash: GH_TOKEN: unbound variable")).toStartWith("Withheld from this command: GH_TOKEN (it looks");
  });

  test.each([
    "gh: To get started with GitHub CLI, please run: gh auth login. You are not logged in",
    "remote: HTTP Basic: Access denied",
    "npm ERR! code E401 Unauthorized",
    "403 Forbidden",
    "git@github.com: Permission denied (publickey).",
    "fatal: Authentication failed for 'https://example.com/'",
  ])("is given where access is missing: %s", (output) => {
    expect(hint(output)).toBeDefined();
  });

  test.each([
    "2 tests failed",
    "bash: foo: command not found",
    "src/token.ts(401,3): error TS2304",
    "rm: cannot remove 'x': Permission denied",
    "cp: cannot stat 'MY_GH_TOKEN': No such file or directory",
    "sh: NPM_TOKENS: not found",
  ])("is not given for another failure: %s", (output) => {
    expect(hint(output)).toBeUndefined();
  });

  test("stays short", () => {
    const many = Array.from({ length: 50 }, (_, at) => `A${at}_TOKEN`);
    expect(hint("403", many)).toContain("A7_TOKEN and 42 more (");
  });
});

describe("shapes", () => {
  test("are found alone and in text, and the patterns keep no state", () => {
    for (let round = 0; round < 3; round += 1) expect(holdsToken(`x=${TOKEN};`)).toBe(true);
    expect(holdsToken("4f9c1b7e5a2d8046e17fb93ca5d80264f1b7e93c")).toBe(false);
    expect(TOKEN_SHAPES.filter(({ pattern, kind }) => !pattern.global || !/^[a-z0-9-]{1,32}$/.test(kind))).toEqual([]);
  });

  test.each([
    ["https://ann:pw@host", ["pw"]],
    ["redis://:p@ss:word@cache:6379/0", ["p@ss:word"]],
    ["two postgres://a:one@h and mysql://b:two@h", ["one", "two"]],
    ["https://ann@host:80/a:b@c", []],
    ["git@host:a/b.git ://a:b@c https://host:80", []],
    ["https://a:@host", []],
  ])("the passwords of %s", (text, passwords) => {
    expect(urlPasswords(text)).toEqual(passwords);
  });

  test("a password is listed with its location and its user", () => {
    expect(findUrlPasswords("x https://ann:pw@host")).toEqual([{ start: 14, end: 16, user: "ann" }]);
  });
});

/**
 * Credentials of many shapes, none of them real. Each is put together when the tests run, so that no scanner takes this
 * file for a leak.
 */
export type Sample = {
  readonly name: string;
  /** The output of a tool. */
  readonly text: string;
  /** The text that must not remain in the output. */
  readonly values: readonly string[];
  /** The kind in the placeholder. */
  readonly kind: string;
};

const LETTERS = "kQ7xWm2ZpT9vBn4RsJ6hYc8LdG3fUa5Ee1Xo0iVtHwKzNqSbMjPyCrFuDlgA";
const LOWER = "k7xm2zpt9vbn4rsj6hyc8ldg3fua5ee1xo0ivthwkznqsbmjpycrfudlga";
const HEX = "9f3c1b7e5a2d8046e17fb93ca5d80264f1b7e93c5a2d8046b3c19f7e5d2a8046c17fb93ea5d80264";
const DIGITS = "8315702946381570294638";

/** The requested number of fixed random characters. */
export const mixed = (count: number) => LETTERS.repeat(Math.ceil(count / LETTERS.length)).slice(0, count);
export const lower = (count: number) => LOWER.repeat(Math.ceil(count / LOWER.length)).slice(0, count);
export const hex = (count: number) => HEX.repeat(Math.ceil(count / HEX.length)).slice(0, count);
const upper = (count: number) =>
  mixed(count * 2)
    .toUpperCase()
    .slice(0, count);
const base64 = (text: string) => Buffer.from(text).toString("base64");
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const join = (...parts: readonly string[]) => parts.join("");

export const jwt = () =>
  [base64url({ alg: "HS256", typ: "JWT" }), base64url({ sub: "u-17", iat: 1718000000 }), mixed(43)].join(".");

/** The lines of a private key's body, 64 signs each. */
export function keyBody(lines: number): readonly string[] {
  const body = `MI${mixed(60)}+/${mixed(64 * lines)}`;
  return Array.from({ length: lines }, (_, at) => body.slice(at * 64, at * 64 + (at === lines - 1 ? 40 : 64)));
}
export const pem = (body: readonly string[], label = "RSA ") =>
  [`-----BEGIN ${label}${"PRIVATE KEY"}-----`, ...body, `-----END ${label}${"PRIVATE KEY"}-----`].join("\n");

/** A token that stands alone in a line of output. */
const bare = (name: string, kind: string, ...parts: readonly string[]): Sample => {
  const value = join(...parts);
  return { name, kind, text: `found ${value} there`, values: [value] };
};
const within = (name: string, kind: string, value: string, text: (value: string) => string): Sample => ({
  name,
  kind,
  text: text(value),
  values: [value],
});

const PASSWORD = join("Tr0ub", "4dor&9x");
const WORD = join("hunter", "lake");

const TOKENS: readonly Sample[] = [
  bare("an AWS access key", "aws-access-key", "AK", "IA", upper(16)),
  bare("a Contentful token", "contentful", "CF", "PAT-", mixed(43)),
  bare("an Atlassian token of an organisation", "atlassian", "AT", "CTT3", mixed(180)),
  within(
    "a Telegram token in a URL",
    "telegram",
    join("8315702946:", "AA", mixed(33)),
    (value) => `https://api.telegram.org/bot${value}/getMe`,
  ),
  within(
    "a Twilio token behind its account",
    "twilio",
    hex(32),
    (value) => `new Twilio("AC${hex(40).slice(8)}", "${value}")`,
  ),
  bare("a Figma token", "figma", "fi", "gd_", mixed(40)),
  bare("a Databricks token", "databricks", "da", "pi", hex(32)),
  bare("a Grafana token", "grafana", "gl", "sa_", mixed(32), "_", hex(8)),
  bare("a Sonar token", "sonar", "sq", "u_", hex(40)),
  bare("a Tailscale key", "tailscale", "ts", "key-auth-", mixed(12), "-", mixed(32)),
  bare("a token of 1Password", "onepassword", "op", "s_eyJ", mixed(300)),
  within("a password named PW", "password", join("Zx81", "kQw77-Lm"), (value) => `ADMIN_PW=${value}`),
  within(
    "a web name with the shape of a secret key",
    "stripe",
    join("sk_", "live_", mixed(24)),
    (value) => `VITE_STRIPE_KEY=${value}`,
  ),
  bare("a temporary AWS key", "aws-access-key", "AS", "IA", upper(16)),
  bare("a GitHub token", "github", "gh", "p_", mixed(36)),
  bare("a GitHub server token", "github", "gh", "s_", mixed(36)),
  bare("a fine-grained GitHub token", "github", "github", "_pat_", mixed(22), "_", mixed(59)),
  bare("a GitLab token", "gitlab", "gl", "pat-", mixed(20)),
  bare("an npm token", "npm", "np", "m_", mixed(36)),
  bare("a PyPI token", "pypi", "py", "pi-", "AgEIcHlwaS5vcmc", mixed(60)),
  bare("a RubyGems key", "rubygems", "ruby", "gems_", hex(48)),
  bare("a crates token", "crates", "ci", "o", mixed(32)),
  bare("an Anthropic key", "anthropic", "sk-", "ant-api03-", mixed(93), "AA"),
  bare("an OpenAI project key", "openai", "sk-", "proj-", mixed(48)),
  bare("an old OpenAI key", "model-key", "sk", "-", mixed(48)),
  bare("an OpenRouter key", "openrouter", "sk-", "or-v1-", hex(64)),
  bare("a Groq key", "groq", "gs", "k_", mixed(52)),
  bare("an xAI key", "xai", "xa", "i-", mixed(80)),
  bare("a Hugging Face token", "huggingface", "h", "f_", mixed(34)),
  bare("a Replicate token", "replicate", "r", "8_", mixed(37)),
  bare("a Google API key", "google-api-key", "AI", "za", mixed(35)),
  bare("a Google client secret", "google-oauth", "GOC", "SPX-", mixed(28)),
  bare("a Google access token", "google-oauth", "ya", "29.", mixed(80)),
  bare("a Slack bot token", "slack", "xo", "xb-", DIGITS.slice(0, 12), "-", mixed(24)),
  bare("a Stripe key", "stripe", "sk_", "live_", mixed(24)),
  bare("a Stripe webhook secret", "stripe", "wh", "sec_", mixed(32)),
  bare("a SendGrid key", "sendgrid", "S", "G.", mixed(22), ".", mixed(43)),
  bare("a Shopify token", "shopify", "shp", "at_", hex(32)),
  bare("a DigitalOcean token", "digitalocean", "dop", "_v1_", hex(64)),
  bare("a Telegram token", "telegram", DIGITS.slice(0, 9), ":A", "A", mixed(33)),
  bare("a Discord token", "discord", "M", mixed(25), ".", mixed(6), ".", mixed(38)),
  bare("a Vault token", "vault", "hv", "s.", mixed(24)),
  bare("a Doppler token", "doppler", "dp.", "pt.", mixed(43)),
  bare("a Docker token", "docker", "dckr", "_pat_", mixed(27)),
  bare("a Linear key", "linear", "lin_", "api_", mixed(40)),
  bare("a Sentry token", "sentry", "sn", "trys_", mixed(60)),
  bare("a Databricks token", "databricks", "da", "pi", hex(32)),
  bare("a Tailscale key", "tailscale", "ts", "key-auth-", mixed(12), "-", mixed(32)),
  bare("a Figma token", "figma", "fi", "gd_", mixed(42)),
  bare("a Supabase token", "supabase", "sb", "p_", hex(40)),
  bare("a Pulumi token", "pulumi", "pu", "l-", hex(40)),
  bare("an age key", "age-key", "AGE-SECRET", "-KEY-1", upper(58)),
  bare("a Postman key", "postman", "PM", "AK-", hex(24), "-", hex(34)),
  bare("an Atlassian token", "atlassian", "ATA", "TT3", mixed(180)),
  bare("a JSON web token", "jwt", jwt()),
];

const IN_CONTEXT: readonly Sample[] = [
  within(
    "a bearer header",
    "authorization",
    mixed(40),
    (value) => `curl -H "Authorization: Bearer ${value}" https://a.b`,
  ),
  within("a basic header", "authorization", base64(`ann:${PASSWORD}`), (value) => `> Authorization: Basic ${value}`),
  within("a header in JSON", "authorization", mixed(32), (value) => `{"headers":{"authorization":"token ${value}"}}`),
  within("a header of a key", "token", mixed(32), (value) => `-H 'X-Api-Key: ${value}'`),
  within("a session cookie", "cookie", mixed(32), (value) => `Cookie: theme=dark; sessionid=${value}; lang=en`),
  within(
    "a URL with a password",
    "url-password",
    PASSWORD,
    (value) => `remote: https://ann:${value}@git.acme.dev/x.git`,
  ),
  within("a token as a URL's user", "url-password", lower(40), (value) => `url = https://${value}@git.acme.dev/x.git`),
  within("a PostgreSQL URL", "url-password", PASSWORD, (value) => `DATABASE_URL=postgres://app:${value}@db:5432/shop`),
  within("a Redis URL without a user", "url-password", PASSWORD, (value) => `redis://:${value}@cache:6379/0`),
  within("a MongoDB URL", "url-password", PASSWORD, (value) => `"mongodb+srv://app:${value}@c0.acme.dev/x?w=1"`),
  within(
    "an ADO.NET string",
    "password",
    "Tr0ub4dor9x",
    (value) => `Server=db;User Id=sa;Password=${value};Encrypt=true`,
  ),
  within("an environment file", "password", PASSWORD, (value) => `APP=shop\nDB_PASSWORD=${value}\nPORT=80\n`),
  within("a plain word in an environment file", "password", WORD, (value) => `DB_PASSWORD=${value}`),
  within("an environment file with CRLF", "password", PASSWORD, (value) => `A=1\r\nDB_PASSWORD=${value}\r\nB=2\r\n`),
  within("a quoted value in an environment file", "token", mixed(24), (value) => `API_KEY="${value}"`),
  within("an export", "token", hex(40), (value) => `export DEPLOY_TOKEN=${value}`),
  within("an assignment before a command", "token", hex(40), (value) => `APP_TOKEN=${value} npm run deploy`),
  within("YAML", "password", PASSWORD, (value) => `db:\n  user: ann\n  password: ${value}\n`),
  within("YAML in quotes", "token", mixed(20), (value) => `client_secret: '${value}'`),
  within("docker-compose", "password", PASSWORD, (value) => `      - POSTGRES_PASSWORD=${value}`),
  within("JSON", "token", mixed(24), (value) => `{"apiKey": "${value}", "region": "eu"}`),
  within("JSON inside JSON", "token", mixed(24), (value) => `{"body":"{\\"access_token\\":\\"${value}\\"}"}`),
  within("AWS credentials", "token", `${mixed(20)}/${mixed(18)}+`, (value) => `aws_secret_access_key = ${value}`),
  within("Terraform", "password", PASSWORD, (value) => `  master_password = "${value}"`),
  within("Java properties", "password", "Tr0ub4dor9x", (value) => `spring.datasource.password=${value}`),
  within("XML", "password", PASSWORD.replace("&", "!"), (value) => `<server><password>${value}</password></server>`),
  within("TypeScript", "token", mixed(24), (value) => `const apiKey: string = "${value}";`),
  within("Python", "password", "Tr0ub4dor9x", (value) => `connect(user="ann", password="${value}")`),
  within("PHP", "password", "Tr0ub4dor9x", (value) => `define( 'DB_PASSWORD', '${value}' );`),
  within(
    "a deleted line of a diff",
    "password",
    PASSWORD,
    (value) => `@@ -1 +1 @@\n-DB_PASSWORD=${value}\n+DB_PASSWORD=\n`,
  ),
  within("a numbered line", "password", WORD, (value) => `    12\tDB_PASSWORD=${value}\n    13\tPORT=80`),
  within("a line of a search", "password", WORD, (value) => `config/app.env:12:DB_PASSWORD=${value}`),
  within(
    "a stack trace",
    "url-password",
    PASSWORD,
    (value) => `Error: connect postgres://app:${value}@db/x\n    at x.js:1:2`,
  ),
  within("an option", "password", mixed(20), (value) => `deploy --auth-token ${value} --yes`),
  within("an option with =", "password", "Tr0ub4dor9x", (value) => `mysql --password=${value} shop`),
  within("curl -u", "password", "Tr0ub4dor9x", (value) => `curl -s -u ann:${value} https://api.acme.dev`),
  within("sshpass", "password", "Tr0ub4dor9x", (value) => `sshpass -p ${value} ssh host`),
  within(".netrc", "password", WORD, (value) => `machine acme.dev login ann password ${value}`),
  within(".npmrc", "token", mixed(36), (value) => `//registry.acme.dev/:_authToken=${value}`),
  within(
    "Docker's config.json",
    "basic-auth",
    base64(`ann:${WORD}`),
    (value) => `{"auths":{"r.io":{"auth":"${value}"}}}`,
  ),
  within("SQL", "password", "Tr0ub4dor9x", (value) => `CREATE USER ann IDENTIFIED BY '${value}';`),
  within("/etc/shadow", "password-hash", `$6$${mixed(8)}$${mixed(86)}`, (value) => `root:${value}:19000:0:99999:7:::`),
  within("a query", "token", mixed(32), (value) => `GET /v1/items?page=2&access_token=${value}&sort=up`),
  within(
    "an Azure connection string",
    "token",
    `${mixed(86)}==`,
    (value) => `AccountName=x;AccountKey=${value};Suffix=y`,
  ),
  within(
    "a Kubernetes secret",
    "kubernetes",
    base64(WORD),
    (value) => `apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  db-pass: ${value}\ntype: Opaque\n`,
  ),
  within("a Kubernetes secret as JSON", "kubernetes", base64(WORD), (value) =>
    JSON.stringify({ apiVersion: "v1", data: { db: value }, kind: "Secret" }, null, 4),
  ),
];

const BODY = keyBody(6);
const KEYS: readonly Sample[] = [
  { name: "a private key", kind: "private-key", text: pem(BODY), values: BODY },
  { name: "an OpenSSH key", kind: "private-key", text: pem(BODY, "OPENSSH "), values: BODY },
  { name: "a PKCS 8 key", kind: "private-key", text: pem(BODY, ""), values: BODY },
  { name: "a key with CRLF", kind: "private-key", text: pem(BODY).replaceAll("\n", "\r\n"), values: BODY },
  {
    name: "a key with line numbers",
    kind: "private-key",
    text: pem(BODY)
      .split("\n")
      .map((line, at) => `${String(at + 8).padStart(6)}\t${line}`)
      .join("\n"),
    values: BODY,
  },
  {
    name: "a key in a search",
    kind: "private-key",
    text: pem(BODY)
      .split("\n")
      .map((line, at) => `certs/tls.key:${at + 1}:${line}`)
      .join("\n"),
    values: BODY,
  },
  {
    name: "a key that a diff adds",
    kind: "private-key",
    text: `@@ -0,0 +1,8 @@\n${pem(BODY)
      .split("\n")
      .map((line) => `+${line}`)
      .join("\n")}`,
    values: BODY,
  },
  {
    name: "a key in YAML",
    kind: "private-key",
    text: `tls:\n  key: |\n${pem(BODY)
      .split("\n")
      .map((line) => `    ${line}`)
      .join("\n")}\n  port: 1`,
    values: BODY,
  },
  {
    name: "a key in JSON",
    kind: "private-key",
    text: JSON.stringify({ private_key: `${pem(BODY, "")}\n` }),
    values: BODY,
  },
  {
    name: "a key cut off at its end",
    kind: "private-key",
    text: pem(BODY).split("\n").slice(0, 4).join("\n"),
    values: BODY.slice(0, 3),
  },
  {
    name: "a key cut off at its head",
    kind: "private-key",
    text: pem(BODY).split("\n").slice(3).join("\n"),
    values: BODY.slice(2),
  },
];

const GITHUB = join("gh", "p_", mixed(36));
const PHRASE = "my dog rex 42!";

/** Credentials that a review found unhidden. */
const IN_ODD_PLACES: readonly Sample[] = [
  within("a token behind an escaped line end", "github", GITHUB, (value) => `{"script":"set -e\\n${value}"}`),
  within("a token behind an escaped tab", "github", GITHUB, (value) => `x\\t${value}`),
  within("a token behind a sign in hexadecimal", "github", GITHUB, (value) => `a\\u001b${value} \\x1b${value}`),
  within("a token in a query", "github", GITHUB, (value) => `?token%3D${value}`),
  within("a token in colour", "github", GITHUB, (value) => `\x1b[1;31m${value}\x1b[0m`),
  within("a web token behind an escaped line end", "jwt", jwt(), (value) => `"a\\n${value}"`),
  within("a named pair in YAML", "password", PASSWORD, (value) => `- name: DB_PASSWORD\n  value: ${value}`),
  within("a named pair in JSON", "password", PASSWORD, (value) => `{"name":"DB_PASSWORD","value":"${value}"}`),
  within("a named token in JSON", "token", mixed(20), (value) => `{ "Name": "API_TOKEN",\n  "Value": "${value}" }`),
  within(
    "a default in Terraform",
    "password",
    PASSWORD,
    (value) => `variable "db_password" {\n  type = string\n  default = "${value}"\n}`,
  ),
  within("a named pair in XML", "password", PASSWORD, (value) => `<add key="DbPassword" value="${value}"/>`),
  within("a value on the next line", "password", PASSWORD, (value) => `a: 1\npassword:\n  ${value}\nb: 2`),
  within("a value in a block", "password", PASSWORD, (value) => `password: |\n  ${value}\n`),
  within("a passphrase", "password", PHRASE, (value) => `DB_PASSWORD="${value}"`),
  within("a password of digits", "password", "83749261", (value) => `PASSWORD=${value}`),
  within("a password file with a port", "password", PASSWORD, (value) => `host:5433:db:u:${value}`),
  within("a password in SQL", "password", PASSWORD, (value) => `CREATE ROLE a WITH PASSWORD '${value}'`),
  within("a password in an error", "password", PASSWORD, (value) => `failed with password "${value}"`),
  within("a password for chpasswd", "password", PASSWORD, (value) => `echo 'root:${value}' | sudo chpasswd`),
  within("a password for redis", "password", PASSWORD, (value) => `redis-cli -h x -a ${value} ping`),
  within("a row of a table", "password", PASSWORD, (value) => `| a | b |\n| password | ${value} |`),
  within("a column", "password", PASSWORD, (value) => `Key         Value\npassword    ${value}\nttl         1h`),
  within("a key in base64", "private-key", base64(pem(BODY)), (value) => `client-key-data: ${value}`),
  ...[
    ["blame", (line: string) => `a1b2c3d4 (Ann 2024-01-02 10:00:00 +0100 7) ${line}`] as const,
    ["a shell's comment", (line: string) => `# ${line}`] as const,
    ["a comment", (line: string) => `  // ${line}`] as const,
    ["marks of line ends", (line: string) => `${line}$`] as const,
  ].map(([name, around]) => ({
    name: `a key with ${name}`,
    kind: "private-key",
    text: pem(BODY).split("\n").map(around).join("\n"),
    values: BODY,
  })),
];

const MORE_TOKENS: readonly Sample[] = [
  bare("an Alibaba access key", "alibaba-access-key", "LT", "AI5t", mixed(20)),
  bare("a Yandex key", "yandex", "AQ", "VN", mixed(36)),
  bare("a Mapbox secret token", "mapbox", "sk", ".eyJ", mixed(60), ".", mixed(22)),
  bare("an Okta token", "okta", "SSW", "S 00", mixed(40)),
  bare("a Dropbox token", "dropbox", "s", "l.", mixed(130)),
  bare("a GitLab registration token", "gitlab", "GR13", "48941", mixed(20)),
  bare("a Facebook token", "facebook", "EA", "AG", mixed(120)),
  bare("a Shippo token", "shippo", "shippo", "_live_", hex(40)),
];

export const CREDENTIALS: readonly Sample[] = [...TOKENS, ...MORE_TOKENS, ...IN_CONTEXT, ...KEYS, ...IN_ODD_PLACES];

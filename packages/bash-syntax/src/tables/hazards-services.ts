import type { HazardRow } from "../command-row.ts";
import type { HazardKind } from "../types.ts";

/** One row for each of several similar subcommands. */
const each = (
  name: string,
  subs: readonly string[],
  kind: HazardKind,
  hazard: string,
  row: Partial<HazardRow> = {},
): readonly HazardRow[] =>
  subs.map((sub) => ({
    name,
    sub: sub.split(" "),
    kind,
    hazard,
    notFlags: ["--dry-run", "--help"],

    ...row,
  }));

const publishes = (name: string, ...subs: readonly string[]) => each(name, subs, "publishes", "publishes a package");
/** For a subcommand that runs another one in parts of the project: `yarn workspace a publish`. */
const publishesBelow = (name: string, ...subs: readonly string[]) =>
  subs.flatMap((sub) =>
    each(name, [sub], "publishes", "publishes a package", {
      operand: /^publish$/,
    }),
  );
const withdraws = (name: string, ...subs: readonly string[]) =>
  each(name, subs, "publishes", "withdraws or changes a published package");
const deploys = (name: string, ...subs: readonly string[]) =>
  each(name, subs, "publishes", "deploys to a live service");
const destroys = (name: string, ...subs: readonly string[]) =>
  each(name, subs, "database", "destroys data of a service: {operands}");

const DESTROYS_SQL =
  /\b(?:drop\s+(?:table|database|schema|view|materialized|index|user|role|keyspace|sequence|function|type|tablespace|owned)|truncate\b|delete\s+from\s+[^\s;]+\s*(?:;|$|["'])|update\s+\S+\s+set\s+(?![\s\S]*\bwhere\b)|alter\s+table\s+\S+\s+drop\b|flush\s+tables)/i;

const sql = (name: string): HazardRow => ({
  name,
  kind: "database",
  operand: DESTROYS_SQL,
  hazard: "destroys data in a database",
});

const words = (name: string, operand: RegExp): HazardRow => ({
  name,
  kind: "database",
  operand,
  hazard: "destroys data of a service: {operands}",
});

/** Databases, registries, clusters and clouds, whose data can't be restored from this machine. */
export const SERVICE_HAZARDS: readonly HazardRow[] = [
  sql("psql"),
  sql("mysql"),
  sql("mariadb"),
  sql("sqlite3"),
  sql("duckdb"),
  sql("clickhouse-client"),
  sql("cqlsh"),
  sql("sqlcmd"),
  ...["dropdb", "dropuser"].map(
    (name): HazardRow => ({
      name,
      kind: "database",
      hazard: "destroys data in a database: {operands}",
    }),
  ),
  ...each("mysqladmin", ["drop"], "database", "destroys data in a database", {
    notFlags: [],
  }),
  words("redis-cli", /^(?:flushall|flushdb|del|unlink|shutdown|swapdb)$/i),
  ...["mongosh", "mongo"].map((name) =>
    words(name, /dropDatabase|\.drop\s*\(|deleteMany\s*\(\s*\{\s*\}|\.remove\s*\(\s*\{\s*\}/),
  ),
  words("pg_restore", /^(?:-\w*c\w*|--clean)$/),
  ...["rails", "rake"].map((name) =>
    words(name, /^db:(?:drop|reset|purge|truncate_all|schema:load|migrate:reset|setup)/),
  ),
  words("prisma", /^(?:reset|--force-reset|--accept-data-loss)$/),
  words("php", /^(?:migrate:(?:fresh|reset|refresh)|db:wipe)$/),
  ...["python", "python3"].map((name) => words(name, /^(?:flush|reset_db|sqlflush)$/)),
  ...destroys("terraform", "destroy", "apply", "state rm", "workspace delete"),
  ...destroys("tofu", "destroy", "apply", "state rm", "workspace delete"),
  ...destroys("pulumi", "destroy", "up", "stack rm"),
  ...destroys("cdk", "destroy"),
  ...destroys("kubectl", "delete", "drain", "replace --force"),
  ...destroys("oc", "delete"),
  ...destroys("helm", "uninstall", "delete", "rollback"),
  ...destroys("vagrant", "destroy"),
  ...destroys("virsh", "destroy", "undefine"),
  ...destroys("multipass", "delete", "purge"),
  words("aws", /^(?:rm|rb|(?:delete|terminate|deregister|purge|remove|destroy)-.*|--delete)$/),
  words("gcloud", /^(?:delete|destroy|remove-iam-policy-binding)$/),
  ...["gsutil", "bq"].map((name) => words(name, /^(?:rm|rb)$/)),
  ...["az", "doctl", "hcloud", "linode-cli", "scw"].map((name) => words(name, /^(?:delete|purge|destroy|rm)$/)),
  ...["heroku", "fly", "flyctl"].map((name) =>
    words(name, /^(?:(?:apps|pg|addons|volumes?):?(?:destroy|reset)|destroy|pg:reset)$/),
  ),
  ...["docker", "podman", "nerdctl"].flatMap((name) => [
    ...each(name, ["system prune"], "database", "deletes containers, images and caches", {
      notFlags: [],
    }),
    ...each(name, ["volume rm", "volume prune"], "database", "deletes volumes with their data", {
      notFlags: [],
    }),
    ...each(name, ["container prune", "rm"], "database", "deletes containers: {operands}", {
      notFlags: [],
    }),
    ...publishes(name, "push", "image push", "manifest push"),
  ]),
  ...each("docker", ["compose down"], "database", "deletes volumes with their data", {
    flags: [["-v", "--volumes"]],
  }),
  ...each("docker-compose", ["down"], "database", "deletes volumes with their data", {
    flags: [["-v", "--volumes"]],
  }),
  ...each("gh", ["repo delete", "repo archive", "repo rename"], "remote-history", "deletes or closes a repository"),
  ...each("gh", ["release delete", "release delete-asset"], "publishes", "withdraws a release"),
  ...each(
    "gh",
    ["release create", "release upload", "release edit", "gist create"],
    "publishes",
    "publishes a release or a text",
  ),
  ...each(
    "gh",
    ["secret delete", "variable delete", "cache delete", "run delete", "issue delete", "label delete"],
    "database",
    "deletes data of a service: {operands}",
  ),
  ...["edit", "create"].flatMap((sub) =>
    each("gh", [`repo ${sub}`], "publishes", "makes a repository public", {
      operand: /^(?:--visibility(?:=public)?|public|--public)$/,
    }),
  ),
  ...each("gh", ["api"], "database", "changes what a service holds", {
    operand: /^(?:-X)?(?:delete|-XDELETE|--method=delete)$/i,
  }),
  ...each("glab", ["repo delete", "project delete"], "remote-history", "deletes a repository"),
  ...publishes("npm", "publish"),
  ...withdraws("npm", "unpublish", "deprecate", "dist-tag add", "dist-tag rm", "owner add", "owner rm", "access"),
  ...withdraws("npm", "dist-tags add", "dist-tags rm", "author add", "author rm", "team", "org", "token"),
  ...publishes("pnpm", "publish"),
  ...publishesBelow("pnpm", "recursive", "multi", "m"),
  ...publishes("yarn", "publish", "npm publish"),
  ...publishesBelow("yarn", "workspace", "workspaces"),
  ...withdraws("yarn", "tag add", "tag remove", "owner add", "owner remove"),
  ...publishes("bun", "publish"),
  ...publishes("deno", "publish"),
  ...publishes("jsr", "publish"),
  ...publishes("lerna", "publish"),
  ...publishes("changeset", "publish"),
  ...publishes("nx", "release publish"),
  ...publishes("cargo", "publish"),
  ...withdraws("cargo", "yank", "owner"),
  ...publishes("poetry", "publish"),
  ...publishes("flit", "publish"),
  ...publishes("hatch", "publish"),
  ...publishes("pdm", "publish"),
  ...publishes("uv", "publish"),
  ...publishes("twine", "upload"),
  ...publishes("gem", "push"),
  ...withdraws("gem", "yank", "owner"),
  ...publishes("mix", "hex.publish"),
  ...each("mix", ["do"], "publishes", "publishes a package", {
    operand: /^hex\.publish$/,
  }),
  ...publishes("pod", "trunk push"),
  ...publishes("luarocks", "upload"),
  ...publishes("dart", "pub publish"),
  ...publishes("flutter", "pub publish"),
  ...publishes("cabal", "upload"),
  ...publishes("stack", "upload"),
  ...publishes("dotnet", "nuget push"),
  ...publishes("nuget", "push"),
  ...publishes("mvn", "deploy", "release:perform"),
  ...["gradle", "gradlew"].flatMap((name) => publishes(name, "publish", "publishToMavenCentral", "uploadArchives")),
  ...publishes("wasm-pack", "publish"),
  ...publishes("anaconda", "upload"),
  ...publishes("conan", "upload"),
  ...publishes("vsce", "publish"),
  ...publishes("ovsx", "publish"),
  ...publishes("helm", "push"),
  ...publishes("skopeo", "copy", "sync"),
  ...publishes("crane", "push", "copy"),
  ...publishes("oras", "push"),
  ...publishes("buildah", "push"),
  ...publishes("goreleaser", "release"),
  ...["semantic-release", "release-it", "np"].map(
    (name): HazardRow => ({
      name,
      kind: "publishes",
      hazard: "publishes a package",
      notFlags: ["--dry-run", "-d", "--help", "--version"],
    }),
  ),
  ...deploys("vercel", "deploy", "--prod", "rm", "remove"),
  ...deploys("netlify", "deploy"),
  ...deploys("firebase", "deploy"),
  ...deploys("wrangler", "deploy", "publish", "delete"),
  ...["fly", "flyctl"].flatMap((name) => deploys(name, "deploy")),
  ...deploys("serverless", "deploy", "remove"),
  ...deploys("sls", "deploy", "remove"),
  ...deploys("cdk", "deploy"),
  ...deploys("sam", "deploy", "delete"),
  ...deploys("eb", "deploy", "terminate"),
  ...deploys("gcloud", "app deploy", "run deploy", "functions deploy"),
  ...deploys("eas", "submit", "update"),
  ...deploys("surge", "."),
];

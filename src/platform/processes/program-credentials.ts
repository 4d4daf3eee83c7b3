/** The variables from which a program reads its credentials. */
export type ProgramCredentials = {
  readonly programs: readonly string[];
  readonly variables: readonly string[];
  /** The program's subcommands that use the credentials; without a list, all subcommands use them. */
  readonly when?: readonly string[];
};

const AWS = [
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_SECURITY_TOKEN",
  "AWS_BEARER_TOKEN_BEDROCK",
] as const;
const AZURE = ["ARM_CLIENT_SECRET", "ARM_ACCESS_KEY", "AZURE_CLIENT_SECRET"] as const;
const GOOGLE = ["GOOGLE_CREDENTIALS", "GOOGLE_OAUTH_ACCESS_TOKEN", "CLOUDSDK_AUTH_ACCESS_TOKEN"] as const;
const CLOUDFLARE = ["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_API_KEY", "CF_API_TOKEN"] as const;
const GITHUB = ["GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"] as const;
const REGISTRY = ["NPM_TOKEN", "NODE_AUTH_TOKEN"] as const;
const INSTALLS = ["install", "i", "ci", "add", "update", "up", "upgrade", "publish", "unpublish", "whoami"] as const;
const INFRASTRUCTURE = ["init", "plan", "apply", "destroy", "import", "refresh", "output", "state", "up", "preview"];

/**
 * The table of programs and the variables in their documentation. Subcommands that need no credential (`npm test`)
 * are left out, since Quoll would ask about them for no reason.
 */
export const PROGRAM_CREDENTIALS: readonly ProgramCredentials[] = [
  { programs: ["gh", "hub"], variables: GITHUB },
  { programs: ["goreleaser", "act", "git-cliff", "renovate"], variables: GITHUB },
  { programs: ["semantic-release", "release-it", "lerna", "changeset"], variables: [...GITHUB, ...REGISTRY] },
  { programs: ["glab"], variables: ["GITLAB_TOKEN", "GITLAB_ACCESS_TOKEN", "OAUTH_TOKEN"] },
  {
    programs: ["npm", "pnpm", "bun"],
    variables: [...REGISTRY, "NPM_CONFIG_TOKEN"],
    when: [...INSTALLS, "view", "info", "access", "dist-tag", "deprecate", "owner", "outdated", "audit"],
  },
  { programs: ["yarn"], variables: [...REGISTRY, "YARN_NPM_AUTH_TOKEN"], when: ["", ...INSTALLS, "npm"] },
  { programs: ["cargo"], variables: ["CARGO_REGISTRY_TOKEN"], when: ["publish", "yank", "owner", "login"] },
  { programs: ["twine"], variables: ["TWINE_PASSWORD"] },
  { programs: ["uv"], variables: ["UV_PUBLISH_TOKEN", "UV_PUBLISH_PASSWORD"], when: ["publish"] },
  { programs: ["poetry"], variables: ["POETRY_PYPI_TOKEN_PYPI"], when: ["publish"] },
  { programs: ["hatch"], variables: ["HATCH_INDEX_AUTH"], when: ["publish"] },
  { programs: ["gem"], variables: ["GEM_HOST_API_KEY"], when: ["push", "yank", "owner"] },
  { programs: ["aws", "cdk", "sam", "eksctl", "copilot", "eb", "s5cmd", "s3cmd"], variables: AWS },
  { programs: ["serverless", "sls"], variables: [...AWS, "SERVERLESS_ACCESS_KEY"] },
  {
    programs: ["terraform", "tofu", "terragrunt"],
    variables: [...AWS, ...AZURE, ...GOOGLE, ...CLOUDFLARE, "DIGITALOCEAN_TOKEN", "HCLOUD_TOKEN", ...GITHUB],
    when: INFRASTRUCTURE,
  },
  { programs: ["pulumi"], variables: ["PULUMI_ACCESS_TOKEN", ...AWS, ...AZURE, ...GOOGLE] },
  { programs: ["packer"], variables: [...AWS, ...AZURE, "HCLOUD_TOKEN"], when: ["build"] },
  { programs: ["gcloud", "gsutil", "bq"], variables: GOOGLE },
  { programs: ["az", "azd", "func"], variables: AZURE },
  { programs: ["doctl"], variables: ["DIGITALOCEAN_ACCESS_TOKEN"] },
  { programs: ["hcloud"], variables: ["HCLOUD_TOKEN"] },
  { programs: ["linode-cli"], variables: ["LINODE_CLI_TOKEN"] },
  { programs: ["vercel"], variables: ["VERCEL_TOKEN"] },
  { programs: ["netlify"], variables: ["NETLIFY_AUTH_TOKEN"] },
  { programs: ["fly", "flyctl"], variables: ["FLY_API_TOKEN", "FLY_ACCESS_TOKEN"] },
  { programs: ["wrangler"], variables: CLOUDFLARE },
  { programs: ["heroku"], variables: ["HEROKU_API_KEY"] },
  { programs: ["railway"], variables: ["RAILWAY_TOKEN", "RAILWAY_API_TOKEN"] },
  { programs: ["render"], variables: ["RENDER_API_KEY"] },
  { programs: ["supabase"], variables: ["SUPABASE_ACCESS_TOKEN", "SUPABASE_DB_PASSWORD"] },
  { programs: ["pscale"], variables: ["PLANETSCALE_SERVICE_TOKEN"] },
  { programs: ["neonctl", "neon"], variables: ["NEON_API_KEY"] },
  { programs: ["firebase"], variables: ["FIREBASE_TOKEN"] },
  { programs: ["eas", "expo"], variables: ["EXPO_TOKEN"] },
  { programs: ["vault"], variables: ["VAULT_TOKEN"] },
  { programs: ["consul"], variables: ["CONSUL_HTTP_TOKEN"] },
  { programs: ["nomad"], variables: ["NOMAD_TOKEN"] },
  { programs: ["op"], variables: ["OP_SERVICE_ACCOUNT_TOKEN", "OP_CONNECT_TOKEN"] },
  { programs: ["doppler"], variables: ["DOPPLER_TOKEN"] },
  { programs: ["infisical"], variables: ["INFISICAL_TOKEN"] },
  { programs: ["bws"], variables: ["BWS_ACCESS_TOKEN"] },
  {
    programs: ["psql", "pg_dump", "pg_dumpall", "pg_restore", "createdb", "dropdb", "pg_isready", "vacuumdb"],
    variables: ["PGPASSWORD"],
  },
  { programs: ["mysql", "mysqldump", "mysqladmin", "mariadb", "mariadb-dump"], variables: ["MYSQL_PWD"] },
  { programs: ["redis-cli", "valkey-cli"], variables: ["REDISCLI_AUTH"] },
  { programs: ["sqlcmd"], variables: ["SQLCMDPASSWORD"] },
  {
    programs: ["prisma", "drizzle-kit", "dbmate", "sqlx", "diesel", "atlas", "goose", "node-pg-migrate"],
    variables: ["DATABASE_URL", "DIRECT_URL", "SHADOW_DATABASE_URL"],
  },
  { programs: ["rails", "rake"], variables: ["DATABASE_URL", "RAILS_MASTER_KEY", "SECRET_KEY_BASE"] },
  { programs: ["restic"], variables: ["RESTIC_PASSWORD", ...AWS] },
  { programs: ["borg"], variables: ["BORG_PASSPHRASE"] },
  { programs: ["cosign"], variables: ["COSIGN_PASSWORD"] },
  { programs: ["ansible", "ansible-playbook", "ansible-vault"], variables: ["ANSIBLE_VAULT_PASSWORD"] },
  { programs: ["sentry-cli"], variables: ["SENTRY_AUTH_TOKEN"] },
  { programs: ["stripe"], variables: ["STRIPE_API_KEY"] },
  { programs: ["snyk"], variables: ["SNYK_TOKEN"] },
  { programs: ["sonar-scanner"], variables: ["SONAR_TOKEN"] },
  { programs: ["codecov", "codecovcli"], variables: ["CODECOV_TOKEN"] },
  { programs: ["datadog-ci"], variables: ["DATADOG_API_KEY", "DD_API_KEY"] },
  { programs: ["newrelic"], variables: ["NEW_RELIC_API_KEY"] },
  { programs: ["circleci"], variables: ["CIRCLECI_CLI_TOKEN"] },
  { programs: ["bk"], variables: ["BUILDKITE_API_TOKEN"] },
  { programs: ["huggingface-cli", "hf"], variables: ["HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"] },
  { programs: ["wandb"], variables: ["WANDB_API_KEY"] },
  { programs: ["replicate"], variables: ["REPLICATE_API_TOKEN"] },
  { programs: ["openai"], variables: ["OPENAI_API_KEY"] },
  { programs: ["llm"], variables: ["OPENAI_API_KEY", "LLM_OPENAI_API_KEY"] },
];

/**
 * Programs that download or find another program and start it, with the words that must precede the other program's
 * name.
 */
export const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  npx: [],
  bunx: [],
  pnpx: [],
  uvx: [],
  pipx: ["run"],
  npm: ["exec", "x"],
  pnpm: ["exec", "dlx"],
  yarn: ["dlx", "exec"],
  bun: ["x"],
  uv: ["run"],
  poetry: ["run"],
  bundle: ["exec"],
};

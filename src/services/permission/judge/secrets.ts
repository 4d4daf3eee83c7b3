import { words } from "../../../contracts/words.ts";

/** One kind of file that contains secrets. A name that ends with `/` is a folder with all its content. */
export type SecretKind = {
  /**
   * Lower-case names of files or folders; `*` matches any text. A name with several parts joined by `/` matches the end
   * of a path.
   */
  readonly names: readonly string[];
  readonly what: string;
  readonly examples: readonly string[];
};

/** Files that need consent even inside the workspace. Each row's examples are tested. */
export const SECRETS: readonly SecretKind[] = [
  {
    names: [".env", ".env.*", "*.env", ".envrc", ".dev.vars"],
    what: "environment files",
    examples: [".env", "app/.env.local", "prod.env", ".ENV", ".envrc"],
  },
  {
    names: ["*.pem", "*.key", "*.p12", "*.pfx", "*.p8", "*.jks", "*.keystore", "*.ppk", "*.kdbx", "*.gpg", "*.pgp"],
    what: "keys and certificates",
    examples: ["server.pem", "certs/tls.key", "id.P12", "release.keystore", "vault.kdbx"],
  },
  {
    names: ["id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", ".ssh/"],
    what: "SSH keys",
    examples: ["id_rsa", "keys/id_ed25519_work", ".ssh/config", ".ssh"],
  },
  {
    names: [".gnupg/", ".aws/", ".azure/", ".gcloud/", ".config/gcloud/", ".oci/", ".password-store/", ".config/gh/"],
    what: "credential folders",
    examples: [".aws/credentials", "x/.gnupg/secring", ".config/gcloud/x.db", ".config/gh/hosts.yml"],
  },
  {
    names: words(".netrc _netrc .git-credentials .pypirc .npmrc .yarnrc.yml .htpasswd .pgpass .my.cnf"),
    what: "files with passwords or tokens",
    examples: [".netrc", "a/.git-credentials", ".pypirc", ".npmrc", ".htpasswd", ".pgpass"],
  },
  {
    names: words(".kube/config .kube/ kubeconfig .docker/config.json .dockercfg .vault-token .terraformrc"),
    what: "infrastructure access",
    examples: [".kube/config", ".docker/config.json", "deploy/kubeconfig"],
  },
  {
    names: words(`
      credentials credentials*.json credentials.toml credentials.yml.enc client_secret*.json
      service-account*.json service_account*.json *.tfvars *.tfstate master.key
    `),
    what: "service credentials",
    examples: [
      "credentials.json",
      ".cargo/credentials.toml",
      "gcp/service-account-prod.json",
      "credentials",
      "prod.tfvars",
    ],
  },
  {
    names: ["json", "yml", "yaml", "toml", "env", "ini", "txt", "xml", "properties", "conf", "enc"].flatMap(
      (ending) => [`secrets.${ending}`, `secret.${ending}`],
    ),
    what: "secrets as data",
    examples: ["secrets.yml", "config/secrets.json", "secret.toml"],
  },
];

/** Names that look like secrets but are meant to be shared. */
export const NOT_SECRET: readonly string[] = words(
  ".env.example .env.sample .env.template .env.dist .env.defaults example.env sample.env id_*.pub",
);

/** The names as an expression, for the end of a path. */
function anyOf(names: readonly string[]): string {
  const forms = names.map((name) => name.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^/]*"));
  return `(?:^|/)(?:${forms.join("|")})`;
}

const ALL_NAMES = SECRETS.flatMap(({ names }) => names);
const SECRET_FILES = new RegExp(`${anyOf(ALL_NAMES.filter((name) => !name.endsWith("/")))}$`);
const SECRET_FOLDERS = new RegExp(anyOf(ALL_NAMES.filter((name) => name.endsWith("/"))));
const EXCEPTIONS = new RegExp(`${anyOf(NOT_SECRET)}$`);

/**
 * True if a path (absolute or not) names a file or folder that contains secrets. Ignores case and invisible characters.
 */
export function isSecret(path: string): boolean {
  const folded = foldedParts(path).join("/");
  return SECRET_FOLDERS.test(`${folded}/`) || (SECRET_FILES.test(folded) && !EXCEPTIONS.test(folded));
}

/** Characters that some file systems drop or fold when they compare names. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** The parts of a path as the most forgiving file system compares them: no case, no invisible characters, no trailing dots. */
export function foldedParts(path: string): readonly string[] {
  return path
    .normalize("NFKC")
    .replace(INVISIBLE, "")
    .toLowerCase()
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .map((part) => part.replace(/[. ]+$/, "") || part);
}

import { words } from "../../contracts/words.ts";

/** One kind of path that confined commands can't read. */
export type SecretPaths = {
  /** A short phrase for people. */
  readonly what: string;
  /** Relative to a home folder. */
  readonly atHome?: readonly string[];
  /** Absolute. */
  readonly anywhere?: readonly string[];
};

/** Paths hidden where they exist; `sandbox.filesystem.allowRead` opens one again. */
export const SECRET_PATHS: readonly SecretPaths[] = [
  { what: "SSH keys", atHome: [".ssh"], anywhere: ["/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_ed25519_key"] },
  {
    what: "PGP keys and password stores",
    atHome: [".gnupg", ".password-store", ".config/sops", ".age", ".config/age"],
  },
  {
    what: "cloud credentials",
    atHome: [
      ...[".aws", ".azure", ".config/gcloud", ".gcloud", ".boto", ".oci", ".aliyun", ".bluemix", ".config/doctl"],
      ...[".config/linode-cli", ".config/hcloud", ".s3cfg", ".config/rclone", ".rclone.conf", ".config/scw", ".fly"],
      ...[".config/heroku", ".config/netlify", ".local/share/com.vercel.cli", ".config/.wrangler", ".wrangler"],
    ],
  },
  {
    what: "cluster and infrastructure access",
    atHome: [
      ...[".kube", ".docker/config.json", ".dockercfg", ".config/containers/auth.json", ".terraform.d", ".terraformrc"],
      ...[".vault-token", ".config/helm/registry", ".ansible/vault", ".pulumi/credentials.json", ".config/argocd"],
    ],
  },
  {
    what: "package registry tokens",
    atHome: words(`
      .npmrc .yarnrc.yml .pypirc .config/pip/pip.conf .pip/pip.conf .gem/credentials .bunfig.toml
      .cargo/credentials .cargo/credentials.toml .m2/settings.xml .m2/settings-security.xml
      .gradle/gradle.properties .config/composer/auth.json .composer/auth.json .nuget/NuGet/NuGet.Config
      .local/share/gem/credentials .hex .config/hatch .config/pypoetry/auth.toml .condarc
    `),
  },
  {
    what: "passwords of programs",
    atHome: [
      ...words(".netrc _netrc .git-credentials .config/git/credentials .config/gh .config/hub .config/glab-cli"),
      ...[".pgpass", ".my.cnf", ".mylogin.cnf", ".htpasswd", ".config/msmtp", ".msmtprc", ".mbsyncrc", ".authinfo"],
      ...[".config/op", ".config/Bitwarden CLI", ".config/Bitwarden", ".config/1Password", ".cache/huggingface/token"],
      ...words(".huggingface/token .kaggle .config/stripe .databrickscfg .snowflake .ngrok2 .config/ngrok"),
    ],
  },
  {
    what: "keyrings and wallets",
    atHome: [
      ...[".local/share/keyrings", ".local/share/kwalletd", ".kde/share/apps/kwallet", "Library/Keychains"],
      ...[".pki", ".local/share/pki", ".bitcoin", ".ethereum", ".electrum", ".config/solana", ".config/keepassxc"],
    ],
    anywhere: ["/Library/Keychains"],
  },
  {
    what: "browsers' stores",
    atHome: [
      ...[".mozilla", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge"],
      ...[".config/vivaldi", ".config/opera", ".thunderbird", ".librewolf", ".zen", "snap/firefox", "snap/chromium"],
      ...[".var/app/org.mozilla.firefox", ".var/app/com.google.Chrome", "Library/Application Support/Google/Chrome"],
      ...["Library/Application Support/Firefox", "Library/Application Support/BraveSoftware", "Library/Safari"],
      ...["Library/Application Support/Microsoft Edge", "Library/Cookies", "Library/Mail", "Library/Messages"],
      ...[".config/Slack", ".config/discord", ".config/Signal", ".local/share/TelegramDesktop", ".config/evolution"],
    ],
  },
  {
    what: "histories",
    atHome: words(`
      .bash_history .zsh_history .zhistory .local/share/fish/fish_history .history .sh_history
      .python_history .node_repl_history .psql_history .mysql_history .sqlite_history .irb_history
      .rediscli_history .lesshst .viminfo .local/share/atuin .local/state/python_history
    `),
  },
  {
    what: "other agents' credentials and sessions",
    atHome: words(`
      .claude/.credentials.json .claude/projects .claude/history.jsonl .claude.json .codex/auth.json
      .codex/sessions .codex/history.jsonl .gemini/oauth_creds.json .gemini/google_accounts.json
      .qwen/oauth_creds.json .local/share/opencode/auth.json .config/github-copilot .config/goose
      .aider.conf.yml .config/crush .local/share/crush .continue/config.json .config/openai .cursor
    `),
  },
  {
    what: "the system's passwords",
    anywhere: words(`
      /etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/sudoers.d /etc/krb5.keytab
      /etc/ssl/private /etc/NetworkManager/system-connections /etc/wireguard /var/lib/docker
      /var/lib/containerd /var/lib/kubelet /etc/kubernetes /etc/rancher /root/.kube /var/spool/cron
      /var/backups /etc/master.passwd /private/etc/master.passwd /var/db/dslocal
    `),
  },
];

/** Folders that hold sockets of the system and of the desktop. */
export const SOCKET_FOLDERS: readonly string[] = ["/run", "/var/run"];

/** The parts of socket folders that programs need: the programs of NixOS, and name resolution. */
export const KEPT_OF_RUN: readonly string[] = words(`
  /run/current-system /run/booted-system /run/wrappers /run/opengl-driver /run/systemd/resolve
  /run/NetworkManager/resolv.conf /run/resolvconf
`);

/** Kernel settings that root could change through a new `/proc`. */
export const PROC_SWITCHES: readonly string[] = [
  "/proc/sys",
  "/proc/sysrq-trigger",
  "/proc/fs",
  "/proc/acpi",
  "/proc/scsi",
];

/** Variables that name sockets outside the sandbox. */
export const SOCKET_VARIABLES: readonly string[] = words(`
  SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO DBUS_SESSION_BUS_ADDRESS DBUS_SYSTEM_BUS_ADDRESS
  XDG_RUNTIME_DIR DISPLAY WAYLAND_DISPLAY XAUTHORITY ICEAUTHORITY SESSION_MANAGER DOCKER_HOST CONTAINER_HOST
  PULSE_SERVER TMUX STY
`);

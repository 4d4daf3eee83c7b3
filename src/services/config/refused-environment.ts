/** Names that a project's settings may not set, the reason, and examples. */
type RefusedNames = {
  /** Matched against the whole name in upper case. */
  readonly names: RegExp;
  readonly why: string;
  readonly examples: readonly string[];
};

/**
 * Variables with which a repository could run its own code in an allowed command, move the settings of
 * programs, or redirect their output. Sources: bash(1) "Shell Variables", ld.so(8), git(1) "Environment Variables",
 * and the manuals of the named runtimes and tools.
 */
export const REFUSED_ENVIRONMENT: readonly RefusedNames[] = [
  {
    names: /^(?:PATH|PATHEXT|HOME|SHELL|USER|LOGNAME|PWD|OLDPWD|TMPDIR|TMP|TEMP|XDG_.*)$/,
    why: "where programs and their files are found",
    examples: ["PATH", "HOME", "TMPDIR", "XDG_CONFIG_HOME"],
  },
  {
    names:
      /^(?:ENV|BASH.*|SHELLOPTS|PROMPT_COMMAND|PS[0-4]|IFS|CDPATH|GLOBIGNORE|EXECIGNORE|FIGNORE|FPATH|ZDOTDIR|INPUTRC|HISTFILE|POSIXLY_CORRECT|FZF_.*|DIRENV_.*)$/,
    why: "what a shell runs or how it reads",
    examples: ["BASH_ENV", "ENV", "PROMPT_COMMAND", "ZDOTDIR", "BASH_FUNC_ls%%"],
  },
  {
    names:
      /^(?:LD_.*|DYLD_.*|_RLD_.*|LIBPATH|GCONV_PATH|GLIBC_TUNABLES|LOCPATH|NLSPATH|MALLOC_.*|TERMINFO.*|TERMCAP|HOSTALIASES|RESOLV_.*|LOCALDOMAIN|RES_OPTIONS)$/,
    why: "what a program loads or resolves",
    examples: ["LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "GCONV_PATH", "HOSTALIASES"],
  },
  {
    names: /^(?:GIT_.*|GH_.*|GITHUB_.*|GITLAB_.*|GLAB_.*|SSH_.*|GPG_.*|GNUPGHOME|SVN_.*|HG.*|LEFTHOOK.*|HUSKY.*)$/,
    why: "what git and its neighbours run and whom they trust",
    examples: ["GIT_SSH_COMMAND", "GIT_CONFIG_COUNT", "SSH_ASKPASS", "GH_HOST", "GNUPGHOME"],
  },
  {
    names:
      /^(?:NODE_(?!ENV$).*|BUN_.*|DENO_.*|TS_NODE_.*|TSX_.*|ELECTRON_.*|NPM_.*|PNPM_.*|YARN_.*|COREPACK_.*|NVM_.*)$/,
    why: "what a JavaScript runtime or its package manager runs",
    examples: ["NODE_OPTIONS", "NODE_PATH", "BUN_OPTIONS", "npm_config_registry", "YARN_REGISTRY"],
  },
  {
    names:
      /^(?:PYTHON(?!DONTWRITEBYTECODE$|UNBUFFERED$|HASHSEED$|IOENCODING$|UTF8$).*|PIP_.*|PIPENV_.*|UV_.*|POETRY_.*|CONDA_.*|VIRTUAL_ENV|PYENV_.*|TWINE_.*)$/,
    why: "what Python runs or installs from",
    examples: ["PYTHONPATH", "PYTHONSTARTUP", "PYTHONWARNINGS", "PIP_INDEX_URL", "UV_INDEX"],
  },
  {
    names:
      /^(?:PERL5?.*|RUBY.*|GEM_.*|BUNDLE_.*|BUNDLER_.*|RBENV_.*|IRBRC|LUA_.*|PHPRC|PHP_INI.*|COMPOSER.*|TCL.*|AWK.*)$/,
    why: "what a scripting language loads",
    examples: ["PERL5OPT", "PERL5LIB", "RUBYOPT", "GEM_HOME", "LUA_INIT", "AWKPATH"],
  },
  {
    names:
      /^(?:_?JAVA_.*|JDK_.*|CLASSPATH|MAVEN_.*|MVN_.*|GRADLE_.*|ANT_.*|SBT_.*|KOTLIN_.*|SCALA_.*|DOTNET_.*|CORECLR_.*|COR_.*|COMPLUS_.*|MSBUILD.*|NUGET_.*|PSMODULEPATH|POWERSHELL.*)$/,
    why: "what a virtual machine loads",
    examples: ["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH", "GRADLE_OPTS", "DOTNET_STARTUP_HOOKS"],
  },
  {
    names:
      /^(?:GO(?!MAXPROCS$|GC$|MEMLIMIT$|OS$|ARCH$)[A-Z]+|CGO_.*|CARGO_.*|RUSTC.*|RUSTDOC.*|RUSTUP_.*|RUSTFLAGS|CC|CXX|CPP|LD|AR|AS|CFLAGS|CXXFLAGS|CPPFLAGS|LDFLAGS|MAKEFLAGS|MFLAGS|MAKEFILES|CMAKE_.*|PKG_CONFIG.*|CCACHE_.*|ERL_.*|ELIXIR_.*|MIX_.*|HEX_.*|R_.*|JULIA_.*|MISE_.*|ASDF_.*)$/,
    why: "what a compiler or a build runs",
    examples: ["GOFLAGS", "GOPROXY", "RUSTC_WRAPPER", "CARGO_HOME", "CC", "MAKEFLAGS", "ERL_FLAGS"],
  },
  {
    names:
      /^(?:EDITOR|VISUAL|BROWSER|.*PAGER|LESS.*|MANOPT|MANROFFOPT|.*_?ASKPASS|VIMINIT|EXINIT|EMACS.*|RIPGREP_CONFIG_PATH|WGETRC|CURL_HOME|SUDO_.*|SYSTEMD_.*|TAR_OPTIONS|RSYNC_.*|GREP_OPTIONS|LS_OPTIONS)$/,
    why: "a program that another one starts, or its hidden options",
    examples: ["EDITOR", "PAGER", "MANPAGER", "LESSOPEN", "SUDO_ASKPASS", "RSYNC_RSH", "TAR_OPTIONS"],
  },
  {
    names:
      /^(?:.*PROXY.*|.*_CA(?:_.*|FILE|PATH|INFO|CERTS?)?|CA_.*|SSL_?.*|TLS_.*|OPENSSL_.*|CURL_.*|.*_CERTS?(?:_.*)?|REQUESTS_.*)$/,
    why: "whom connections go through and whom they trust",
    examples: ["HTTPS_PROXY", "no_proxy", "NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "AWS_CA_BUNDLE"],
  },
  {
    names:
      /^(?:QUOLL_.*|IS_SANDBOX|ANTHROPIC_.*|CLAUDE_.*|OPENAI_.*|GEMINI_.*|GOOGLE_.*|MISTRAL_.*|GROQ_.*|XAI_.*|DEEPSEEK_.*|OPENROUTER_.*|OLLAMA_.*|AZURE_.*|AWS_.*|VERTEX_.*|OTEL_.*|SENTRY_.*|DD_.*)$/,
    why: "a model's address, a cloud account or telemetry",
    examples: ["ANTHROPIC_BASE_URL", "QUOLL_HOME", "OTEL_EXPORTER_OTLP_ENDPOINT", "AWS_PROFILE", "IS_SANDBOX"],
  },
  {
    names:
      /^(?:DOCKER_.*|BUILDKIT_.*|COMPOSE_.*|PODMAN_.*|CONTAINER_.*|KUBECONFIG|KUBE.*|HELM_.*|TF_.*|TERRAFORM_.*|VAULT_.*|CONSUL_.*|NOMAD_.*|ANSIBLE_.*)$/,
    why: "which machines a tool works on",
    examples: ["DOCKER_HOST", "KUBECONFIG", "VAULT_ADDR", "TF_CLI_CONFIG_FILE", "ANSIBLE_CONFIG"],
  },
];

/** Valid shell names; other names are exported functions, or tricks. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** True if a project's settings may set this variable for commands after the folder is trusted. Case is ignored. */
export function projectMaySet(name: string): boolean {
  const upper = name.toUpperCase();
  return PLAIN_NAME.test(name) && !REFUSED_ENVIRONMENT.some(({ names }) => names.test(upper));
}

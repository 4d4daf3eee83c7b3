import type { ReadOnlyRow } from "../command-row.ts";

/**
 * The flags, or the word, with which each program prints its version and does nothing else. Left out are programs that
 * run code of the folder first, whatever their arguments: bundle (Gemfile), composer (plug-ins), gradle (its
 * properties), pytest and flake8 (plug-ins), ava, gulp, mocha and typedoc (their settings), latexmk (latexmkrc), phpstan
 * (vendor/autoload.php), rails, sbt, tox, elixir (.erlang), wrappers such as ./mvnw. For the others with a file that
 * decides what they start (cargo, yarn, pnpm, mvn, dotnet, go, bun, tools of node_modules), the caller looks at these
 * files.
 */
const ANSWERS: Readonly<Record<string, string>> = {
  "--version": `7z ag age ack asdf astro autoconf automake aws az azd babel bandit bash bat batcat biome black brew bun caddy cargo
    ccache clang clang-format clang-tidy clang++ cloc cmake code conda cpp crystal ctest curl cypress dart delta deno diff difft direnv dive
    docker docker-compose dos2unix dotnet doxygen duf dust elm emacs esbuild eslint exa eza fd fdfind ffmpeg file find fish
    fzf g++ gawk gcc gcloud gdb gem ghc gh git-cliff git-lfs gitleaks glab gnuplot gofumpt golangci-lint gpg grep groovy grpcurl
    gzip hadolint helmfile heroku htop httpie http hugo hyperfine identify isort java jest jj jq jshell julia just k3d kotlin kotlinc kubectl
    kubectx kustomize lazygit ld lerna less lighthouse lldb logcli lsd lua luac make man mariadb mdbook meson micromamba mkcert
    mkdocs mongosh mypy mysql mysqldump n nasm netlify next nginx nim ninja nmap nodemon node nox npm-check-updates ncu npm npx nu nvim nx
    objdump ocaml opam opencode packer pandoc parcel parallel patch perl pg_dump pgbench php pip pip3 pipenv pipx
    playwright pnpm podman pre-commit prettier protoc psql pulumi pyenv python python3 qemu-img rake rbenv
    rclone readelf redis-cli redis-server restic rg R ripgrep rollup rsync rsbuild rspack ruby ruff rustc rustdoc rustfmt rustup rye scala screen sed
    serve shellcheck shfmt skopeo sops sqlfluff sqlite3 stack strace stylelint svn sqlc swag swc swift syft tailscale
    tar task terraform terragrunt tex tig tilt tokei tofu tree trivy tsc ts-node tsup tsx turbo uv uvx
    vagrant vault vercel vim vite vitest vue watchexec watchman webpack wget which wrangler xcodegen xmllint xz yamllint yarn yq yt-dlp zellij
    zoxide zsh zstd`,
  "-v": "node npm pnpm yarn bun tsc ruby perl php lua nginx httpd apache2 gem make gcc clang mvn nodemon vite",
  "-V": "mysql cargo rustc python python3 ssh tmux curl wget pip pip3 ruff pnpm rustup vim screen tcpdump",
  version: `gh terraform tofu helm kind minikube k3d k9s kustomize skaffold pulumi vault consul nomad packer hugo buf opa conftest
    golangci-lint trivy syft grype cosign crane oras eksctl tilt openssl zig cloudflared caddy etcdctl restic rclone dagger dlv earthly`,
  "-version": "sqlite3 terraform java javac scala kotlin ffmpeg ffprobe ant identify convert xcodebuild groovy",
};

/** Programs that answer `--help` with a text and do nothing else. */
const HELPFUL =
  "node npm npx deno python python3 pip pip3 ruby java javac docker kubectl gh helm terraform jq rg fd curl wget tar rsync grep sed awk find ls make gcc clang mypy black ruff";

const rows = [...Object.entries(ANSWERS), ["--help", HELPFUL] as const].flatMap(([flag, names]) =>
  [...new Set(names.split(/\s+/))].map(
    (name): ReadOnlyRow => ({
      name,
      sub: [flag],
      flags: [],
      operands: "none",
    }),
  ),
);

/** `tool --version` or `tool --help` and nothing else. */
export const VERSION_ROWS: readonly ReadOnlyRow[] = rows;

import { chmod, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "../../../src/platform/env.ts";
import { CredentialFile } from "../../../src/services/credentials/credential-file.ts";
import { CredentialStore } from "../../../src/services/credentials/credential-store.ts";
import { findKeyring } from "../../../src/services/credentials/find-keyring.ts";
import { KeyHelpers } from "../../../src/services/credentials/key-helper.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { tempProject } from "../../support/temp-project.ts";

/** No real key: only its shape. */
export const KEY = "sk-ant-test-0123456789-wxyz";

/**
 * A program that behaves as secret-tool does, over files in $HOME/keyring; what it was started with stands in $HOME/calls.
 * A file $HOME/locked makes it fail as a locked keyring does, $HOME/deaf makes it forget what it is given.
 */
export const SECRET_TOOL = `#!/bin/bash
echo "$*" >> "$HOME/calls"
if [ -e "$HOME/locked" ]; then echo "secret-tool: Cannot get secret of a locked object" >&2; exit 1; fi
mkdir -p "$HOME/keyring"
verb=$1; shift
[ "$1" != "\${1#--label}" ] && shift
file="$HOME/keyring/$(printf '%s' "$*" | tr '/ ' '__')"
case $verb in
  store) [ -e "$HOME/deaf" ] || cat > "$file" ;;
  lookup) [ -e "$file" ] || exit 1; cat "$file" ;;
  clear) [ -e "$file" ] || exit 1; rm "$file" ;;
  *) echo "usage" >&2; exit 2 ;;
esac
`;

/** The same for security(1) of macOS: its interactive mode reads commands from stdin. */
export const SECURITY = `#!/bin/bash
echo "$*" >> "$HOME/calls"
mkdir -p "$HOME/keyring"
account() { while [ $# -gt 0 ]; do [ "$1" = -a ] && { printf '%s' "$2" | tr '/ ' '__'; return; }; shift; done; }
case $1 in
  -i) read -r line; eval "set -- $line"; hex=\${!#}; echo "$hex" | xxd -r -p > "$HOME/keyring/$(account "$@")" ;;
  find-generic-password) f="$HOME/keyring/$(account "$@")"; [ -e "$f" ] || exit 44; case "$*" in *-w) cat "$f"; echo;; esac ;;
  delete-generic-password) f="$HOME/keyring/$(account "$@")"; [ -e "$f" ] || exit 44; rm "$f" ;;
esac
`;

type Options = {
  readonly env?: Environment;
  readonly helpers?: Readonly<Record<string, string>>;
  /** Text of a program to put on the search path: its name and text. */
  readonly program?: readonly [name: string, text: string];
  readonly os?: string;
  readonly timeoutMs?: number;
  readonly ttlMs?: number;
};

/** A home with a configuration folder, perhaps a keyring, and a store over them. */
export async function credentialPlace({ env = {}, helpers = {}, program, os = "linux", ...limits }: Options = {}) {
  const home = await tempProject();
  const bin = home.path("bin");
  await mkdir(bin);
  if (program) {
    await home.write(`bin/${program[0]}`, program[1]);
    await chmod(join(bin, program[0]), 0o755);
  }
  const clock = fakeClock();
  const whole: Environment = { HOME: home.dir, PATH: `${bin}:/usr/bin:/bin`, ...env };
  const file = new CredentialFile(home.path("config/credentials.json"));
  const keyHelpers = new KeyHelpers({ commands: helpers, env: whole, clock, ...limits });
  const open = () =>
    new CredentialStore({
      file,
      env: whole,
      variables: (provider) => (provider === "acme" ? ["ACME_KEY", "ACME_TOKEN"] : []),
      helpers: keyHelpers,
      findKeyring: () => findKeyring({ os, env: whole, configFolder: home.path("config") }),
    });
  return {
    home,
    clock,
    file,
    keyHelpers,
    store: open(),
    /** The same store in the view of another process. */
    open,
    calls: () => readFile(home.path("calls"), "utf8").catch(() => ""),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

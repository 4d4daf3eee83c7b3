import { join } from "node:path";
import type { SecretStore } from "../contracts/secret-store.ts";
import { systemClock } from "../platform/clock.ts";
import { sha256 } from "../platform/digest.ts";
import { openBrowser } from "../platform/open-browser.ts";
import { CredentialFile } from "../services/credentials/credential-file.ts";
import { CredentialStore } from "../services/credentials/credential-store.ts";
import { findKeyring } from "../services/credentials/find-keyring.ts";
import { KeyHelpers } from "../services/credentials/key-helper.ts";
import { LoginNotes } from "../services/mcp/oauth/login-notes.ts";
import { LoginStore } from "../services/mcp/oauth/login-record.ts";
import { McpLogins } from "../services/mcp/oauth/logins.ts";
import type { LoginDeps } from "../services/mcp/oauth/server-login.ts";
import type { CredentialEnvironment } from "./open-credentials.ts";

const LOGINS_FILE = "mcp-credentials.json";

type LoginEnvironment = Pick<CredentialEnvironment, "env" | "own" | "os"> & {
  /** False if no browser may be started. */
  readonly hasBrowser?: boolean;
  /** Asks authorization servers; the platform's own `fetch` if absent. */
  readonly fetch?: LoginDeps["fetch"];
};

/** The logins of this user to MCP servers. Reads and writes no file until a login is needed. */
export function openMcpLogins(environment: LoginEnvironment): McpLogins {
  const { env, own, os, hasBrowser = true } = environment;
  return new McpLogins({
    store: new LoginStore(loginSecrets(environment)),
    notes: new LoginNotes(join(own.cache, "mcp-needs-login.json"), systemClock),
    clock: systemClock,
    fetch: environment.fetch ?? fetch,
    lockFor: (url) => join(own.state, "mcp-logins", `${sha256(url).slice(0, 32)}.lock`),
    openBrowser: (address) => hasBrowser && openBrowser(address, { os, env }),
  });
}

/** Stores logins in the keyring, or in a private file if there is none. */
function loginSecrets({ env, own, os }: LoginEnvironment): SecretStore {
  const credentials = new CredentialStore({
    file: new CredentialFile(join(own.config, LOGINS_FILE), "quoll mcp login <server>"),
    env,
    variables: () => [],
    helpers: new KeyHelpers({ commands: {}, env, clock: systemClock }),
    findKeyring: () => findKeyring({ os, env, configFolder: own.config }),
  });
  return {
    async read(name) {
      credentials.forget(name);
      return (await credentials.lookup(name))?.key;
    },
    async write(name, text) {
      const { source, from } = await credentials.save(name, { key: text });
      return source === "keyring" ? from : `${from}, for you alone`;
    },
    remove: (name) => credentials.remove(name),
  };
}

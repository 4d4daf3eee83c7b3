import type { McpServers } from "../../contracts/mcp.ts";
import type { McpLoginStep } from "../../contracts/mcp-view.ts";

/** A login whose page the person opens without Quoll. */
type OpenLogin = {
  readonly done: Promise<string>;
  /** The next line of the login for the person. */
  nextLine(): Promise<string>;
  paste(address: string): void;
  stop(): void;
};

/** Logins that are started within a session. At most one login is open for each server. */
export class ServerLogins {
  readonly #client: () => Pick<McpServers, "logIn"> | undefined;
  readonly #open = new Map<string, OpenLogin>();

  constructor(client: () => Pick<McpServers, "logIn"> | undefined) {
    this.#client = client;
  }

  /**
   * Logs in with the browser. Without a browser, the login stays open and waits for `paste`.
   * @throws {Error} (as a rejection) one line that gives the reason; the abort reason.
   */
  async logIn(name: string, waiting: () => void, signal: AbortSignal): Promise<McpLoginStep> {
    this.#open.get(name)?.stop();
    const shown = Promise.withResolvers<string>();
    const login = this.#start(name, (address, isOpened) => (isOpened ? waiting() : shown.resolve(address)));
    const onAbort = () => login.stop();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const line = login.done.then((text) => ({ line: text }));
      return await Promise.race([line, shown.promise.then((address) => ({ address }))]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /**
   * Continues a login with the address on which the browser ended.
   * @returns one line.
   * @throws {Error} for the same reasons as `logIn`.
   */
  async paste(name: string, address: string): Promise<string> {
    const login = this.#open.get(name);
    if (!login) throw new Error(`no login waits for an address: start one with /mcp login ${name}`);
    const nextLine = login.nextLine();
    login.paste(address);
    return Promise.race([login.done, nextLine]);
  }

  #start(name: string, show: (address: string, isOpened: boolean) => void): OpenLogin {
    const client = this.#client();
    if (!client) throw new Error("there are no MCP servers");
    const stopping = new AbortController();
    let pasted = Promise.withResolvers<string | undefined>();
    let line = Promise.withResolvers<string>();
    const prompt = {
      show,
      notify(text: string) {
        line.resolve(text);
        line = Promise.withResolvers();
      },
      async paste() {
        const text = await pasted.promise;
        pasted = Promise.withResolvers();
        return text;
      },
    };
    const done = client.logIn(name, prompt, stopping.signal).finally(() => {
      if (this.#open.get(name) === login) this.#open.delete(name);
    });
    // If the person never finishes the login, no error is reported.
    done.catch(() => undefined);
    const login: OpenLogin = {
      done,
      nextLine: () => line.promise,
      paste: (address) => pasted.resolve(address),
      stop: () => stopping.abort(new Error("the login was interrupted")),
    };
    this.#open.set(name, login);
    return login;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

const BY_PROTOCOL: Readonly<Record<string, readonly string[]>> = {
  "https:": ["HTTPS_PROXY", "https_proxy"],
  "http:": ["HTTP_PROXY", "http_proxy"],
};

/** The proxy that the runtime sends requests to this address through, for messages; undefined for a direct one. */
export function proxyFor(url: string, environment: Environment): { host: string; variable: string } | undefined {
  const { protocol, hostname } = new URL(url);
  const variable = BY_PROTOCOL[protocol]?.find((name) => environment[name]?.trim());
  const value = variable && environment[variable]?.trim();
  if (!variable || !value || isExcepted(hostname, environment["NO_PROXY"] ?? environment["no_proxy"] ?? ""))
    return undefined;
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  return URL.canParse(text) ? { host: new URL(text).host, variable } : undefined;
}

function isExcepted(host: string, list: string): boolean {
  return list.split(",").some((item) => {
    const name = item
      .trim()
      .toLowerCase()
      .replace(/^\*?\./, "");
    return name !== "" && (name === "*" || host === name || host.endsWith(`.${name}`));
  });
}

import { type LookupAddress, type LookupOptions, lookup } from "node:dns";
import { BlockList, isIP } from "node:net";

/** Address ranges outside the public network (IANA's special-purpose address registries). */
const INNER_NETWORKS: readonly (readonly [network: string, prefix: number, family: "ipv4" | "ipv6"])[] = [
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.0.0.0", 24, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["198.18.0.0", 15, "ipv4"],
  ["224.0.0.0", 4, "ipv4"],
  ["240.0.0.0", 4, "ipv4"],
  ["::", 127, "ipv6"],
  ["64:ff9b::", 96, "ipv6"],
  ["64:ff9b:1::", 48, "ipv6"],
  ["2002::", 16, "ipv6"],
  ["fc00::", 7, "ipv6"],
  ["fe80::", 10, "ipv6"],
  ["fec0::", 10, "ipv6"],
  ["ff00::", 8, "ipv6"],
];

let innerNetworks: BlockList | undefined;

/** True if a numeric address is public. IPv4 addresses in IPv6 form count as IPv4. */
export function isPublicAddress(address: string): boolean {
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address.split("%")[0] ?? "";
  const family = isIP(plain);
  if (family === 0 || /^::ffff:/i.test(plain)) return false;
  innerNetworks ??= listInnerNetworks();
  return !innerNetworks.check(plain, family === 4 ? "ipv4" : "ipv6");
}

/** True if a numeric address leads to this machine. An IPv6 form of an IPv4 address counts, whichever address it is. */
export function isThisMachine(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, "");
  return /^(?:127\.|0\.|::1?$|::ffff:)/i.test(/^[:0]*:1?$/.test(plain) ? "::1" : plain);
}

/** True if a host is a numeric address, brackets of IPv6 included. */
export function isNumericHost(host: string): boolean {
  return isIP(host.replace(/^\[|\]$/g, "")) !== 0;
}

function listInnerNetworks(): BlockList {
  const list = new BlockList();
  for (const [network, prefix, family] of INNER_NETWORKS) list.addSubnet(network, prefix, family);
  return list;
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/**
 * A lookup function for sockets that refuses a name when one of its addresses is not allowed. The socket connects to
 * the checked address, so a later DNS answer can't change it.
 * @param isAllowed Checks one numeric address.
 */
export function guardedLookup(isAllowed: (address: string) => boolean): typeof lookup {
  const guarded = (host: string, options: LookupOptions, callback: LookupCallback): void => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const refused = addresses.find(({ address }) => !isAllowed(address));
      if (refused) {
        const problem = new Error(`${host} resolves to ${refused.address}, which is not a public address`);
        return callback(Object.assign(problem, { code: "EACCES" }), []);
      }
      const [first] = addresses;
      if (options.all) callback(null, addresses);
      else callback(null, first?.address ?? "", first?.family);
    });
  };
  // Sockets use only this overload.
  return guarded as typeof lookup;
}

/** The verbs of `/plugins` about marketplaces. */
export const SHOP_VERBS = ["browse", "add", "update", "install"] as const;

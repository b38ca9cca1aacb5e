/** What servers and fleets put into a data directory, besides the lock, which is held. */
const ours: ReadonlySet<string> = new Set([
  ...[
    'store',
    'store.mark',
    'pki',
    'logs',
    'admin.kubeconfig',
    'control.json',
    'control.json.new',
    'control.sock',
  ],
])
const lock = /^up\.lock(?:\.|-|$)/

export type StartOver =
  | { readonly do: 'refuse'; readonly why: string }
  /** Something is stored: the user has to know. */
  | { readonly do: 'ask'; readonly entries: readonly string[] }
  | { readonly do: 'delete'; readonly entries: readonly string[] }

/** What `--fresh` may delete. A directory with anything else in it was named by mistake. */
export function decideStartOver(seen: {
  readonly dataDir: string
  readonly entries: readonly string[]
  readonly hasStore: boolean
  readonly hasEtcd: boolean
}): StartOver {
  const { dataDir, hasStore, hasEtcd } = seen
  if (hasEtcd)
    return {
      do: 'refuse',
      why: '--fresh does not empty etcd, whose data may be used elsewhere: delete the keys below /registry yourself, or use a new etcd',
    }
  const entries = seen.entries.filter((name) => !lock.test(name))
  const foreign = entries.find((name) => !ours.has(name))
  if (foreign !== undefined)
    return {
      do: 'refuse',
      why: `--fresh: ${dataDir} is not the data directory of a fleet, or not only that: it has ${JSON.stringify(foreign)}; nothing was deleted`,
    }
  return { do: hasStore ? 'ask' : 'delete', entries }
}

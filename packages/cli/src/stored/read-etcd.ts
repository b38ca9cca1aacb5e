import {
  ConfigurationProblem,
  type Entry,
  openEtcd,
  RevisionCompacted,
  type Store,
  StoreUnavailable,
} from '@strata/server/stored-values'
import { silentLog, type World } from '@strata/world'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { findRoots } from './find-roots.ts'
import type { StoreReading } from './read-snapshot.ts'
import { rootPrefix, type StoreTally } from './store-tally.ts'

/** How etcd is reached, by the flags of etcdctl or of kube-apiserver. */
export interface EtcdAccess {
  readonly endpoints: readonly string[]
  readonly caFile?: string | undefined
  readonly certFile?: string | undefined
  readonly keyFile?: string | undefined
}

/** A page is meant to have this many bytes: values differ in size by a factor of a thousand. */
const pageBytes = 4 << 20
const firstLimit = 50
const mostPerPage = 2_000

/** Counts what etcd holds, at one revision. */
export async function readEtcd(
  access: EtcdAccess,
  root: string,
  tally: StoreTally,
  world: World,
  signal: AbortSignal,
): Promise<StoreReading> {
  return withEtcd(access, world, signal, async (store) => {
    const revision = await readPages(store, rootPrefix(root), tally, signal)
    return { from: 'etcd', source: etcdText(access), revision, isExact: true }
  })
}

export const etcdText = ({ endpoints }: EtcdAccess): string => `etcd at ${endpoints.join(', ')}`

/** Reads these keys at one revision; those that are absent are left out. */
export function readEtcdKeys(
  access: EtcdAccess,
  keys: readonly string[],
  world: World,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  return withEtcd(access, world, signal, async (store) => {
    const { entries } = await store.read(keys, signal)
    return entries.filter((each) => each !== undefined)
  })
}

/** What the keys begin with: the first parts of all of them. */
export function readEtcdRoots(
  access: EtcdAccess,
  world: World,
  signal: AbortSignal,
): Promise<readonly string[]> {
  return withEtcd(access, world, signal, (store) =>
    findRoots(async (after) => {
      const { entries } = await store.list(
        { prefix: '', limit: 1, ...(after === undefined ? {} : { after }) },
        signal,
      )
      return entries[0]?.key
    }),
  )
}

async function withEtcd<T>(
  access: EtcdAccess,
  world: World,
  signal: AbortSignal,
  read: (store: Store) => Promise<T>,
): Promise<T> {
  try {
    // Its log is about endpoints that fail; the error names the last one.
    const store = await openEtcd({ kind: 'etcd', ...access }, { ...world, log: silentLog }, signal)
    try {
      return await read(store)
    } finally {
      await store.close()
    }
  } catch (error) {
    signal.throwIfAborted()
    throw explainEtcd(error)
  }
}

async function readPages(
  store: Store,
  prefix: string,
  tally: StoreTally,
  signal: AbortSignal,
): Promise<number> {
  let limit = firstLimit
  let after: string | undefined
  let revision: number | undefined
  for (;;) {
    const at = {
      prefix,
      limit,
      ...(after === undefined ? {} : { after }),
      ...(revision === undefined ? {} : { revision }),
    }
    const page = await store.list(at, signal)
    revision = page.revision
    let bytes = 0
    for (const entry of page.entries) {
      bytes += entry.value.length
      await tally.add(entry)
    }
    after = page.entries.at(-1)?.key
    if (page.remaining === 0 || after === undefined) return revision
    const average = Math.max(1, bytes / page.entries.length)
    limit = Math.max(1, Math.min(mostPerPage, Math.floor(pageBytes / average)))
  }
}

function explainEtcd(error: unknown): unknown {
  if (error instanceof ConfigurationProblem)
    return new CliError(error.message, exitCodes.usage, { cause: error })
  if (error instanceof RevisionCompacted)
    return new CliError('etcd was compacted while it was read: run it again', exitCodes.notSeen, {
      cause: error,
    })
  if (error instanceof StoreUnavailable)
    return new CliError(`--etcd-servers: ${error.message}`, exitCodes.notSeen, { cause: error })
  return error
}

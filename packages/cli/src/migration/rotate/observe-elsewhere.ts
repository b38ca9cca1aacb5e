import { createHash } from 'node:crypto'
import {
  type GroupResource,
  groupResourceText,
  identityLabel,
  identityLabelValue,
  identityNamespace,
  leases,
  rulesFor,
} from '@strata/api'
import { isRefused, isRequestFailure } from '@strata/client'
import { deadline } from '@strata/world'
import type { CliContext } from '../../context.ts'
import { observeSameCluster } from '../../inspect/observe-same-cluster.ts'
import { whyNot } from '../../inspect/observe-shared.ts'
import { observeStore, type StoreSource } from '../../stored/observe-store.ts'
import type { KeyFile } from '../../stored/read-key-file.ts'
import type { Cluster } from '../resources/cluster.ts'
import type { ElsewhereFacts, LoadedFile } from './decide-rotation-elsewhere.ts'
import { decideStoredUnder } from './decide-stored-under.ts'
import { parseLoadedFile } from './parse-loaded-file.ts'

const requestMs = 30_000

export type ServersSight = Pick<ElsewhereFacts, 'servers' | 'loaded' | 'blind' | 'withoutMetric'>

/** Which servers there are, and which file each has loaded. */
export async function observeServers(cluster: Cluster, { world, signal }: CliContext): Promise<ServersSight> {
  const limit = deadline(world.clock, requestMs, signal)
  try {
    const servers = await observeIdentities(cluster, limit.signal)
    const loaded: LoadedFile[] = []
    const withoutMetric = new Set<string>()
    const asked = await cluster.servers(limit.signal)
    const blind = new Set(asked.unasked.map((each) => `the file that an API server has loaded: ${each}`))
    await Promise.all(
      asked.servers.map(async ({ name, client }) => {
        const who = asked.kind === 'samples' ? 'an API server' : `the API server ${name}`
        try {
          const found = parseLoadedFile(await client.metrics(limit.signal))
          if (found) loaded.push(found)
          else {
            withoutMetric.add(asked.kind === 'samples' ? 'each API server that has none' : who)
            blind.add(
              `the file that ${who} has loaded: it has no metric apiserver_encryption_config_controller_last_config_info (kube-apiserver has it since 1.34, with --encryption-provider-config)`,
            )
          }
        } catch (error) {
          if (signal.aborted || !isRequestFailure(error)) throw error
          blind.add(`the file that ${who} has loaded: ${whyNot(error)}`)
        }
      }),
    )
    return { servers, loaded, blind: [...blind], withoutMetric: [...withoutMetric] }
  } finally {
    limit.dispose()
  }
}

async function observeIdentities({ client }: Cluster, signal: AbortSignal): Promise<ServersSight['servers']> {
  try {
    const labelSelector = `${identityLabel}=${identityLabelValue}`
    const { items } = await client
      .resource(leases, 'v1')
      .list({ namespace: identityNamespace, labelSelector }, signal)
    const servers = items.map(({ metadata: { name = '' } }) => ({ server: hashOf(name), name }))
    return servers.length === 0 ? undefined : servers
  } catch (error) {
    if (signal.aborted || !isRefused(error)) throw error
    return undefined
  }
}

/** As API servers name themselves in metrics. */
const hashOf = (name: string): string => `sha256:${createHash('sha256').update(name).digest('hex')}`

/** What the store holds of these resources, and what else is under one of their keys. */
export async function observeStored(
  cluster: Cluster,
  source: StoreSource,
  chosen: readonly GroupResource[],
  keys: readonly string[],
  { world, signal }: CliContext,
): Promise<NonNullable<ElsewhereFacts['store']>> {
  const sight = await observeStore(source, cluster.discovery.resources, world, signal)
  const strange = await observeSameCluster(cluster, sight, signal)
  const { reading } = sight
  const under = decideStoredUnder(sight, chosen, keys)
  const doubt =
    reading.doubt ??
    (strange === undefined
      ? undefined
      : `it is not known that ${reading.source} is of this cluster: ${strange}`) ??
    under.doubt
  const renewals = new Map([...sight.signs.renewals].map(([name, ms]) => [hashOf(name), ms]))
  return { source: reading.source, isLive: 'etcd' in source.from, doubt, stored: under.stored, renewals }
}

/** What a file says of each resource. */
export function fileFacts(
  file: KeyFile | undefined,
  chosen: readonly GroupResource[],
): ElsewhereFacts['file'] {
  if (file === undefined) return undefined
  const rules = chosen.flatMap((each) => {
    const [first, ...more] = rulesFor(file.rules, each)
    if (first === undefined)
      return [{ resource: groupResourceText(each), writes: 'identity', reads: ['identity'] }]
    const reads = [...new Set([first, ...more].flatMap((rule) => rule.reads))]
    return [{ resource: groupResourceText(each), writes: first.writes, reads }]
  })
  return { hash: file.hash, rules }
}

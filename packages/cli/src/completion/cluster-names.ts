import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { customResourceDefinitions, groupResourceText } from '@strata/api'
import { deadline, uuid } from '@strata/world'
import { type ClusterFlags, connectCluster } from '../connection/cluster-client.ts'
import { kubeconfigSource, loadAccess } from '../connection/kubeconfig.ts'
import type { CliContext } from '../context.ts'
import { allMigratable } from '../migration/resources/choose-resources.ts'
import type { ClusterNames } from './decide-completions.ts'

/** A key press has to be answered while its user waits. */
const askMs = 2_000
/** As long as one command is typed. A CRD that is created meanwhile is completed a little later. */
const keptMs = 30_000

interface Kept {
  readonly atMs: number
  readonly names: readonly string[]
}

/** The names of resources or CRDs; none where the cluster does not answer: a complaint would stand in the line that is typed. */
export async function observeNames(
  kind: ClusterNames,
  flags: ClusterFlags,
  context: CliContext,
): Promise<readonly string[]> {
  try {
    const path = await keptPath(kind, flags, context)
    const nowMs = context.world.clock.wallMs()
    const kept = readKept(path)
    if (kept !== undefined && kept.atMs <= nowMs && nowMs < kept.atMs + keptMs) return kept.names
    const names = await askNames(kind, flags, context).catch(() => [])
    // Also that it did not answer: or every key press would wait for it.
    keep(path, { atMs: nowMs, names }, context)
    return names
  } catch {
    return []
  }
}

async function askNames(kind: ClusterNames, flags: ClusterFlags, context: CliContext): Promise<string[]> {
  const { warn: _, ...quiet } = context
  const connection = await connectCluster(flags, { ...quiet, canAsk: false }, 'strata-completion')
  const limit = deadline(context.world.clock, askMs, context.signal)
  try {
    const { client } = connection
    if (kind === 'crds') {
      const address = client.resource(customResourceDefinitions, 'v1').address
      const { items } = await client.metadata(address).list({}, limit.signal)
      return items.map(({ metadata: { name = '' } }) => name).sort()
    }
    const { resources } = await client.discover(limit.signal)
    return allMigratable(resources).map(groupResourceText)
  } finally {
    limit.dispose()
    connection.close()
  }
}

/** By the address and the context: the current context may be another one a moment later. */
async function keptPath(
  kind: ClusterNames,
  flags: ClusterFlags,
  { environment }: CliContext,
): Promise<string> {
  const [name] = flags.context
  const { server } = await loadAccess(kubeconfigSource(flags.kubeconfig, environment), name)
  const home = environment['HOME'] || homedir()
  const base = environment['XDG_CACHE_HOME'] || join(home, '.cache')
  const key = createHash('sha256')
    .update(JSON.stringify([kind, server, name, flags.as]))
    .digest('hex')
  return join(base, 'strata', 'completion', `${key.slice(0, 32)}.json`)
}

function readKept(path: string): Kept | undefined {
  try {
    const { atMs, names } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Kept>
    return typeof atMs === 'number' && Array.isArray(names) ? { atMs, names: names.map(String) } : undefined
  } catch {
    return undefined
  }
}

/** A directory that cannot be written makes completion slower, and nothing else. */
function keep(path: string, kept: Kept, { world }: CliContext): void {
  try {
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
    const aside = `${path}.${uuid(world.random)}.new`
    writeFileSync(aside, JSON.stringify(kept), { mode: 0o600 })
    renameSync(aside, path)
  } catch {
    return
  }
}

import { groupResourceText } from '@strata/api'
import {
  type DiscoveredResource,
  isAbsence,
  isNotFoundOrForbidden,
  isRequestFailure,
  type ObjectReference,
} from '@strata/client'
import { deadline } from '@strata/world'
import { countLeases, type NamedServer } from '../../connection/api-servers/api-servers.ts'
import type { CliContext } from '../../context.ts'
import type { Cluster } from '../resources/cluster.ts'
import { isUnreadableNow } from '../run/is-unreadable-now.ts'
import type { Readers, ServerSaid } from './decide-readers.ts'

const requestMs = 30_000

type Watch = Pick<CliContext, 'world' | 'signal'>

/**
 * Asks each API server whether it reads an object, in every version that is served: kube-apiserver calls an object corrupt in one
 * version, and reads it in another, while a conversion webhook is away.
 */
export async function observeReaders(
  cluster: Cluster,
  resource: DiscoveredResource,
  object: ObjectReference,
  context: Watch,
): Promise<Readers> {
  const {
    kind,
    servers,
    unasked,
    leases = await countOwnLeases(cluster, context),
  } = await cluster.servers(context.signal)
  const name = groupResourceText(resource)
  const versions = cluster.discovery.resources.filter((each) => groupResourceText(each) === name)
  const ask = async (server: NamedServer): Promise<ServerSaid> => {
    const said: ServerSaid[] = []
    for (const each of versions) said.push(await askServer(server, each, object, context))
    return saidOf(server.name, said)
  }
  const said = await Promise.all(servers.map(ask))
  return { kind, servers: said, unasked, ...(leases === undefined ? {} : { leases }) }
}

/** Also where the user names the servers: one may be missing. The record of Strata's servers says what each of them reads. */
async function countOwnLeases(
  { client, isStrata }: Cluster,
  { world, signal }: Watch,
): Promise<number | undefined> {
  if (isStrata) return undefined
  const limit = deadline(world.clock, requestMs, signal)
  try {
    return await countLeases(client, limit.signal)
  } catch (error) {
    if (isNotFoundOrForbidden(error)) return undefined
    throw error
  } finally {
    limit.dispose()
  }
}

const mostAgainst = ['readable', 'absent', 'unknown', 'unreadable'] as const

/** What says most against a deletion, in any version. */
function saidOf(name: string, all: readonly ServerSaid[]): ServerSaid {
  const word = mostAgainst.find((each) => all.some(({ said }) => said === each))
  if (word === undefined) return { name, said: 'unknown', message: 'it serves no version' }
  const messages = new Set(all.filter(({ said }) => said === word).map(({ message }) => message))
  return { name, said: word, message: [...messages].join('; ') }
}

async function askServer(
  { name, client }: NamedServer,
  resource: DiscoveredResource,
  object: ObjectReference,
  { world, signal }: Watch,
): Promise<ServerSaid> {
  const limit = deadline(world.clock, requestMs, signal)
  try {
    await client.metadata(resource).get(object, limit.signal)
    return { name, said: 'readable', message: `in ${resource.versionName}` }
  } catch (error) {
    if (signal.aborted || !isRequestFailure(error)) throw error
    const message = (error as Error).message
    if (isAbsence(error, resource, object.name)) return { name, said: 'absent', message }
    return { name, said: isUnreadableNow(error) ? 'unreadable' : 'unknown', message }
  } finally {
    limit.dispose()
  }
}

import { customResourceDefinitions, namespaces } from '@strata/api'
import { addressOf, type Client, isNotFound } from '@strata/client'
import type { Cluster } from '../migration/resources/cluster.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { permanentNamespaces } from '../stored/cluster-signs.ts'
import type { StoreSight } from '../stored/observe-store.ts'
import { decideSameCluster, type Signs } from './decide-same-cluster.ts'
import { whyNot } from './observe-shared.ts'

/** Each is a request; one that is alike is enough. */
const mostAsked = 5

/**
 * A snapshot of one cluster beside the API of another would give an answer about neither, so that is refused. Returns why it could
 * not be seen whether they are one cluster; undefined if they are. `otherwise` is what the caller's flags offer instead.
 */
export async function observeSameCluster(
  { client }: Pick<Cluster, 'client'>,
  { signs, reading }: Pick<StoreSight, 'signs' | 'reading'>,
  signal: AbortSignal,
  otherwise = '',
): Promise<string | undefined> {
  const { seen, unseen } = await observeSigns(client, signs, signal)
  const decided = decideSameCluster(signs, seen, unseen)
  if (decided.kind === 'same') return undefined
  if (decided.kind === 'unknown') return decided.because
  throw new CliError(
    `${reading.source} is of another cluster than the kubeconfig context: ${decided.because}; name its cluster with --context${otherwise}`,
    exitCodes.usage,
  )
}

async function observeSigns(
  client: Client,
  store: Signs,
  signal: AbortSignal,
): Promise<{ readonly seen: Signs; readonly unseen: string | undefined }> {
  const seen = { namespaces: new Map<string, string>(), definitions: new Map<string, string>() }
  let unseen: string | undefined
  const isDecided = (): boolean => decideSameCluster(store, seen, unseen).kind !== 'unknown'
  const look = async (see: () => Promise<void>): Promise<void> => {
    if (isDecided()) return
    try {
      await see()
    } catch (error) {
      signal.throwIfAborted()
      if (!isNotFound(error)) unseen ??= whyNot(error)
    }
  }
  const lookAtNamespace = (name: string): Promise<void> =>
    look(async () => {
      const { metadata } = await client.resource(namespaces, 'v1').get({ name }, signal)
      if (metadata.uid !== undefined) seen.namespaces.set(name, metadata.uid)
    })
  const isPermanent = (name: string): boolean => permanentNamespaces.some((each) => each === name)
  const names = [...store.namespaces.keys()]
  for (const name of names.filter(isPermanent)) await lookAtNamespace(name)
  if (store.definitions.size > 0)
    await look(async () => {
      const { items } = await client.metadata(addressOf(customResourceDefinitions, 'v1')).list({}, signal)
      for (const { metadata } of items) seen.definitions.set(metadata.name ?? '', metadata.uid ?? '')
    })
  for (const name of names.filter((each) => !isPermanent(each)).slice(0, mostAsked))
    await lookAtNamespace(name)
  return { seen, unseen }
}

import { type GroupResource, groupResourceText, nameSome } from '@strata/api'
import { type DiscoveredResource, isTransient } from '@strata/client'
import type { CliContext } from '../../context.ts'
import { type ExitWord, nothingServed } from '../../output/exit-codes.ts'
import { observeMissing } from '../records/migration-rights.ts'
import type { Cluster } from '../resources/cluster.ts'
import { patienceMs, withRetries } from '../run/read-with-retries.ts'

export interface NothingSetAside {
  readonly text: string
  readonly exit: ExitWord
}

interface NothingFacts {
  /** Records are objects of the cluster; elsewhere they are files of this user. */
  readonly isStrata: boolean
  readonly resources: readonly GroupResource[]
  /** Those that this user may not list. */
  readonly unlistable: readonly GroupResource[]
}

/** What it means that no record names anything: nothing was listed, and elsewhere others have their own records. */
export function decideNothingSetAside({ isStrata, resources, unlistable }: NothingFacts): NothingSetAside {
  if (resources.length === 0) return { text: nothingServed, exit: 'unknown' }
  if (isStrata) return { text: 'no migration has set anything aside', exit: 'proven' }
  const seen =
    'no migration of this user on this machine has set anything aside. Only these records were looked at'
  if (unlistable.length === 0) {
    const next = 'to list the objects of a resource too, name it: strata repair RESOURCE'
    return { text: `${seen}; ${next}`, exit: 'proven' }
  }
  const which =
    unlistable.length === resources.length
      ? 'nothing can be listed'
      : `${unlistable.length} of ${resources.length} resources cannot be listed`
  const lacks = `not allowed: the user of this kubeconfig context lacks list of ${nameSome(unlistable.map(groupResourceText))} (in all namespaces)`
  return { text: `${seen}, and ${which}: ${lacks}`, exit: 'notSeen' }
}

const lookMs = 60_000

/** Nothing is recorded for this user: looks whether the user could list objects at all. */
export async function observeNothingSetAside(
  { client, isStrata }: Pick<Cluster, 'client' | 'isStrata'>,
  resources: readonly DiscoveredResource[],
  context: Pick<CliContext, 'world' | 'signal'>,
): Promise<NothingSetAside> {
  const looking = { limitMs: lookMs, patienceMs, isWorthIt: isTransient, onWait: () => {} }
  const missing = (asked: readonly GroupResource[]): Promise<readonly GroupResource[]> => {
    const rights = asked.map(({ group, resource }) => ({ verb: 'list', group, resource, isOwn: true }))
    return withRetries(context, (signal) => observeMissing(client, rights, signal), looking)
  }
  if (isStrata || resources.length === 0)
    return decideNothingSetAside({ isStrata, resources, unlistable: [] })
  // One question is enough for those who may list everything.
  const isLimited = (await missing([{ group: '*', resource: '*' }])).length > 0
  return decideNothingSetAside({ isStrata, resources, unlistable: isLimited ? await missing(resources) : [] })
}

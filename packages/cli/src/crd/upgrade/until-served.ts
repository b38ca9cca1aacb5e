import { type CustomResourceDefinition, storageVersionNameOf, versionsOf } from '@strata/api'
import { type DiscoveredResource, isNotFound, isTooManyRequests, isUnavailable } from '@strata/client'
import { sleep } from '@strata/world'
import { notSeenError } from '../../migration/resources/cluster.ts'
import { withRetries } from '../../migration/run/read-with-retries.ts'
import type { UpgradeSession } from './upgrade-options.ts'
import { UpgradeStop } from './upgrade-stop.ts'

const servedWithinMs = 60_000
const oneLookMs = 10_000
const betweenLooksMs = 500

/**
 * The resource in this version, once every API server that can be asked lists it: each of them needs a moment for a changed CRD,
 * and the next request may reach another one.
 */
export async function untilServed(
  { cluster, context }: UpgradeSession,
  { metadata, spec: { group, names } }: CustomResourceDefinition,
  version: string,
): Promise<DiscoveredResource> {
  const { clock } = context.world
  const endMs = clock.monotonicMs() + servedWithinMs
  for (;;) {
    const { servers } = await cluster.servers(context.signal)
    const looks = await Promise.all(
      [{ name: '', client: cluster.client }, ...servers].map(async ({ name, client }) => {
        const { resources } = await client.discoverGroup(group, context.signal)
        const found = resources.find((each) => each.resource === names.plural && each.versionName === version)
        return { name, found }
      }),
    )
    const late = looks.find(({ found }) => found === undefined)
    const [{ found } = {}] = looks
    if (late === undefined && found !== undefined) return found
    if (clock.monotonicMs() >= endMs) {
      const who = late?.name ? `the API server ${late.name} does` : 'the servers do'
      const because = `${who} not serve ${metadata.name} in ${version} after ${servedWithinMs / 1000} s`
      throw new UpgradeStop('stopped', 'notSeen', because, 'run the same command again')
    }
    await sleep(clock, betweenLooksMs, context.signal)
  }
}

/** Until a client that reads right after this command finds its objects. If that takes too long, it is only said. */
export async function untilReadable(
  { cluster, context }: UpgradeSession,
  live: CustomResourceDefinition,
): Promise<void> {
  const served = versionsOf(live).filter((each) => each.served)
  const version = served.find(({ name }) => name === storageVersionNameOf(live)) ?? served[0]
  if (version === undefined) return
  const { group, names } = live.spec
  const address = { group, versionName: version.name, resource: names.plural }
  const reading = {
    limitMs: oneLookMs,
    patienceMs: servedWithinMs,
    isWorthIt: isNotServedYet,
    onWait: () => {},
  }
  try {
    await withRetries(
      context,
      (signal) => cluster.client.metadata(address).listPage({ limit: 1 }, signal),
      reading,
    )
  } catch (error) {
    if (context.signal.aborted) throw error
    const { message } = notSeenError('the new file is applied, and its objects cannot be read', error)
    context.warn?.(`${live.metadata.name}: ${message}`)
  }
}

const isNotServedYet = (error: unknown): boolean =>
  isNotFound(error) || isTooManyRequests(error) || isUnavailable(error)

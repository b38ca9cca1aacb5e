import {
  type GroupResource,
  identityNamespace,
  isIdentityLease,
  type Lease,
  leases,
  namespaces,
  type StorageAgreement,
  type StorageVersion,
  storageAgreements,
  storageVersions,
} from '@strata/api'
import { type Client, type LeaderElectionOptions, MalformedAnswer, type ObjectChange } from '@strata/client'
import { jitter, sleep, uuid, type World } from '@strata/world'
import { originMirrorLeaseName } from '../controller-leases.ts'
import { campaign, informerSource, runController, runTogether, SharedInformers } from '../engine/index.ts'
import { AggregatorObjects, type MirrorObserver } from './aggregator-objects.ts'
import { askRarely } from './ask-rarely.ts'
import { MirroredObjects } from './find-mirrored.ts'
import { LeaseMirror } from './lease-mirror.ts'
import { StorageVersionMirror } from './storage-version-mirror.ts'

export interface OriginMirrorOptions {
  readonly world: World
  /** A server of the aggregated fleet, the origin. Its reads have to be linearizable. */
  readonly client: Client
  readonly aggregator: Client
  /** Whether the aggregator passes requests for this resource on to the fleet. */
  readonly isMirrored: (resource: GroupResource) => boolean
  readonly observe?: MirrorObserver
  readonly leaderElection?: Partial<
    Pick<LeaderElectionOptions, 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'>
  >
  readonly backoff?: { readonly firstMs: number; readonly maxMs: number }
}

/**
 * Shows the identity Leases and agreement records of an aggregated fleet in its aggregator, as Leases and StorageVersions (rule
 * 15), while this process leads. Agreement is decided in the origin; no decision about its data is made from what is shown.
 */
export async function runOriginMirror(options: OriginMirrorOptions, signal: AbortSignal): Promise<void> {
  const { world, client } = options
  const identity = `${world.processes.hostname}_${uuid(world.random)}`
  const election = { ...options.leaderElection, leases: client.resource(leases, 'v1'), world, identity }
  const named = { ...election, name: originMirrorLeaseName }
  await campaign(named, world.log, (term) => runTerm(options, term), signal)
}

async function runTerm(options: OriginMirrorOptions, signal: AbortSignal): Promise<void> {
  const { world, client, aggregator, isMirrored, observe = () => {} } = options
  const origin = await readOrigin(options, signal)
  if (origin === undefined) return
  const log = world.log.with({ controller: 'origin-mirror' })
  const informers = new SharedInformers(client, world)
  const leaseInformer = informers.of(leases, 'v1', { namespace: identityNamespace })
  const agreements = informers.of<StorageAgreement>(storageAgreements, 'v1alpha1')
  const shownLeases = new AggregatorObjects(aggregator.resource(leases, 'v1'), observe)
  const shownVersions = new AggregatorObjects(
    aggregator.resource<StorageVersion>(storageVersions, 'v1alpha1'),
    observe,
  )
  const found = new MirroredObjects({
    ...{ origin, leases: shownLeases, storageVersions: shownVersions, world, log },
    known: {
      servers: () => [...leaseInformer.store.values()].filter(isIdentityLease).map(nameOf),
      records: () => [...agreements.store.values()].filter(({ spec }) => isMirrored(spec)).map(nameOf),
    },
  })
  const leaseMirror = new LeaseMirror({
    ...{ origin, leases: client.resource(leases, 'v1'), aggregator: shownLeases, log },
    onChange: () => found.lookAtRecords(),
  })
  const versionMirror = new StorageVersionMirror({
    ...{ origin, agreements: client.resource<StorageAgreement>(storageAgreements, 'v1alpha1') },
    ...{ knownLeases: leaseInformer.store, aggregator: shownVersions, leases: leaseMirror },
    ...{ clock: world.clock, log },
  })
  const backoff = options.backoff ? { backoff: options.backoff } : {}
  const run =
    (part: Pick<Parameters<typeof runController>[0], 'name' | 'sources' | 'reconciler'>) =>
    (each: AbortSignal) =>
      runController({ ...backoff, world, ...part }, each)
  const { clock } = world
  await runTogether(
    [
      (each) => informers.run(each),
      run({
        name: 'origin-mirror-leases',
        sources: [informerSource(leaseInformer, serversOf), found.servers],
        reconciler: askRarely(leaseMirror, { clock, log, resource: shownLeases.resource }),
      }),
      run({
        name: 'origin-mirror-storage-versions',
        sources: [
          informerSource(agreements, ({ object }) => (isMirrored(object.spec) ? [nameOf(object)] : [])),
          // Entries are read together with the Leases of their servers.
          { subscribe: () => () => {}, whenSynced: (each) => leaseInformer.whenSynced(each) },
          found.records,
        ],
        reconciler: askRarely(versionMirror, { clock, log, resource: shownVersions.resource }),
      }),
      async (each) => {
        await Promise.all([leaseInformer.whenSynced(each), agreements.whenSynced(each)]).catch(() => {})
        await found.run(each)
      },
    ],
    signal,
  )
}

/** The server whose identity Lease has changed. */
function serversOf(change: ObjectChange<Lease>): readonly string[] {
  const { object } = change
  const was = change.kind === 'modified' && isIdentityLease(change.previous)
  return was || isIdentityLease(object) ? [nameOf(object)] : []
}

function nameOf({ metadata }: { readonly metadata: { readonly name?: string } }): string {
  return metadata.name ?? ''
}

/** The name of the origin: its namespace kube-system is created with its store. Undefined if the signal was aborted. */
async function readOrigin(
  { client, world }: OriginMirrorOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  while (!signal.aborted) {
    try {
      const { metadata } = await client.resource(namespaces, 'v1').get({ name: identityNamespace }, signal)
      if (!metadata.uid) throw new MalformedAnswer('a namespace without a uid')
      return metadata.uid
    } catch (error) {
      if (signal.aborted) return undefined
      world.log.warn('could not read the namespace kube-system; retrying', { error: String(error) })
      await sleep(world.clock, jitter(world.random, 1_000, 0.5), signal).catch(() => {})
    }
  }
  return undefined
}

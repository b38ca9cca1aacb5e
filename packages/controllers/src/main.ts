import {
  identityNamespace,
  isIdentityLease,
  leases,
  type StorageAgreement,
  storageAgreements,
} from '@strata/api'
import { type Client, createInformer, type LeaderElectionOptions, runAsLeader } from '@strata/client'
import { uuid, type World } from '@strata/world'
import { type ControllerOptions, informerSource, runController } from './engine/index.ts'
import { createIdentityLeaseCollector } from './identity-lease-collector/index.ts'
import { createStorageVersionGc } from './storage-version-gc/index.ts'

export interface ControllersOptions {
  /** For identity Leases that name no duration, or were never renewed. */
  readonly defaultLeaseDurationMs?: number
  readonly leaderElection?: Partial<
    Pick<LeaderElectionOptions, 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'>
  >
  readonly backoff?: { readonly firstMs: number; readonly maxMs: number }
}

export interface RunControllersOptions {
  readonly world: World
  readonly client: Client
  readonly options?: ControllersOptions
  readonly signal: AbortSignal
}

export const controllersLeaseName = 'strata-controllers'

/**
 * Runs all controllers while this process leads, campaigns again when it has lost, and comes back when the
 * signal is aborted and nothing is under way any more. Only a bug makes it throw.
 */
export async function runControllers(run: RunControllersOptions): Promise<void> {
  const { world, client, options = {}, signal } = run
  const identity = `${world.processes.hostname}_${uuid(world.random)}`
  const election = {
    ...options.leaderElection,
    leases: client.resource(leases, 'v1'),
    world,
    name: controllersLeaseName,
    identity,
  }
  while (!signal.aborted) {
    const end = await runAsLeader(election, (term) => runTerm({ ...run, signal: term }), signal)
    world.log.info('controllers paused', { because: end })
  }
}

/**
 * One term of leadership. Everything that was observed belongs to the term: a leader that comes back has not
 * seen what happened meanwhile, so its clocks for other servers' Leases begin anew.
 */
async function runTerm({ world, client, options = {}, signal }: RunControllersOptions): Promise<void> {
  const { clock, log } = world
  const leaseClient = client.resource(leases, 'v1')
  const agreementClient = client.resource<StorageAgreement>(storageAgreements, 'v1alpha1')
  const leaseInformer = createInformer(leaseClient, { world, namespace: identityNamespace })
  const agreementInformer = createInformer(agreementClient, { world })
  const known = { leases: leaseInformer.store, agreements: agreementInformer.store }
  const shared = { world, ...(options.backoff ? { backoff: options.backoff } : {}) }

  const controllers: ControllerOptions[] = [
    {
      ...shared,
      name: 'identity-lease-collector',
      sources: [informerSource(leaseInformer, ({ key, object }) => (isIdentityLease(object) ? [key] : []))],
      reconciler: createIdentityLeaseCollector({
        leases: leaseClient,
        known: leaseInformer.store,
        clock,
        log: log.with({ controller: 'identity-lease-collector' }),
        defaultDurationMs: options.defaultLeaseDurationMs ?? 3_600_000,
      }),
    },
    {
      ...shared,
      name: 'storage-version-gc',
      sources: [
        informerSource(agreementInformer, ({ key }) => [key]),
        // A Lease that is gone may concern every record; which ones, the records themselves tell.
        informerSource(leaseInformer, ({ kind }) => (kind === 'deleted' ? known.agreements.keys() : [])),
      ],
      reconciler: createStorageVersionGc({
        agreements: agreementClient,
        leases: leaseClient,
        known,
        log: log.with({ controller: 'storage-version-gc' }),
      }),
    },
  ]
  await runTogether(
    [
      (each) => leaseInformer.run(each),
      (each) => agreementInformer.run(each),
      ...controllers.map((controller) => (each: AbortSignal) => runController(controller, each)),
    ],
    signal,
  )
}

/** All of them, until the signal is aborted; a bug in one stops the others before it is thrown. */
async function runTogether(
  parts: readonly ((signal: AbortSignal) => Promise<void>)[],
  signal: AbortSignal,
): Promise<void> {
  const together = new AbortController()
  const stop = (): void => together.abort(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const running = parts.map((part) =>
    part(together.signal).catch((error: unknown) => {
      together.abort(error)
      throw error
    }),
  )
  try {
    const results = await Promise.allSettled(running)
    for (const result of results) if (result.status === 'rejected') throw result.reason
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

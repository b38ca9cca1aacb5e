import { leases } from '@strata/api'
import type { Client, LeaderElectionOptions } from '@strata/client'
import { uuid, type World } from '@strata/world'
import { clusterRoleAggregation } from './cluster-role-aggregation/index.ts'
import { agreementCollectorsLeaseName, byLease } from './controller-leases.ts'
import {
  type ControllerPart,
  campaign,
  runController,
  runTogether,
  SharedInformers,
  type Term,
} from './engine/index.ts'
import { garbageCollector } from './garbage-collector/index.ts'
import { identityLeaseCollector } from './identity-lease-collector/index.ts'
import { type MigrationRunnerSettings, storageVersionMigrator } from './migration-runner/index.ts'
import {
  migrationTrigger,
  runReporter,
  type TriggerMetrics,
  type TriggerOptions,
  triggerDefaults,
} from './migration-trigger/index.ts'
import { namespaceLifecycle } from './namespace-lifecycle/index.ts'
import { rootCaPublisher } from './root-ca/index.ts'
import { defaultServiceAccounts } from './service-account/index.ts'
import { storageVersionGc } from './storage-version-gc/index.ts'

export { MigrationMetrics } from './migration-runner/index.ts'
export { TriggerMetrics } from './migration-trigger/index.ts'

/** All controllers. Each part has sources and a reconciler; the engine runs it. */
const controllers = {
  'clusterrole-aggregation': clusterRoleAggregation,
  'garbage-collector': garbageCollector,
  'identity-lease-collector': identityLeaseCollector,
  'namespace-lifecycle': namespaceLifecycle,
  'root-ca-publisher': rootCaPublisher,
  'service-account': defaultServiceAccounts,
  'storage-version-gc': storageVersionGc,
  'storage-version-migration-trigger': migrationTrigger,
  'storage-version-migrator': storageVersionMigrator,
} as const satisfies Record<string, (term: Term & { readonly options: ControllersOptions }) => ControllerPart>

export type ControllerName = keyof typeof controllers

export const controllerNames = Object.keys(controllers) as readonly ControllerName[]

/** `*` is all of them, `-name` excludes one, as in kube-controller-manager. */
export function chosenControllers(wanted: readonly string[] = ['*']): readonly ControllerName[] {
  const unknown = wanted
    .map((each) => each.replace(/^-/, ''))
    .filter((each) => each !== '*' && !(each in controllers))
  if (unknown.length > 0) {
    throw new TypeError(`unknown controller ${unknown.join(', ')}; choose from ${controllerNames.join(', ')}`)
  }
  return controllerNames.filter(
    (name) => !wanted.includes(`-${name}`) && (wanted.includes('*') || wanted.includes(name)),
  )
}

export interface ControllersOptions extends MigrationRunnerSettings {
  /** Which controllers run: names, `*` for all, `-name` for all but this one. */
  readonly controllers?: readonly string[]
  /** For identity Leases without a duration or without renewTime. */
  readonly defaultLeaseDurationMs?: number
  /** The CA bundle that is published in every namespace, in PEM form. Default: nothing is published. */
  readonly rootCa?: string | undefined
  readonly leaderElection?: Partial<
    Pick<LeaderElectionOptions, 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'>
  >
  readonly backoff?: { readonly firstMs: number; readonly maxMs: number }
  /** Options of the migration trigger. */
  readonly trigger?: Partial<TriggerOptions>
  readonly triggerMetrics?: TriggerMetrics
  /** Creates the CRDs that the trigger needs, if the cluster does not have them. */
  readonly installCrds?: boolean
  /** Reports the storage version hashes of its server, also without leading. The client must reach that one server only. */
  readonly reports?: boolean
}

export interface RunControllersOptions {
  readonly world: World
  readonly client: Client
  readonly options?: ControllersOptions
  readonly signal: AbortSignal
}

/**
 * Runs each controller while this process holds its Lease, and campaigns again after losing it. Returns when the signal is
 * aborted and no reconciler is under way. Only a bug makes it throw.
 */
export async function runControllers(run: RunControllersOptions): Promise<void> {
  const { world, client, options = {}, signal } = run
  const identity = `${world.processes.hostname}_${uuid(world.random)}`
  const election = { ...options.leaderElection, leases: client.resource(leases, 'v1'), world, identity }
  const campaigns = [...byLease(chosenControllers(options.controllers))].map(
    ([name, led]) =>
      (each: AbortSignal): Promise<void> =>
        campaign({ ...election, name }, world.log, lead(run, led), each),
  )
  const trigger = { ...triggerDefaults, ...options.trigger }
  const report = (each: AbortSignal): Promise<void> =>
    runReporter({ world, client, reporterID: identity, options: trigger }, each)
  await runTogether(options.reports ? [...campaigns, report] : campaigns, signal)
}

/** The controllers that API servers run themselves, because a fleet may have no other controllers. */
const agreementCollectors = ['identity-lease-collector', 'storage-version-gc'] as const

/**
 * Removes expired identity Leases and the entries of their servers, on one of the API servers: the loop that KEP-2339 wants in
 * kube-apiserver. It has its own Lease. Otherwise: a server leads `strata-controllers`, and the controllers that only
 * `strata controllers` runs wait for ever. If both run, both collect, which is safe: each acts only on what it has observed
 * itself, and every change has preconditions (docs/design/agreement.md, rule 8).
 */
export async function runAgreementCollectors(
  run: Omit<RunControllersOptions, 'options'> & {
    readonly options?: Pick<ControllersOptions, 'defaultLeaseDurationMs' | 'leaderElection' | 'backoff'>
  },
): Promise<void> {
  const { world, client, options = {}, signal } = run
  const identity = `${world.processes.hostname}_${uuid(world.random)}`
  const election = { ...options.leaderElection, leases: client.resource(leases, 'v1'), world, identity }
  const led = { ...election, name: agreementCollectorsLeaseName }
  await campaign(led, world.log, lead(run, agreementCollectors), signal)
}

const lead =
  (run: RunControllersOptions, led: readonly ControllerName[]) =>
  (term: AbortSignal): Promise<void> =>
    runTerm({ ...run, signal: term }, led)

/**
 * One term of leadership. All observations belong to the term: a leader that returns has not seen what happened meanwhile,
 * so it observes the Leases of other servers from the start.
 */
async function runTerm(
  { world, client, options = {}, signal }: RunControllersOptions,
  led: readonly ControllerName[],
): Promise<void> {
  const informers = new SharedInformers(client, world)
  const parts = led.map((name) => {
    const log = world.log.with({ controller: name })
    const { background = [], ...part } = controllers[name]({ world, client, informers, log, options })
    const backoff = options.backoff ? { backoff: options.backoff } : {}
    const run = (each: AbortSignal): Promise<void> =>
      runController({ ...backoff, ...part, name, world }, each)
    return [run, ...background]
  })
  await runTogether([(each) => informers.run(each), ...parts.flat()], signal)
}

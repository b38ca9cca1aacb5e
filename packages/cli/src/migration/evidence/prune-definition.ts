import {
  type CustomResourceDefinition,
  customResourceDefinitions,
  storageVersionNameOf,
  storedVersionsDoubt,
} from '@strata/api'
import { type DiscoveredResource, isTransient } from '@strata/client'
import { decidePrune, type Proof, type PruneDecision, prunePatch } from '@strata/controllers'
import { deadline, sleep } from '@strata/world'
import type { CliContext } from '../../context.ts'
import type { ExitWord } from '../../output/exit-codes.ts'
import { type Cluster, notSeenError } from '../resources/cluster.ts'
import { outcomeOfPatch } from '../run/patch-outcome.ts'
import { isTransientForReading, patienceMs, readMs, withRetries } from '../run/read-with-retries.ts'
import { type Evidence, verdictExits } from './decide-evidence.ts'
import { observeEvidence } from './observe-evidence.ts'

export interface PruneReport {
  readonly definition: string
  /**
   * `unknown`: the change was sent, and its outcome is unknown; or storedVersions is short and not to be believed. `not seen`:
   * nothing was sent.
   */
  readonly result: 'pruned' | 'would be pruned' | 'nothing to prune' | 'refused' | 'unknown' | 'not seen'
  readonly because: string
  readonly exit: ExitWord
  /** As they were last read; absent where that is not what they are for sure. */
  readonly storedVersions?: readonly string[]
  readonly storageVersion?: string | undefined
  readonly dropped?: readonly string[]
  readonly established?: string
  /** The next step after a refusal. */
  readonly next?: string
}

export interface PruneOptions {
  readonly accept: Proof
  readonly dryRun: boolean
  /** How long to retry if no server answers. */
  readonly patienceMs: number
  /** In whose name storedVersions is written; default: that of this program. */
  readonly fieldManager?: string
}

/** Others write the status of a definition too, but seldom. */
const mostTries = 4
const betweenTriesMs = 500
const lookMs = 60_000

type Prune = PruneDecision & { readonly do: 'prune' }

/**
 * Cuts storedVersions down to the storage version, if nothing else is stored. The definition is read after the
 * evidence, must be the one that the evidence is about, and the change is refused by the server if it is another by then.
 * So a change with an unknown outcome can be sent again: the server refuses the second one.
 */
export async function pruneDefinition(
  cluster: Cluster,
  name: string,
  { accept, dryRun, patienceMs: firstMs, fieldManager }: PruneOptions,
  context: Pick<CliContext, 'world' | 'signal'>,
): Promise<PruneReport> {
  const definitions = cluster.client.resource(customResourceDefinitions, 'v1')
  const looking = { limitMs: lookMs, isWorthIt: isTransient, onWait: () => {} }
  const read = (forMs: number) =>
    withRetries(context, (each) => definitions.get({ name }, each), { ...looking, patienceMs: forMs })
  const first = await read(firstMs)
  const reading = { ...looking, limitMs: readMs, patienceMs: firstMs, isWorthIt: isTransientForReading }
  const evidence = await withRetries(
    context,
    (each) => observeEvidence(cluster, instancesOf(first), each),
    reading,
  )
  /** A change that was sent, and whose outcome is unknown. */
  let sent: Prune | undefined
  for (let tries = 1; ; tries++) {
    const definition = await read(sent ? patienceMs : firstMs).catch((error) => {
      if (sent === undefined || context.signal.aborted || outcomeOfPatch(error) === 'bug') throw error
    })
    if (definition === undefined) return unknownOf(name)
    if (sent && isDone(sent, definition)) return reportOf(definition, sent, evidence, false)
    const decision = decide(definition, evidence, accept)
    const doubt = decision.do === 'nothing' ? whyShort(definition, evidence.verdict, accept) : undefined
    if (doubt !== undefined) return doubtedOf(definition, evidence, doubt)
    if (decision.do !== 'prune' || dryRun) return reportOf(definition, decision, evidence, dryRun)
    if (sent && tries > mostTries) return unknownOf(name)
    const limit = deadline(context.world.clock, lookMs, context.signal)
    try {
      const patch = prunePatch(decision)
      const options = { subresource: 'status', fieldManager }
      const changed = await definitions.patch({ name }, patch, limit.signal, options)
      return reportOf(changed, decision, evidence, false)
    } catch (error) {
      const outcome = outcomeOfPatch(error)
      if (context.signal.aborted || outcome === 'bug') throw error
      const isLast = outcome === 'refused' || tries >= mostTries
      if (outcome === 'unknown') sent = decision
      else if (isLast && sent === undefined) return refusedBy(error, definition, outcome)
      if (isLast) tries = mostTries
      await sleep(context.world.clock, betweenTriesMs, context.signal)
    } finally {
      limit.dispose()
    }
  }
}

/** Whether the CRD is the same one and has the wanted storedVersions; another process may have set them. */
function isDone({ guard, storedVersions }: Prune, { metadata, status }: CustomResourceDefinition): boolean {
  return metadata.uid === guard.uid && (status.storedVersions ?? []).join() === storedVersions.join()
}

/**
 * Why a list of one version does not show that nothing else is stored; undefined if nothing says so, or the evidence is as good as
 * the user asks for. kube-controller-manager cuts storedVersions when a second migration of a CRD begins: a user who reads
 * "nothing to prune" then removes a version in which all objects are stored.
 */
export function whyShort(
  definition: CustomResourceDefinition,
  verdict: Evidence['verdict'],
  accept: Proof,
): string | undefined {
  const best: readonly Evidence['verdict'][] = ['proven', 'observed clean', 'unknown']
  const isAccepted = best.slice(0, best.indexOf(accept) + 1).includes(verdict)
  return isAccepted ? undefined : storedVersionsDoubt(definition)
}

/** Nothing was sent. */
function doubtedOf(definition: CustomResourceDefinition, evidence: Evidence, because: string): PruneReport {
  const { name = '' } = definition.metadata
  const isRunning = definition.status.conditions?.some(
    ({ type, reason }) => type === 'StorageMigrating' && reason === 'MigrationRunning',
  )
  const again = `strata prune ${name}`
  return {
    ...{ definition: name, result: 'unknown', because, exit: 'unknown' },
    storedVersions: definition.status.storedVersions ?? [],
    storageVersion: storageVersionNameOf(definition),
    next: isRunning ? `wait until the migration has ended; then ${again}` : nextAfterRefusal(name, evidence),
  }
}

function unknownOf(name: string): PruneReport {
  const because = 'the change was sent, and no answer came: its outcome is unknown'
  return {
    ...{ definition: name, result: 'unknown', because, exit: 'unknown' },
    next: `kubectl get crd ${name} -o jsonpath={.status.storedVersions}; then strata prune ${name} once more`,
  }
}

/** Nothing was done: what was read stands as it was. */
function refusedBy(
  error: unknown,
  definition: CustomResourceDefinition,
  outcome: 'refused' | 'not done',
): PruneReport {
  const { message: because } = notSeenError('it could not be pruned', error)
  return {
    definition: definition.metadata.name ?? '',
    ...{ result: outcome === 'refused' ? 'refused' : 'not seen', because, exit: 'notSeen' },
    storedVersions: definition.status.storedVersions ?? [],
    storageVersion: storageVersionNameOf(definition),
  }
}

function decide(definition: CustomResourceDefinition, evidence: Evidence, accept: Proof): PruneDecision {
  const { verdict, target, because } = evidence
  const isKnownToBeWrong = verdict === 'stale' || verdict === 'disagreed'
  const proof = isKnownToBeWrong ? 'unknown' : verdict
  const decision = decidePrune({
    definition,
    evidence: { succeeded: !isKnownToBeWrong, proof, definition: target?.definition },
    accept,
  })
  if (decision.do !== 'refuse' || (!isKnownToBeWrong && proof === 'proven')) return decision
  return { ...decision, because: isKnownToBeWrong ? because : `${decision.because}: ${because}` }
}

function reportOf(
  definition: CustomResourceDefinition,
  decision: PruneDecision,
  evidence: Evidence,
  dryRun: boolean,
): PruneReport {
  const { verdict, established } = evidence
  const stored = definition.status.storedVersions ?? []
  const isDone = decision.do === 'prune' && !dryRun
  // A proxy or an admission webhook may have changed the patch.
  const hasNotHeeded = isDone && stored.join() !== decision.storedVersions.join()
  return {
    definition: definition.metadata.name ?? '',
    result: hasNotHeeded ? 'refused' : resultOf(decision, dryRun),
    because: hasNotHeeded ? `the server answered with ${stored.join(', ')}` : decision.because,
    exit: hasNotHeeded ? 'incomplete' : exitOf(decision, verdict),
    storedVersions: stored,
    storageVersion: storageVersionNameOf(definition),
    ...(decision.do === 'prune' ? { dropped: decision.dropped } : {}),
    ...(decision.do === 'refuse' ? { next: nextAfterRefusal(definition.metadata.name ?? '', evidence) } : {}),
    ...(established === undefined || decision.do === 'nothing' ? {} : { established }),
  }
}

/** A definition is called as the resource that it defines. */
export function nextAfterRefusal(
  name: string,
  { verdict, setAside }: Pick<Evidence, 'verdict' | 'setAside'>,
  command = 'prune',
): string {
  if (setAside !== undefined) return `strata repair ${name}`
  switch (verdict) {
    case 'disagreed':
      return `strata status ${name}`
    case 'observed clean':
      return `strata ${command} ${name} --accept observed-clean, if that is enough`
    case 'stale':
    case 'unknown':
      return `strata migrate ${name}`
    case 'proven':
      return `strata verify ${name}`
  }
}

function resultOf(decision: PruneDecision, dryRun: boolean): PruneReport['result'] {
  if (decision.do === 'nothing') return 'nothing to prune'
  if (decision.do === 'refuse') return 'refused'
  return dryRun ? 'would be pruned' : 'pruned'
}

function exitOf(decision: PruneDecision, verdict: Evidence['verdict']): ExitWord {
  if (decision.do === 'nothing') return 'nothingToDo'
  if (decision.do === 'prune') return verdictExits[verdict]
  return verdict === 'disagreed' ? 'aborted' : 'incomplete'
}

/** The resource that a CRD defines; also where none of its versions is served. */
export function instancesOf(definition: CustomResourceDefinition): DiscoveredResource {
  const { group, names, scope } = definition.spec
  return {
    group,
    resource: names.plural,
    kind: names.kind,
    versionName: storageVersionNameOf(definition) ?? '',
    namespaced: scope === 'Namespaced',
    verbs: [],
  }
}

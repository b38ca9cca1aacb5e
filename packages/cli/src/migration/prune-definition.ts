import {
  ApiError,
  type CustomResourceDefinition,
  customResourceDefinitions,
  storageVersionNameOf,
} from '@strata/api'
import type { DiscoveredResource } from '@strata/client'
import { decidePrune, type Proof, type PruneDecision, prunePatch } from '@strata/controllers'
import type { ExitWord } from '../exit-codes.ts'
import type { Cluster } from './cluster.ts'
import { type Evidence, verdictExits } from './decide-evidence.ts'
import { observeEvidence } from './observe-evidence.ts'

export interface PruneReport {
  readonly definition: string
  readonly result: 'pruned' | 'would be pruned' | 'nothing to prune' | 'refused'
  readonly because: string
  readonly exit: ExitWord
  readonly storedVersions: readonly string[]
  readonly storageVersion?: string
  readonly dropped?: readonly string[]
  readonly established?: string
  /** Of one that was refused: what to do about it. */
  readonly next?: string
}

export interface PruneOptions {
  readonly accept: Proof
  readonly dryRun: boolean
}

/** Others write the status of a definition too, but seldom. */
const mostTries = 4

/**
 * Cuts storedVersions down to the storage version, if nothing else is stored. The definition is read after the
 * evidence, must be the one that the evidence is about, and the change is refused by the server if it is another by then.
 */
export async function pruneDefinition(
  cluster: Cluster,
  name: string,
  { accept, dryRun }: PruneOptions,
  signal: AbortSignal,
): Promise<PruneReport> {
  const definitions = cluster.client.resource(customResourceDefinitions, 'v1')
  const first = await definitions.get({ name }, signal)
  const evidence = await observeEvidence(cluster, instancesOf(first), signal)
  for (let tries = 1; ; tries++) {
    const definition = await definitions.get({ name }, signal)
    const decision = decide(definition, evidence, accept)
    if (decision.do !== 'prune' || dryRun) return reportOf(definition, decision, evidence, dryRun)
    try {
      const patch = prunePatch(decision)
      const changed = await definitions.patch({ name }, patch, signal, { subresource: 'status' })
      return reportOf(changed, decision, evidence, false)
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 409) || tries >= mostTries) throw error
    }
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
  { verdict, established }: Evidence,
  dryRun: boolean,
): PruneReport {
  const storage = storageVersionNameOf(definition)
  const stored = definition.status.storedVersions ?? []
  const isDone = decision.do === 'prune' && !dryRun
  // Somebody between us and the server, or an admission webhook, may have thought otherwise.
  const hasNotHeeded = isDone && stored.join() !== decision.storedVersions.join()
  return {
    definition: definition.metadata.name ?? '',
    result: hasNotHeeded ? 'refused' : resultOf(decision, dryRun),
    because: hasNotHeeded ? `the server answered with ${stored.join(', ')}` : decision.because,
    exit: hasNotHeeded ? 'incomplete' : exitOf(decision, verdict),
    storedVersions: stored,
    ...(storage === undefined ? {} : { storageVersion: storage }),
    ...(decision.do === 'prune' ? { dropped: decision.dropped } : {}),
    ...(decision.do === 'refuse' ? { next: nextAfterRefusal(definition.metadata.name ?? '', verdict) } : {}),
    ...(established === undefined || decision.do === 'nothing' ? {} : { established }),
  }
}

/** A definition is called as the resource that it defines. */
export function nextAfterRefusal(name: string, verdict: Evidence['verdict']): string {
  switch (verdict) {
    case 'disagreed':
      return `strata status ${name}`
    case 'observed clean':
      return `strata prune ${name} --accept observed-clean, if that is enough`
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
  if (decision.do === 'nothing') return 'proven'
  if (decision.do === 'prune') return verdictExits[verdict]
  return verdict === 'disagreed' ? 'aborted' : 'incomplete'
}

/** Also where none of its versions is served. */
function instancesOf(definition: CustomResourceDefinition): DiscoveredResource {
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

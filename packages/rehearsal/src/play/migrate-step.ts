import { type CustomResourceDefinition, customResourceDefinitions } from '@strata/api'
import { type Client, createClient } from '@strata/client'
import {
  decidePrune,
  type MigrationResult,
  type MigrationTarget,
  migrate,
  observeTarget,
  prunePatch,
} from '@strata/controllers'
import { currentServers } from '../lab/lab.ts'
import type { RehearsedKind } from '../path/rehearsed-kind.ts'
import { findNoConverter } from './no-converter.ts'
import type { RehearsalRun } from './rehearsal-run.ts'

export interface MigratedResource {
  readonly result: MigrationResult
  readonly target: MigrationTarget
}

const agreementMs = 120_000
const betweenLooksMs = 2_000
const never = (): AbortSignal => new AbortController().signal

const clientOf = ({ lab }: RehearsalRun): Client =>
  createClient({ transport: lab.balanced, token: lab.token, userAgent: 'strata-rehearse' })

/** A CRD that comes with a later release is not there yet. */
function chosen(run: RehearsalRun, resources: readonly string[]): readonly RehearsedKind[] {
  const { kinds, crds, path } = run
  if (resources.length > 0) return kinds.filter(({ name }) => resources.includes(name))
  return path.subject.kind === 'crds' ? kinds.filter(({ name }) => crds.has(name)) : kinds
}

/** Rewrites objects in the storage version, with the engine of `strata migrate` and behind a load balancer. */
export async function migrateResources(run: RehearsalRun, resources: readonly string[]): Promise<void> {
  for (const kind of chosen(run, resources)) await migrateOne(run, kind)
}

async function migrateOne(run: RehearsalRun, kind: RehearsedKind): Promise<void> {
  const { lab } = run
  const client = clientOf(run)
  const resource = { group: kind.group, resource: kind.plural }
  const observe = (signal: AbortSignal) => observeTarget({ client, resource, isNamed: true }, signal)
  const about = { resource: kind.name }
  if (currentServers(lab).some((each) => run.versionsAt(each, kind)?.conversion === 'unknown')) {
    return findNoConverter(run, kind)
  }
  let decision = await lab.settle(observe(never()))
  for (let waitedMs = 0; !decision.agreed && waitedMs < agreementMs; waitedMs += betweenLooksMs) {
    await lab.pass(betweenLooksMs)
    decision = await lab.settle(observe(never()))
  }
  if (!decision.agreed) {
    const message = `${kind.name} is not migrated: ${decision.because}`
    return run.find({ level: 'refused', rule: 'disagreed', message, ...about })
  }
  const { target } = decision
  run.tell(
    'migration',
    `a migration rewrites the objects of ${kind.name} in ${target.encodingVersion ?? 'the storage version'}`,
  )
  const result = await lab.settle(migrate({ world: lab.client, client, target, observe, signal: never() }))
  run.migrated.set(kind.name, { result, target })
  const { outcome, proof, because, quarantine } = result
  run.tell('migration', `the migration of ${kind.name} ends: ${outcome}, ${proof}`)
  if (outcome === 'succeeded') {
    const message = `${kind.name} is migrated, ${proof}${because ? `: ${because}` : ''}`
    return run.find({ level: 'note', rule: 'migrated', message, ...about })
  }
  const [first] = quarantine.objects
  const example = first
    ? `; ${first.namespace ? `${first.namespace}/` : ''}${first.name}: ${first.message}`
    : ''
  const message = `the migration of ${kind.name} ends ${outcome}: ${because ?? ''}${example}`
  run.find({ level: 'refused', rule: 'migration-incomplete', message, ...about })
}

/** Cuts status.storedVersions down, if the last migration allows it. */
export async function pruneCrds(run: RehearsalRun, resources: readonly string[]): Promise<void> {
  for (const kind of chosen(run, resources)) await pruneOne(run, kind)
}

async function pruneOne(run: RehearsalRun, { name }: RehearsedKind): Promise<void> {
  const { lab, path } = run
  const definitions = clientOf(run).resource<CustomResourceDefinition>(customResourceDefinitions, 'v1')
  const definition = await lab.settle(definitions.get({ name }, never()))
  const last = run.migrated.get(name)
  const decision = decidePrune({
    definition,
    evidence: {
      succeeded: last?.result.outcome === 'succeeded',
      proof: last?.result.proof ?? 'unknown',
      definition: last?.target.definition,
    },
    accept: path.server === 'strata' ? 'proven' : 'observed clean',
  })
  if (decision.do === 'refuse') {
    const message = `${name} is not pruned: ${decision.because}`
    const fix = 'migrate it before: "- migrate: all"'
    return run.find({ level: 'refused', rule: 'not-pruned', message, fix, resource: name })
  }
  const message = `${name}: ${decision.because}`
  run.find({
    level: 'note',
    rule: decision.do === 'prune' ? 'pruned' : 'nothing-to-prune',
    message,
    resource: name,
  })
  if (decision.do !== 'prune') return
  const options = { subresource: 'status', fieldManager: 'strata-rehearse' }
  await lab.settle(definitions.patch({ name }, prunePatch(decision), never(), options))
  run.tell(
    'crd',
    `the storedVersions of the CRD ${name} are cut down to ${decision.storedVersions.join(', ')}`,
  )
}

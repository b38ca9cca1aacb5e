import { agreementName, type GroupResource } from '@strata/api'
import type { Client } from '@strata/client'
import {
  type MigrationTarget,
  migrate,
  observeTarget,
  type ResumePoint,
  type TargetDecision,
} from '@strata/controllers'
import { chance, deadline, integer, pick, sleep, type Transport } from '@strata/world'
import type { SimProcess } from '@strata/world/sim'
import type { History, MigrationRun } from '../history.ts'
import { customGroup } from '../keys.ts'
import type { BentWay } from './bent-way.ts'
import { migrateInBulk } from './bulk-migrator.ts'
import { type BentEvidence, prune } from './pruner.ts'
import type { Shape } from './shape.ts'

/** One promise of the migrator, broken. */
export interface MigratorSabotage extends BentWay {
  /** What a later look is said to have shown. */
  readonly observe?: (seen: TargetDecision, target: MigrationTarget) => TargetDecision
  /** Next to the data: whatever the batches have come to is called proven. */
  readonly isUncounted?: boolean
  /** What the run is bound to. */
  readonly target?: (target: MigrationTarget) => MigrationTarget
  /** Where it goes on. */
  readonly resume?: (saved: ResumePoint | undefined, target: MigrationTarget) => ResumePoint | undefined
  /** What is made of the end. */
  readonly conclude?: (end: MigrationEnd) => MigrationEnd
  /** On what storedVersions are cut down. */
  readonly evidence?: BentEvidence
}

type MigrationEnd = Pick<NonNullable<MigrationRun['end']>, 'outcome' | 'proof'>

export interface MigratorParts {
  readonly process: SimProcess
  readonly client: Client
  readonly transport: Transport
  readonly history: History
  /** Survives its process, as the status of a migration object does. */
  readonly notebook: Map<string, ResumePoint>
  readonly nowMs: () => number
  readonly resources: readonly [GroupResource, ...GroupResource[]]
  readonly ways: Shape['migrations']
  readonly sabotage?: MigratorSabotage | undefined
}

const beacons = { group: 'lighthouse.example.dev', resource: 'beacons' }
const gadgets = { group: customGroup, resource: 'gadgets' }
const configMaps = { group: '', resource: 'configmaps' }
const quotas = { group: '', resource: 'resourcequotas' }
const gizmos = { group: customGroup, resource: 'gizmos' }
const gears = { group: customGroup, resource: 'gears' }

type Resources = readonly [GroupResource, ...GroupResource[]]

/** What is migrated: most often the one whose encoding version changes with the release. */
export function migratedIn({ definitions, statuses }: Pick<Shape, 'definitions' | 'statuses'>): Resources {
  const more = statuses ? [quotas] : []
  return definitions ? [beacons, gadgets, gadgets, gizmos, ...more] : [beacons, beacons, configMaps, ...more]
}

/** What may be under a key. */
export function everyResourceIn({
  definitions,
  statuses,
}: Pick<Shape, 'definitions' | 'statuses'>): Resources {
  const more = statuses ? [quotas] : []
  return [beacons, configMaps, ...more, ...(definitions ? [gadgets, gizmos, gears] : [])]
}

/** As impatient as a world of minutes needs it; what it promises does not depend on them. */
export const impatience = {
  ...{ pageSize: 2, requestTimeoutMs: 8_000, patienceMs: 40_000, targetEveryMs: 2_000, progressEveryMs: 100 },
}

/** Migrates one resource after the other, all the time, and resumes after a kill. */
export async function runMigrator(parts: MigratorParts): Promise<void> {
  const { process } = parts
  for (;;) {
    await sleep(process.clock, 300 + integer(process.random, 3_000))
    await migrateOnce(parts, pick(process.random, parts.resources))
  }
}

/** One try, as far as it comes. */
export async function migrateOnce(parts: MigratorParts, resource: GroupResource): Promise<void> {
  const { process, client, history, notebook, nowMs, ways, sabotage = {} } = parts
  const askedMs = nowMs()
  const seen = await look(parts, resource)
  if (!seen?.agreed) return
  const name = agreementName(resource)
  const target = sabotage.target?.(seen.target) ?? seen.target
  const run: MigrationRun = { record: name, target, askedMs, startMs: nowMs(), lastLookMs: nowMs() }
  history.migrations.push(run)
  if (ways === 'bulk' || (ways === 'both' && chance(process.random, 0.5))) {
    const end = await migrateInBulk(parts, target, run).catch((error: unknown) => {
      process.log.debug('could not migrate in bulk', { name, error: String(error) })
    })
    if (end && !process.crashed) run.end = end
    return
  }
  const saved = notebook.get(name)
  const { outcome, proof, because } = await migrate({
    ...{ world: process, client, target, limits: impatience, signal: new AbortController().signal },
    resume: sabotage.resume ? sabotage.resume(saved, target) : saved,
    observe: async (signal) => {
      const atMs = nowMs()
      const found = await observeTarget({ client, resource }, signal)
      run.lastLookMs = atMs
      return sabotage.observe?.(found, target) ?? found
    },
    onProgress: ({ resume }) => {
      // What is written down is what a process that is killed now would find.
      if (!process.crashed) notebook.set(name, resume)
    },
  })
  if (process.crashed) return
  const end = sabotage.conclude?.({ outcome, proof }) ?? { outcome, proof }
  run.end = { endMs: nowMs(), ...end }
  if (outcome === 'succeeded') notebook.delete(name)
  process.log.debug('migrated', { name, ...end, because })
  await prune(
    parts,
    { succeeded: end.outcome === 'succeeded', proof: end.proof, definition: target.definition },
    resource,
  )
}

async function look(
  { process, client }: MigratorParts,
  resource: GroupResource,
): Promise<TargetDecision | undefined> {
  const limit = deadline(process.clock, 8_000)
  try {
    return await observeTarget({ client, resource }, limit.signal)
  } catch (error) {
    process.log.debug('could not look', { error: String(error) })
    return undefined
  } finally {
    limit.dispose()
  }
}

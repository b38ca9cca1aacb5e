import assert from 'node:assert/strict'
import { Simulation } from '@strata/world/sim'
import { type MigrationOptions, type MigrationResult, migrate, migrationLimits } from './engine.ts'
import type { FakeCluster } from './fake-cluster-for-test.ts'
import { observeTarget } from './target/observe-target.ts'
import type { MigrationTarget } from './target/target.ts'

export const never = new AbortController().signal

export async function targetOf(cluster: FakeCluster): Promise<MigrationTarget> {
  const decision = await observeTarget({ ...cluster, isNamed: true }, never)
  assert.ok(decision.agreed, JSON.stringify(decision))
  return decision.target
}

export interface Ran {
  readonly result: MigrationResult
  readonly tookMs: number
}

/** In a world of its own, where a minute is a moment; by default the target has stood for long. */
export async function run(
  cluster: FakeCluster,
  {
    simulation = new Simulation('engine'),
    ...more
  }: Partial<MigrationOptions> & { simulation?: Simulation } = {},
): Promise<Ran> {
  const startMs = simulation.nowMs
  const target = more.target ?? (await targetOf(cluster))
  const result = await simulation.settle(
    migrate({
      world: simulation.process('migrator'),
      client: cluster.client,
      target,
      observe: (signal) => observeTarget({ ...cluster, isNamed: true }, signal),
      stoodForMs: migrationLimits.unfencedHoldMs,
      signal: never,
      ...more,
    }),
  )
  return { result, tookMs: simulation.nowMs - startMs }
}

/** Outcome, proof and counts. */
export function summary({ outcome, proof, progress }: MigrationResult): readonly unknown[] {
  const { migrated, alreadyCurrent, gone, quarantined } = progress
  return [outcome, proof, { migrated, alreadyCurrent, gone, quarantined }]
}

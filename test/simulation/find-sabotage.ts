import { readFileSync } from 'node:fs'
import type { Violation } from './checkers/index.ts'
import type { Sabotage } from './sabotage.ts'
import type { SeedPool } from './seed-pool.ts'

/** By the name of the sabotage: a seed that was seen to notice it, and soon. */
export const rememberedSeedsFile = new URL('./sabotage-seeds.json', import.meta.url)
export const rememberedSeeds = (): Readonly<Record<string, number>> =>
  JSON.parse(readFileSync(rememberedSeedsFile, 'utf8'))

export interface Found {
  readonly seed: string
  readonly violation: Violation
  readonly simulatedMs: number
}

/** Whether the world of the seed notices, by a checker that is expected to. */
export async function noticedAt(
  pool: SeedPool,
  { name, caughtBy }: Sabotage,
  seed: string,
  troubleMs?: number,
): Promise<Found | undefined> {
  const { violations, simulatedMs } = await pool.run({ seed, sabotage: name, troubleMs })
  const violation = violations.find(({ checker }) => caughtBy.includes(checker))
  return violation && { seed, violation, simulatedMs }
}

/** The first of the seeds that notices. */
export async function findSabotage(
  pool: SeedPool,
  sabotage: Sabotage,
  seeds: readonly string[],
  troubleMs?: number,
): Promise<Found | undefined> {
  for (const seed of seeds) {
    const found = await noticedAt(pool, sabotage, seed, troubleMs)
    if (found) return found
  }
  return undefined
}

const soonMs = 30_000
const enough = 8

/** One that notices soon, as far as there is one among the first. */
export async function findQuickly(
  pool: SeedPool,
  sabotage: Sabotage,
  seeds: readonly string[],
): Promise<Found | undefined> {
  let best: Found | undefined
  for (const [index, seed] of seeds.entries()) {
    const found = await noticedAt(pool, sabotage, seed)
    if (found && found.simulatedMs < (best?.simulatedMs ?? Number.POSITIVE_INFINITY)) best = found
    if (best && (index + 1 >= enough || best.simulatedMs <= soonMs)) return best
  }
  return best
}

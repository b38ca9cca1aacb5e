import { addCounts, type Counts, count, countHistory, describeCounts } from '../coverage.ts'
import type { SimulationOptions } from '../options.ts'
import type { Sabotage } from '../sabotage.ts'
import { describeRealFailure } from './describe-real-failure.ts'
import { type RealStoreKind, runRealSeed } from './run-real-seed.ts'

type Print = (text: string) => void

/** Worlds over a real store, one after the other: nothing may be found. */
export async function runRealSeeds(
  store: RealStoreKind,
  options: SimulationOptions,
  print: Print,
): Promise<boolean> {
  const { seeds, troubleMs, stats, trace } = options
  const counts: Counts = {}
  const reached: Counts = {}
  let failed = 0
  let operations = 0
  let simulatedMs = 0
  const startedMs = performance.now()
  for (const [index, seed] of seeds.entries()) {
    const result = await runRealSeed(store, {
      seed,
      ...(troubleMs === undefined ? {} : { shape: { troubleMs } }),
      ...(trace ? { onTraceLine: print } : {}),
    })
    const befell = countHistory(result.history)
    addCounts(counts, befell)
    for (const name of Object.keys(befell)) count(reached, name)
    operations += result.history.operations.length
    simulatedMs += result.history.endMs
    if (result.violations.length > 0) {
      failed++
      print(describeRealFailure(result))
    }
    if ((index + 1) % 10 === 0) print(`${index + 1} of ${seeds.length} worlds, ${failed} failed`)
  }
  const seconds = (performance.now() - startedMs) / 1000
  print(describeCounts(stats ? counts : onlyOfTheStore(counts), reached, seeds.length))
  print(
    `${seeds.length} worlds over ${store}, ${operations} operations in ${(simulatedMs / 3_600_000).toFixed(1)} ` +
      `simulated hours: ${failed} failed (${seconds.toFixed(0)} s)`,
  )
  return failed === 0
}

/** Each broken rule must be noticed, over a real store as well. */
export async function runRealSabotages(
  store: RealStoreKind,
  sabotages: readonly Sabotage[],
  seeds: readonly string[],
  print: Print,
): Promise<boolean> {
  let missed = 0
  for (const sabotage of sabotages) {
    const found = await findRealSabotage(store, sabotage, seeds)
    if (!found) missed++
    print(
      found
        ? `${sabotage.name}: found by ${found.checker} at seed ${found.seed} (${sabotage.breaks})\n    ${found.text}`
        : `${sabotage.name}: NOT FOUND in ${seeds.length} worlds (${sabotage.breaks})`,
    )
  }
  print(`${sabotages.length - missed} of ${sabotages.length} sabotages found over ${store}`)
  return missed === 0
}

/** The first world in which the broken rule is noticed by one of those who have to. */
export async function findRealSabotage(
  store: RealStoreKind,
  sabotage: Sabotage,
  seeds: readonly string[],
): Promise<{ readonly seed: string; readonly checker: string; readonly text: string } | undefined> {
  for (const seed of seeds) {
    const { violations } = await runRealSeed(store, { seed, sabotage })
    const found = violations.find(({ checker }) => sabotage.caughtBy.includes(checker))
    if (found) return { seed, ...found }
  }
  return undefined
}

const onlyOfTheStore = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([name]) => /^(?:store|real|fault|blow)\b/.test(name)))

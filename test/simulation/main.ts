import { writeFileSync } from 'node:fs'
import { addCounts, type Counts, count, describeCounts } from './coverage.ts'
import type { Chain } from './cuts/chain.ts'
import { runChain } from './cuts/run-chain.ts'
import { describeChainFailure, runChains } from './cuts/run-chains.ts'
import { describeFailure } from './describe-failure.ts'
import { findQuickly, findSabotage, rememberedSeeds, rememberedSeedsFile } from './find-sabotage.ts'
import { parseOptions, type SimulationOptions, UsageError, usage } from './options.ts'
import { runRealSabotages, runRealSeeds } from './real-stores/run-real-seeds.ts'
import { runSeed } from './run-seed.ts'
import { fixedShape, SeedPool, type SeedReport } from './seed-pool.ts'

const print = (text: string): void => void process.stdout.write(`${text}\n`)

/** Seeds without sabotage: nothing may be found. */
async function runSeeds(pool: SeedPool, options: SimulationOptions): Promise<boolean> {
  const { seeds, troubleMs, aggregated, stats } = options
  const counts: Counts = {}
  const reached: Counts = {}
  const startedMs = performance.now()
  const failed: SeedReport[] = []
  let done = 0
  let simulatedMs = 0
  let operations = 0
  await Promise.all(
    seeds.map(async (seed) => {
      const report = await pool.run({ seed, troubleMs, aggregated })
      done++
      simulatedMs += report.simulatedMs
      operations += report.operations
      addCounts(counts, report.counts)
      for (const name of Object.keys(report.counts)) count(reached, name)
      if (report.violations.length > 0) {
        failed.push(report)
        print(await describeFailure(report))
      }
      if (done % 50 === 0 || done === seeds.length)
        print(`${done} of ${seeds.length} seeds, ${failed.length} failed`)
    }),
  )
  const seconds = (performance.now() - startedMs) / 1000
  const hours = (simulatedMs / 3_600_000).toFixed(1)
  print(
    `${seeds.length} seeds, ${operations} operations in ${hours} simulated hours: ${failed.length} failed ` +
      `(${seconds.toFixed(0)} s, ${(seeds.length / seconds).toFixed(1)} seeds/s)`,
  )
  if (stats) print(describeCounts(counts, reached, seeds.length))
  return failed.length === 0
}

/** Each broken rule must be noticed, by the checker that is expected to. */
async function runSabotages(pool: SeedPool, options: SimulationOptions): Promise<boolean> {
  const { seeds, troubleMs, remember, sabotages } = options
  const remembered: Record<string, number> = { ...rememberedSeeds() }
  const all = await Promise.all(
    sabotages.map(async (sabotage) => {
      const { name, breaks, caughtBy } = sabotage
      const found = await (remember
        ? findQuickly(pool, sabotage, seeds)
        : findSabotage(pool, sabotage, seeds, troubleMs))
      if (!found) {
        print(`${name}: NOT FOUND in ${seeds.length} seeds (${breaks}; expected of ${caughtBy.join(' or ')})`)
        return false
      }
      remembered[name] = Number(found.seed)
      const { checker, text } = found.violation
      print(`${name}: found by ${checker} at seed ${found.seed} (${breaks})\n    ${text}`)
      return true
    }),
  )
  if (remember) writeFileSync(rememberedSeedsFile, `${JSON.stringify(remembered, null, 2)}\n`)
  print(`${all.filter(Boolean).length} of ${all.length} sabotages found`)
  return all.every(Boolean)
}

/** One seed in this thread, with everything that happens in it. */
async function traceSeed(options: SimulationOptions): Promise<boolean> {
  const [seed = '1'] = options.seeds
  const [sabotage] = options.sabotages
  const { violations, traceHash } = await runSeed({
    seed,
    sabotage,
    onTraceLine: print,
    shape: fixedShape({ ...options, seed }),
  })
  for (const { checker, atMs, text } of violations) print(`${checker} at ${atMs.toFixed(3)} ms: ${text}`)
  print(`seed ${seed}: ${violations.length} violations, trace ${traceHash}`)
  return violations.length === 0
}

/** Kill -9 at every step: nothing may be found. */
async function runCuts(): Promise<boolean> {
  let done = 0
  const { chains, cuts, cutsBySituation, simulatedMs, failed } = await runChains('every place', (report) => {
    if (++done % 50 === 0) print(`${done} chains`)
    if (report.violations.length > 0) print(describeChainFailure(report))
  })
  for (const [situation, count] of cutsBySituation) print(`${situation}: ${count} cuts`)
  const hours = (simulatedMs / 3_600_000).toFixed(1)
  print(`${cuts} cuts in ${chains} chains, ${hours} simulated hours: ${failed.length} failed`)
  return failed.length === 0
}

async function runOneChain(chain: Chain, { sabotages, trace }: SimulationOptions): Promise<boolean> {
  const report = await runChain(chain, { sabotage: sabotages[0], ...(trace ? { onTraceLine: print } : {}) })
  print(report.violations.length > 0 ? describeChainFailure(report) : `${report.chain}: ${report.cuts} cuts`)
  return report.violations.length === 0
}

async function main(): Promise<boolean> {
  const options = parseOptions(process.argv.slice(2))
  if (options.help) {
    print(usage)
    return true
  }
  if (options.cuts === 'every place') return runCuts()
  if (options.cuts?.[0]) return runOneChain(options.cuts[0], options)
  const { store, sabotages, seeds } = options
  if (store && sabotages.length > 0) return runRealSabotages(store, sabotages, seeds, print)
  if (store) return runRealSeeds(store, options, print)
  if (options.trace) return traceSeed(options)
  const pool = new SeedPool()
  try {
    if (options.sabotages.length === 0) return await runSeeds(pool, options)
    return await runSabotages(pool, options)
  } finally {
    await pool.close()
  }
}

try {
  process.exitCode = (await main()) ? 0 : 1
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`${error.message} (--help tells more)\n`)
  process.exitCode = 2
}

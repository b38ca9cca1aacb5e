import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startEtcd } from '../support/etcd.ts'
import type { BenchContext } from './bench-context.ts'
import type { Contestant } from './contestant.ts'
import { etcdContestant } from './contestants/etcd-contestant.ts'
import { otherServer } from './contestants/other-server.ts'
import type { Home } from './contestants/served-build.ts'
import { sqliteContestant } from './contestants/sqlite-contestant.ts'
import { encryptedVariants, strataBuild, strataVariant, variants } from './contestants/strata.ts'
import { benchCustom } from './custom/bench-custom.ts'
import type { StoreName } from './flags.ts'
import { benchMigrate } from './migrate/bench-migrate.ts'
import { type Footprint, footprintLines, resultLines, type StoreReport } from './report.ts'
import { measure, type Result } from './rounds.ts'
import { workloads } from './workloads.ts'

type Close = () => Promise<unknown>

/** Everything that is measured on one kind of store. */
export async function benchStore(store: StoreName, context: BenchContext): Promise<StoreReport> {
  const closing: Close[] = []
  try {
    return await run(store, context, (close) => closing.push(close))
  } finally {
    for (const close of closing.reverse()) await close()
  }
}

async function run(
  store: StoreName,
  context: BenchContext,
  atEnd: (close: Close) => void,
): Promise<StoreReport> {
  const custom = await benchCustom(context, (name) => makeHome(store, name, context, atEnd))
  const migrations = await benchMigrate(context, (name) => makeHome(store, name, context, atEnd))
  const { footprints, results } = await benchConfigMaps(store, context, atEnd)
  return {
    store,
    footprints,
    results: [...custom.results, ...migrations, ...results],
    definitions: custom.definitions,
  }
}

async function benchConfigMaps(
  store: StoreName,
  context: BenchContext,
  atEnd: (close: Close) => void,
): Promise<Pick<StoreReport, 'footprints' | 'results'>> {
  const { flags, print, progress } = context
  const chosen = workloads(flags.objects).filter(({ name }) => flags.only?.includes(name) ?? true)
  if (chosen.length === 0) return { footprints: [], results: [] }
  const contestants: Contestant[] = []
  const footprints: Footprint[] = []
  const admit = (contestant: Contestant): void => {
    contestants.push(contestant)
    atEnd(() => contestant.close())
  }
  if (flags.agreement || flags.encryption) {
    for (const variant of flags.encryption ? encryptedVariants : variants) {
      admit(await strataVariant(variant, await makeHome(store, variant, context, atEnd), context))
    }
  } else {
    progress(`fills the raw store with ${flags.objects} objects`)
    admit(await rawStore(await makeHome(store, 'raw', context, atEnd), flags.objects))
    if (flags.against) admit(await otherServer(flags.against, context))
    for (const { name, bundle } of [...flags.builds, { name: 'strata', bundle: context.bundle }]) {
      const home = await makeHome(store, name, context, atEnd)
      const { contestant, footprint } = await strataBuild(name, bundle, home, context)
      admit(contestant)
      footprints.push(footprint)
      for (const line of footprintLines(footprint)) print(line)
    }
  }
  const results: Result[] = []
  for (const workload of chosen) {
    progress(`${workload.title}: ${flags.rounds} rounds`)
    const result = await measure(workload, contestants, flags.rounds)
    results.push(result)
    for (const line of resultLines(result)) print(line)
  }
  return { footprints, results }
}

/** Two fleets must not share one agreement: each server has a file, or an etcd, of its own. */
async function makeHome(
  store: StoreName,
  name: string,
  context: BenchContext,
  atEnd: (close: Close) => void,
): Promise<Home> {
  const directory = join(context.directory, store, name)
  mkdirSync(directory, { recursive: true })
  if (store === 'sqlite') return { directory }
  const etcd = await startEtcd()
  atEnd(() => etcd.stop())
  return { directory, etcd: etcd.endpoints }
}

async function rawStore({ directory, etcd }: Home, objects: number): Promise<Contestant> {
  return etcd ? etcdContestant(etcd, objects) : sqliteContestant(join(directory, 'raw.db'), objects)
}

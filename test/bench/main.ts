import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Store } from '@strata/server/store'
import { createEtcdStore } from '@strata/server/store/etcd'
import { createSqliteStore } from '@strata/server/store/sqlite'
import { silentLog } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import { startEtcd } from '../support/etcd.ts'
import { type Comparison, compare, printComparison } from './compare.ts'
import { connections, listSize, rawContestant, strataContestant } from './contestant.ts'
import { startBenchServer } from './servers.ts'

const { values: flags } = parseArgs({
  options: {
    pairs: { type: 'string', default: '20' },
    store: { type: 'string', multiple: true, default: ['sqlite', 'etcd'] },
    output: { type: 'string', short: 'o', default: 'table' },
    help: { type: 'boolean', default: false },
  },
})

const usage = `npm run bench -- [options]

Compares, side by side in one run, Strata with the raw store below it (create, get, list), and Strata with and
without the fence. Each result is the median of the ratios of interleaved pairs, with a 95 % interval: above 1 the
first is faster. Absolute rates are printed for orientation only; machines are shared and noisy.

  --pairs N        how many interleaved pairs (default 20)
  --store NAME     sqlite or etcd; may be repeated (default both)
  -o json          for machines`

if (flags.help) console.log(usage)
else await main()

async function main(): Promise<void> {
  const pairs = Number(flags.pairs)
  // With fewer, no interval of order statistics covers the median in 95 of 100 runs.
  if (!Number.isInteger(pairs) || pairs < 6) throw new Error('--pairs: give a whole number, 6 or more')
  const results: Comparison[] = []
  const report = (result: Comparison): void => {
    results.push(result)
    if (flags.output !== 'json') printComparison(result)
  }
  if (flags.output !== 'json') {
    console.log(
      `${connections} connections over TLS, 1 KiB objects, lists of ${listSize}; ${pairs} pairs each\n`,
    )
  }
  for (const store of flags.store) {
    if (store === 'sqlite') await benchSqlite(pairs, report)
    else if (store === 'etcd') await benchEtcd(pairs, report)
    else throw new Error(`--store ${store}: choose sqlite or etcd`)
  }
  if (flags.output === 'json') console.log(JSON.stringify(results, undefined, 2))
}

type Report = (result: Comparison) => void

async function benchSqlite(pairs: number, report: Report): Promise<void> {
  await inDirectory(async (directory) => {
    const { clock, random } = createNodeWorld({ log: silentLog })
    const path = join(directory, 'raw', 'store.db')
    const store = await createSqliteStore({ path, clock, random, log: silentLog })
    await benchStore({ name: 'SQLite', directory, store, fenced: {}, unfenced: {}, pairs, report })
  })
}

async function benchEtcd(pairs: number, report: Report): Promise<void> {
  const { clock, random } = createNodeWorld({ log: silentLog })
  // Two etcds, for two servers must not share one agreement; the raw store takes turns on the first.
  const [one, two] = [await startEtcd(), await startEtcd()]
  try {
    await inDirectory(async (directory) => {
      const store = await createEtcdStore({ endpoints: one.endpoints, clock, random, log: silentLog })
      const [fenced, unfenced] = [{ etcd: one.endpoints }, { etcd: two.endpoints }]
      await benchStore({ name: 'etcd', directory, store, fenced, unfenced, pairs, report })
    })
  } finally {
    await Promise.all([one.stop(), two.stop()])
  }
}

interface StoreBench {
  readonly name: string
  readonly directory: string
  readonly store: Store
  /** Where the two servers keep their objects; without etcd, in files below the directory. */
  readonly fenced: { readonly etcd?: readonly string[] }
  readonly unfenced: { readonly etcd?: readonly string[] }
  readonly pairs: number
  readonly report: Report
}

async function benchStore({ name, directory, store, pairs, report, ...where }: StoreBench): Promise<void> {
  const servers = [
    await startBenchServer(join(directory, 'fenced'), { ...where.fenced, fenced: true }),
    await startBenchServer(join(directory, 'unfenced'), { ...where.unfenced, fenced: false }),
  ] as const
  try {
    const raw = await rawContestant(`raw ${name}`, store)
    const strata = await strataContestant('strata', servers[0])
    const unfenced = await strataContestant('no-fence', servers[1])
    const counts = { create: 400, get: 800, list: 64 } as const
    for (const work of ['create', 'get', 'list'] as const) {
      const title = `${name}, ${work}: Strata / raw store`
      report(await compare({ title, work, count: counts[work], pairs }, strata, raw))
    }
    const title = `${name}, create: with fence / without`
    report(await compare({ title, work: 'create', count: counts.create, pairs }, strata, unfenced))
  } finally {
    await Promise.all([...servers.map((server) => server.stop()), store.close()])
  }
}

async function inDirectory(body: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'strata-bench-'))
  try {
    await body(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

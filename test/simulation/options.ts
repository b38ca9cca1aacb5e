import { parseArgs } from 'node:util'
import { aftermaths, type Chain, chainNamed, scenes } from './cuts/chain.ts'
import { moments } from './cuts/tripwire.ts'
import { adapterSabotages } from './real-stores/adapter-sabotages.ts'
import { type RealStoreKind, realStores } from './real-stores/run-real-seed.ts'
import { type Sabotage, sabotages } from './sabotage.ts'

export interface SimulationOptions {
  readonly seeds: readonly string[]
  readonly sabotages: readonly Sabotage[]
  /** Write down where each is noticed soonest, for the tests to begin there. */
  readonly remember: boolean
  /** Cut servers at every step of their bootstrap and shutdown, or along one chain. */
  readonly cuts: readonly Chain[] | 'every place' | undefined
  /** The real store of the worlds; undefined for memory. */
  readonly store: RealStoreKind | undefined
  /** How long the trouble lasts, in simulated time; by default the seed chooses. */
  readonly troubleMs: number | undefined
  /** Another fleet is behind that of every world. */
  readonly aggregated: boolean
  /** Print each kind of fault, how often it happened, and which way decisions went. */
  readonly stats: boolean
  /** Print every line of the trace; for one seed. */
  readonly trace: boolean
  readonly help: boolean
}

export const usage = `usage: npm run sim -- [options]
  --seeds N         how many seeds to run (100)
  --from S          the first of them (1)
  --seed S          run this one only
  --store KIND      what the worlds are over: memory (the default), or a real etcd or sqlite, with real faults
  --minutes M       simulated minutes of trouble, instead of what the seed says
  --aggregated      an aggregated fleet behind that of every world, instead of one world in eight
  --sabotage NAME   break one rule, several (a,b), or 'all' of them, one at a time, and demand that it is noticed
                    (${sabotages.map(({ name }) => name).join(', ')})
  --remember        write down at which seed each is noticed soonest (sabotage-seeds.json)
  --cuts            kill -9 at every step of bootstrap and shutdown, instead of seeds
  --cut CHAIN       only along this one: form/scene/moment/aftermath/first+stride/kinds
                    (report, vote / ${Object.keys(scenes).join(', ')} / ${Object.keys(moments).join(', ')} /
                     ${Object.keys(aftermaths).join(', ')} / all, few)
  --stats           print kinds of faults, how often they came, and which way decisions went
  --trace           print everything that happens
  --help            print this

Examples:
  $ npm run sim -- --seeds 1000
  $ npm run sim -- --seed 42 --trace
  $ npm run sim -- --sabotage all
  $ npm run sim -- --cuts`

export class UsageError extends Error {}

export function parseOptions(args: readonly string[]): SimulationOptions {
  const { values } = parse(args)
  const from = wholeNumber('from', values.from)
  const count = wholeNumber('seeds', values.seeds ?? (values.sabotage === undefined ? '100' : '60'))
  if (count === 0) throw new UsageError('--seeds 0: give a whole number, 1 or more')
  const seeds =
    values.seed === undefined
      ? Array.from({ length: count }, (_, index) => String(from + index))
      : [values.seed]
  return {
    seeds,
    sabotages: sabotagesNamed(values.sabotage, storeNamed(values.store)),
    store: storeNamed(values.store),
    remember: values.remember,
    cuts: values.cut === undefined ? (values.cuts ? 'every place' : undefined) : [chainOf(values.cut)],
    troubleMs: values.minutes === undefined ? undefined : 60_000 * minutesIn(values.minutes),
    aggregated: values.aggregated,
    stats: values.stats,
    trace: values.trace,
    help: values.help,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seeds: { type: 'string' },
        from: { type: 'string', default: '1' },
        seed: { type: 'string' },
        minutes: { type: 'string' },
        store: { type: 'string', default: 'memory' },
        sabotage: { type: 'string' },
        remember: { type: 'boolean', default: false },
        cuts: { type: 'boolean', default: false },
        cut: { type: 'string' },
        aggregated: { type: 'boolean', default: false },
        stats: { type: 'boolean', default: false },
        trace: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    // For `--seed -1`, Node explains at length how to write it with an equals sign.
    throw new UsageError((error as Error).message.split('\n')[0] ?? '')
  }
}

function minutesIn(text: string): number {
  const minutes = Number(text)
  if (!(minutes > 0 && Number.isFinite(minutes)))
    throw new UsageError(`--minutes ${text}: give a number above 0`)
  return minutes
}

function storeNamed(name: string): RealStoreKind | undefined {
  const found = realStores.find((each) => each === name)
  if (!found && name !== 'memory') throw new UsageError(`there is no store ${name}`)
  return found
}

/** Over a real store 'all' are those of adapters: the rules of the protocol are the same over any store. */
function sabotagesNamed(name: string | undefined, store: RealStoreKind | undefined): readonly Sabotage[] {
  if (name === undefined) return []
  if (name === 'all') return store ? adapterSabotages : sabotages
  return name.split(',').map((each) => {
    const found = [...(store ? adapterSabotages : []), ...sabotages].find(
      (sabotage) => sabotage.name === each,
    )
    if (!found) throw new UsageError(`there is no sabotage ${each}`)
    return found
  })
}

function chainOf(name: string): Chain {
  const chain = chainNamed(name)
  if (!chain) throw new UsageError(`there is no chain ${name}`)
  return chain
}

function wholeNumber(option: string, text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) throw new UsageError(`--${option} takes a whole number, not ${text}`)
  return Number(text)
}

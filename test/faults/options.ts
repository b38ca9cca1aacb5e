import { parseArgs } from 'node:util'
import type { FaultKind } from './fault-kind.ts'
import { faultKinds } from './kinds/all.ts'
import type { StoreKind } from './stage/store-home.ts'

export interface FaultOptions {
  readonly help: boolean
  readonly minutes: number
  readonly seed: string
  /** The first round; a failure names it. */
  readonly from: number
  /** Undefined: as many as the minutes allow. */
  readonly rounds: number | undefined
  readonly only: readonly FaultKind[]
  readonly stores: readonly StoreKind[]
  readonly loopback: boolean
  readonly verbose: boolean
  readonly output: 'text' | 'json'
}

export const usage: string = `npm run faults -- [options]

Injects faults into real servers over a real store, while clients record their requests and responses. After each round the
history of every key is checked for linearizability, and every watch for completeness. With root, each server and etcd node
has its own network namespace and a small disk. Without root, they run on the loopback with a proxy between them.

  --minutes N       total duration, over all stores (default 2)
  --seed S          selects the faults and their order (default: random, printed)
  --only KINDS      run only these faults, separated by commas:
${faultKinds.map(({ name, summary, stores, needs }) => `                    ${name.padEnd(25)} ${summary}${noteOf(stores, needs)}`).join('\n')}
  --store NAME      sqlite or etcd; may be repeated (default both, in turn)
  --from R          the first round (default 0)
  --rounds N        run N rounds on each store, and ignore --minutes
  --loopback        use no namespaces, even with root
  -v, --verbose     print when each fault begins and ends, and what it did
  -o json           print results as JSON
  --help            print this

Exit codes:
  0    no problem found
  1    a problem was found; the logs are kept, and the command that repeats the round is printed
  2    an option is wrong
  3    a history was too large to check
  4    the run itself failed
  130  Ctrl-C

The seed determines the faults. It does not determine the timing of the machine.

Examples:
  $ npm run faults -- --minutes 10
  $ npm run faults -- --store etcd --only partition,leader-change --minutes 5
  $ npm run faults -- --store sqlite --seed 1234 --from 17 --rounds 1`

function noteOf(stores: readonly StoreKind[], needs: FaultKind['needs']): string {
  const notes = [...(stores.length === 1 ? [`${stores[0]} only`] : []), ...(needs ? ['needs root'] : [])]
  return notes.length === 0 ? '' : ` (${notes.join(', ')})`
}

export class UsageError extends Error {}

export function parseOptions(args: readonly string[], newSeed: () => string): FaultOptions {
  const { values } = parse(args)
  const minutes = Number(values.minutes)
  if (!(minutes > 0)) throw new UsageError(`--minutes ${values.minutes}: give a number above 0`)
  return {
    help: values.help,
    minutes,
    seed: values.seed ?? newSeed(),
    from: whole('--from', values.from),
    rounds: values.rounds === undefined ? undefined : whole('--rounds', values.rounds),
    only: kindsNamed(values.only),
    stores: values.store.map((name) => oneOf('--store', name, ['sqlite', 'etcd'])),
    loopback: values.loopback,
    verbose: values.verbose,
    output: oneOf('-o', values.output, ['text', 'json']),
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        minutes: { type: 'string', default: '2' },
        seed: { type: 'string' },
        only: { type: 'string' },
        store: { type: 'string', multiple: true, default: ['sqlite', 'etcd'] },
        from: { type: 'string', default: '0' },
        rounds: { type: 'string' },
        loopback: { type: 'boolean', default: false },
        verbose: { type: 'boolean', short: 'v', default: false },
        output: { type: 'string', short: 'o', default: 'text' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    // For `--minutes -1`, Node explains at length how to write it with an equals sign.
    throw new UsageError((error as Error).message.split('\n')[0] ?? '')
  }
}

function kindsNamed(text: string | undefined): readonly FaultKind[] {
  if (text === undefined) return faultKinds
  const names = faultKinds.map(({ name }) => name)
  return text.split(',').map((given) => {
    const kind = faultKinds.find(({ name }) => name === given)
    if (!kind) throw new UsageError(`--only ${given}: choose from ${names.join(', ')}`)
    return kind
  })
}

function oneOf<T extends string>(flag: string, given: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === given)
  if (found === undefined) throw new UsageError(`${flag} ${given}: choose ${allowed.join(' or ')}`)
  return found
}

function whole(flag: string, given: string): number {
  if (!/^[0-9]{1,9}$/.test(given)) throw new UsageError(`${flag} ${given}: give a whole number`)
  return Number(given)
}

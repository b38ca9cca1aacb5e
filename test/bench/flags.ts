import { parseArgs } from 'node:util'
import type { HttpVersion } from './load/load-client.ts'
import { type CustomWorkloadName, connections, pageSize, type WorkloadName, watchers } from './workloads.ts'

export type StoreName = 'sqlite' | 'etcd'

export interface Flags {
  readonly help: boolean
  readonly stores: readonly StoreName[]
  /** Undefined is all of them. */
  readonly only: readonly (WorkloadName | CustomWorkloadName)[] | undefined
  readonly rounds: number
  readonly objects: number
  /** How many definitions of custom resources are installed at once; 0 leaves that out. */
  readonly definitions: number
  readonly starts: number
  readonly http: HttpVersion
  /** Other builds, to be measured beside this one. */
  readonly builds: readonly { readonly name: string; readonly bundle: string }[]
  readonly against: { readonly url: string; readonly token: string; readonly caFile?: string } | undefined
  /** Instead of all else, servers that agree in other ways than the usual one. */
  readonly agreement: boolean
  /** Instead of all else, servers that encrypt what they store. */
  readonly encryption: boolean
  readonly output: 'table' | 'json'
}

export const usage: string = `npm run bench -- [options]

Measures Strata beside the raw store below it, and beside any other server of the Kubernetes API: create, get, update,
lists of ${pageSize} and of everything, events to ${watchers} watchers; besides, start to ready and memory. ${connections} connections over TLS,
objects of 1 KiB. Strata runs as users run it: one file, made of this checkout, in a process of its own.

Custom resources: what a large schema, and one with rules, costs a create, beside the same objects without a schema; and
what hundreds of definitions cost: memory, discovery, start, the time until one more is served. Definitions are those of
real projects from ../shared/crds, or the folder that STRATA_CRDS names, else some of the same size.

Migrations: custom resources brought from one storage version to another, through the API and next to the data.

All do the same work in turn, round after round. A ratio is the median over the rounds, with a 95 % interval; above 1
is faster. Absolute rates are for orientation only: machines are shared and noisy.

  --store NAME        sqlite or etcd; may be repeated (default both)
  --only WORK         create, get, update, list, list-all, watch, custom-create, definitions or migrate; may be repeated (default all)
  --rounds N          how many rounds (default 20, at least 6)
  --objects N         how many objects stand there while it is measured (default 20000)
  --definitions N     how many definitions of custom resources are installed in one go (default 500; 0: none)
  --starts N          how many times the start is measured (default 5)
  --http 1|2          the protocol (default 1: HTTP/1.1)
  --against URL       another server, e.g. a kube-apiserver; what it keeps is made in namespaces bench-…, and deleted
  --token T           for that server: a token that may do everything in them
  --ca FILE           for that server: who signed its certificate (without it any is taken)
  --build NAME=FILE   another build of dist/strata.mjs; may be repeated
  --agreement         instead: what agreement costs. Five servers of these sources: one that takes no part in it, one whose writes are
                      not guarded by the agreement record, one whose guarantee is loose, one as usual, and the same once more: what
                      the last two differ in is noise
  --encryption        instead: what encryption at rest costs. Servers of these sources, one for each kind of key, and one without
  -o json             for machines

Examples:
  $ npm run bench -- --store sqlite --objects 2000 --rounds 6
  $ npm run bench -- --against https://10.0.0.1:6443 --token "$(kubectl create token admin)" --ca ca.crt
  $ npm run bench -- --only custom-create --only definitions --store sqlite
  $ npm run bench -- --only migrate --objects 20000 --rounds 6
  $ npm run bench -- --agreement --only create --only update --objects 2000 --rounds 60
  $ npm run bench -- --build before=/tmp/before/strata.mjs --only get --store sqlite`

export class FlagProblem extends Error {}

export function parseFlags(args: readonly string[]): Flags {
  const { values } = parse(args)
  const { against, token, ca } = values
  if (against !== undefined && token === undefined) throw new FlagProblem('--against: give a --token as well')
  if (against === undefined && (token ?? ca) !== undefined)
    throw new FlagProblem('--token, --ca: for --against')
  return {
    help: values.help,
    stores: values.store.map((name) => oneOf('--store', name, ['sqlite', 'etcd'])),
    only: values.only?.map((name) =>
      oneOf('--only', name, [
        ...(['create', 'get', 'update', 'list', 'list-all', 'watch'] as const),
        ...(['custom-create', 'definitions', 'migrate'] as const),
      ]),
    ),
    // With fewer, no interval of order statistics covers the median in 95 of 100 runs.
    rounds: whole('--rounds', values.rounds, 6),
    objects: whole('--objects', values.objects, pageSize),
    definitions: whole('--definitions', values.definitions, 0),
    starts: whole('--starts', values.starts, 0),
    http: oneOf('--http', values.http, ['1', '2']),
    builds: values.build.map((text) => {
      const [, name, bundle] = /^([^=]+)=(.+)$/.exec(text) ?? []
      if (name === undefined || bundle === undefined) throw new FlagProblem(`--build ${text}: give NAME=FILE`)
      return { name, bundle }
    }),
    against:
      against === undefined || token === undefined
        ? undefined
        : { url: against, token, ...(ca === undefined ? {} : { caFile: ca }) },
    agreement: values.agreement,
    encryption: values.encryption,
    output: oneOf('-o', values.output, ['table', 'json']),
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        store: { type: 'string', multiple: true, default: ['sqlite', 'etcd'] },
        only: { type: 'string', multiple: true },
        rounds: { type: 'string', default: '20' },
        objects: { type: 'string', default: '20000' },
        definitions: { type: 'string', default: '500' },
        starts: { type: 'string', default: '5' },
        http: { type: 'string', default: '1' },
        against: { type: 'string' },
        token: { type: 'string' },
        ca: { type: 'string' },
        build: { type: 'string', multiple: true, default: [] },
        agreement: { type: 'boolean', default: false },
        encryption: { type: 'boolean', default: false },
        output: { type: 'string', short: 'o', default: 'table' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    throw new FlagProblem((error as Error).message)
  }
}

function oneOf<T extends string>(flag: string, given: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === given)
  if (found === undefined) throw new FlagProblem(`${flag} ${given}: choose ${allowed.join(' or ')}`)
  return found
}

function whole(flag: string, given: string, atLeast: number): number {
  const value = Number(given)
  if (!Number.isInteger(value) || value < atLeast)
    throw new FlagProblem(`${flag} ${given}: give a whole number, ${atLeast} or more`)
  return value
}

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
  readonly against:
    | { readonly url: string; readonly token: string; readonly caFile?: string | undefined }
    | undefined
  /** Instead of all else, servers that agree in other ways than the usual one. */
  readonly agreement: boolean
  /** Instead of all else, servers that encrypt what they store. */
  readonly encryption: boolean
  readonly output: 'table' | 'json'
}

export const usage: string = `npm run bench -- [options]

Compares Strata with its raw store, and with any other Kubernetes API server. Measures create, get, update, lists of
${pageSize} objects and of all objects, events to ${watchers} watchers, the time from start to ready, and memory. It uses ${connections} connections
over TLS and objects of 1 KiB. Strata runs as users run it: bundled into one file, in its own process.

Custom resources: the cost of a create with a large schema and with CEL rules, compared with no schema. The cost of hundreds
of CRDs: memory, discovery, start, and the time until one more is served. The CRDs are those of real projects, from
../shared/crds or the folder in STRATA_CRDS. Without them, generated CRDs of the same size are used.

Migrations: custom resources are migrated from one storage version to another, through the API and in the server.

The contestants take turns, round after round. A ratio is the median over the rounds, with a 95 % interval; above 1
is faster. Absolute rates depend on the machine and its load.

  --store NAME        sqlite or etcd; may be repeated (default both)
  --only WORK         create, get, update, list, list-all, watch, custom-create, definitions or migrate; may be repeated (default all)
  --rounds N          number of rounds (default 20, at least 6)
  --objects N         number of stored objects (default 20000)
  --definitions N     number of CRDs that are installed at once (default 500; 0: none)
  --starts N          how often the start is measured (default 5)
  --http 1|2          the protocol (default 1: HTTP/1.1)
  --against URL       another server, e.g. a kube-apiserver; its objects are created in namespaces bench-…, and deleted
  --token T           for that server: a token with all permissions in these namespaces
  --ca FILE           for that server: its CA certificate (default: its certificate is not verified)
  --build NAME=FILE   another build of dist/strata.mjs; may be repeated
  --agreement         instead: the cost of agreement, with five servers from this checkout: one without agreement, one without fenced
                      writes, one with the loose guarantee, and two with defaults. The difference of the last two is noise
  --encryption        instead: the cost of encryption at rest, with one server from this checkout for each kind of key, and one without
  -o json             print results as JSON

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
    against: against === undefined || token === undefined ? undefined : { url: against, token, caFile: ca },
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

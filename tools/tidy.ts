// The rules of the house, as tables. `node tools/tidy.ts` prints what breaks them; tidy.test.ts holds the
// repository to them and shows each rule a bad example. To change a rule, change its table, with a reason.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listFiles, root } from './repository.ts'
import {
  type FolderArrows,
  folderArrows,
  guardedEntries,
  type PackageArrow,
  packageArrows,
} from './tidy/arrows.ts'
import { type BannedCall, bannedCalls, escapeHatches } from './tidy/calls.ts'
import { deadExports } from './tidy/dead-exports.ts'
import { functionLength } from './tidy/functions.ts'
import { fileLength, fileNames, folderSize, uniqueNames } from './tidy/layout.ts'
import { documentLinks } from './tidy/links.ts'
import type { Exception, Problem, Rule, SourceFile } from './tidy/source.ts'
import { statusCodes } from './tidy/status-codes.ts'
import {
  bannedText,
  explainedDependencies,
  lockedContents,
  narrowComments,
  noColours,
  plainWords,
  registryHosts,
} from './tidy/text.ts'

const PACKAGES = [
  ...[
    'world',
    'api',
    'insight',
    'client',
    'server',
    'controllers',
    'testing',
    'rehearsal',
    'cli',
    'dashboard',
  ],
]

export const PACKAGE_ARROWS: readonly PackageArrow[] = [
  { from: 'packages/client/', to: ['api', 'world'], because: 'it speaks the contract' },
  { from: 'packages/insight/', to: ['api', 'world'], because: 'it says what objects of the contract mean' },
  { from: 'packages/server/', to: ['api', 'world'], because: 'it serves the contract' },
  {
    from: 'packages/server/src/assembly/run-collectors.ts',
    to: ['client', 'controllers'],
    because: 'a server collects what dead servers have left, by the controllers that any client can run',
  },
  {
    from: 'packages/server/src/assembly/run-as-client.ts',
    to: ['client'],
    because: 'controllers inside of a server are clients of it',
  },
  {
    from: 'packages/server/src/assembly/run-mirror.ts',
    to: ['client', 'controllers'],
    because: 'an aggregated server shows its records in the aggregator, as a client of it',
  },
  {
    from: 'packages/controllers/',
    to: ['client', 'insight', 'api', 'world'],
    because: 'they see what any client sees',
  },
  {
    from: 'packages/cli/',
    to: ['client', 'insight', 'api', 'world'],
    because: 'it sees what any client sees',
  },
  {
    from: 'packages/dashboard/',
    to: ['client', 'insight', 'api', 'world'],
    because: 'it sees what any client sees, from a browser',
  },
  {
    from: 'packages/dashboard/src/',
    to: ['rehearsal'],
    because:
      'it shows results of rehearsals, in the words of `strata rehearse`; of that package only what runs in a browser',
  },
  {
    from: 'packages/testing/',
    to: ['server', 'controllers', 'client', 'api', 'world'],
    because: 'it is a whole cluster in one process',
  },
  {
    from: 'packages/rehearsal/',
    to: ['server', 'controllers', 'client', 'insight', 'api', 'world'],
    because: 'it is a whole fleet in a simulated world',
  },
  {
    from: 'packages/cli/src/rehearse/',
    to: ['rehearsal', 'server', 'testing'],
    because: 'it reads paths, kinds and stores for that fleet',
  },
  { from: 'packages/cli/src/testenv/', to: ['testing', 'server'], because: 'it runs that cluster' },
  { from: 'packages/cli/src/commands/serve', to: ['server'], because: 'it is the server, and its flags' },
  {
    from: 'packages/cli/src/check/own-kinds.ts',
    to: ['server'],
    because: 'what this program reads is said by its kinds',
  },
  {
    from: 'packages/cli/src/crd/documents/',
    to: ['server'],
    because: 'it reads YAML as an API server reads it',
  },
  {
    from: 'packages/cli/src/commands/controllers/controllers.ts',
    to: ['controllers'],
    because: 'it is the controllers',
  },
  {
    from: 'packages/cli/src/rbac/command-rights.ts',
    to: ['controllers'],
    because: 'rights on Leases of the controllers are given by name',
  },
  {
    from: 'packages/cli/src/commands/controllers/controllers-init.ts',
    to: ['controllers'],
    because: 'it asks for migrations',
  },
  {
    from: 'packages/cli/src/migration/',
    to: ['controllers'],
    because: 'it runs the same engine, in the foreground',
  },
  {
    from: 'packages/cli/src/stored/',
    to: ['server'],
    because: 'it reads the store as a server does: etcd, encrypted values, stored versions',
  },
  {
    from: 'packages/cli/src/fleet/',
    to: ['server', 'controllers'],
    because: 'a fleet is made of both',
  },
  { from: 'examples/', to: PACKAGES, because: 'examples do what users do' },
  { from: 'test/', to: PACKAGES, because: 'what is there needs more than one package' },
  { from: 'tools/', to: PACKAGES, because: 'tools generate and check' },
]

const GUARDED_ENTRIES = [
  {
    entry: '@strata/world/node',
    openTo: /^packages\/(?:cli\/src\/|testing\/src\/start-cluster\.ts$|[^/]+\/src\/main\.ts$)/,
    because: 'the real clock, chance and network enter in main.ts and are handed on from there',
  },
  {
    entry: '@strata/world/browser',
    openTo: /^packages\/dashboard\/src\/main\.tsx$/,
    because: 'the real clock, chance and network of a browser enter in main.tsx and are handed on from there',
  },
  {
    entry: '@strata/world/sim',
    openTo: /^packages\/rehearsal\/src\//,
    because: 'a simulated world belongs to tests, and to rehearsals of upgrades',
  },
]

// The path of a request: a folder sees only those after it. Those below stand beside the path.
const PATH = ['http', 'filters', 'handlers', 'registry', 'codec', 'store'] as const
const BESIDE = [
  'admission',
  'aggregation',
  'audit',
  'authentication',
  'authorization',
  'conversion',
  'coordination',
  'discovery',
  'metrics',
  'openapi',
  'services',
  'watch-cache',
  'webhooks',
] as const
const after = (folder: (typeof PATH)[number]): readonly string[] => PATH.slice(PATH.indexOf(folder) + 1)

export const SERVER_ARROWS: FolderArrows = {
  http: after('http'),
  filters: [...after('filters'), ...BESIDE, 'configuration'],
  handlers: [...after('handlers'), ...BESIDE, 'migration', 'upgrade'],
  registry: [...after('registry'), ...BESIDE],
  codec: after('codec'),
  store: ['configuration'],
  admission: ['authentication', 'codec', 'watch-cache', 'webhooks'],
  // Servers that APIServices name: whether they are available, and how requests get there.
  aggregation: ['authentication', 'discovery', 'openapi', 'services'],
  // Writes down what is served.
  'api-services': ['aggregation', 'codec', 'discovery', 'registry', 'store', 'watch-cache'],
  authorization: ['codec', 'watch-cache'],
  // Written once, by every server that starts.
  'bootstrap-policy': ['authorization', 'registry'],
  // Says to aggregated servers which clients and front proxies to trust.
  'cluster-trust': ['codec', 'configuration', 'delegation', 'registry', 'watch-cache'],
  coordination: ['codec', 'configuration', 'store', 'watch-cache'],
  // Between codec and store: what is above sees plain values, what is below sees sealed ones.
  encryption: ['codec', 'store'],
  conversion: ['codec', 'webhooks'],
  'custom-resources': ['codec', 'conversion', 'coordination', 'registry', 'store', 'watch-cache', 'webhooks'],
  // For aggregated servers: asks the aggregator who a client is and what it may do.
  delegation: ['authentication', 'authorization', 'configuration', 'webhooks'],
  discovery: ['coordination'],
  metrics: [],
  // Reads and writes objects in bulk, next to the data.
  migration: ['codec', 'coordination', 'registry', 'store'],
  // Reports agreement as metrics and Events; decides nothing.
  'agreement-reporting': ['codec', 'coordination', 'health', 'metrics', 'registry', 'store', 'watch-cache'],
  openapi: ['discovery'],
  // Whether a release can read what is stored: this one, and one that is asked about.
  upgrade: ['codec', 'coordination', 'registry', 'store', 'watch-cache'],
  // Flags, files and gates: read once, before the first request.
  configuration: [],
  health: ['encryption', 'filters', 'handlers', 'metrics', 'store'],
  // The parts that server.ts and main.ts put together; no other folder imports them.
  assembly: [
    ...PATH,
    ...BESIDE,
    'api-services',
    'bootstrap-policy',
    'cluster-trust',
    'configuration',
    'credentials',
    'custom-resources',
    'delegation',
    'encryption',
    'health',
    'agreement-reporting',
    'upgrade',
  ],
  // Read or made once, by main.ts, before the first request.
  credentials: ['authentication', 'configuration'],
  audit: ['authentication', 'configuration'],
  authentication: ['codec', 'configuration', 'store', 'watch-cache'],
  'watch-cache': ['codec', 'store'],
  webhooks: ['codec', 'services'],
  services: [],
}

const CLOCK = 'time comes from the clock of the world'
const RANDOM = 'chance and ids come from the random of the world'
const DEADLINE = 'use the deadlines of the world: these are timers, or leak on long-lived signals'
const POOL = 'runs on a thread pool, whose order no seed decides: use the synchronous form'

export const BANNED_CALLS: readonly BannedCall[] = [
  { pattern: /\bDate\.now\b/g, instead: CLOCK },
  { pattern: /\bnew Date\(\s*\)|(?<!new )(?<![\w.])Date\(\s*\)/g, instead: CLOCK },
  { pattern: /\bperformance\.(?:now|timeOrigin)\b|\bprocess\.(?:hrtime|uptime)\b/g, instead: CLOCK },
  { pattern: /(?<![\w.])(?:globalThis\.)?set(?:Timeout|Interval|Immediate)\b(?!\s*[?:])/g, instead: CLOCK },
  { pattern: /\bMath\.random\b/g, instead: RANDOM },
  { pattern: /\brandom(?:UUID|Bytes|Int|Fill|FillSync)\b|\bgetRandomValues\b/g, instead: RANDOM },
  { pattern: /\bAbortSignal\.(?:timeout|any)\b/g, instead: DEADLINE },
  { pattern: /\bwebcrypto\b|\bsubtle\b/g, instead: POOL },
  {
    pattern: /(?<![\w.])(?:crypto\.)?(?:scrypt|pbkdf2|hkdf|argon2|generateKeyPair|generateKey)\s*\(/g,
    instead: POOL,
  },
  {
    pattern:
      /(?<![\w.])(?:zlib\.)?(?:(?:de|in)flate(?:Raw)?|g?unzip|gzip|(?:brotli|zstd)(?:C|Dec)ompress)\s*\(/g,
    instead: POOL,
  },
  {
    pattern: /\bcreate(?:(?:De|In)flate(?:Raw)?|G?[uU]nzip|Gzip|(?:Brotli|Zstd)(?:C|Dec)ompress)\b/g,
    instead: POOL,
  },
  { pattern: /\bprocess\.env\b/g, instead: 'the environment is read in main.ts and handed on' },
]

// Tests (the store's contract is a suite of them) and tools meet the real world, and so do its real parts.
const isSimulated = (path: string): boolean =>
  /^(?:packages\/[^/]+\/src|examples)\//.test(path) &&
  !path.startsWith('packages/world/src/node/') &&
  !path.startsWith('packages/world/src/browser/') &&
  !path.startsWith('packages/server/src/store/contract') &&
  path !== 'examples/starter/main.ts' &&
  !/^packages\/[^/]+\/src\/main\.tsx?$/.test(path)

// Clients of the API see HTTP status codes only through the predicates of client/errors.ts.
const asksServers = (path: string): boolean =>
  /^packages\/(?:cli|client|controllers|dashboard)\/src\//.test(path) &&
  path !== 'packages/client/src/errors.ts'

const FILE_LENGTH_LIMIT = 500
const FOLDER_SIZE_LIMIT = 30
export const FUNCTION_LENGTH_LIMIT = 100
// The contract of the store is a suite of tests.
const isProduct = (path: string): boolean =>
  path.startsWith('packages/') && !path.startsWith('packages/server/src/store/contract')
const BANNED_NAMES = ['utils', 'util', 'helpers', 'helper', 'common', 'manager', 'misc', 'types']

// Written so that these lines do not contain what they look for.
const UNFINISHED = /\b(?:TO[D]O|FIX[M]E|XX[X])\b/g
const FOREIGN = /\b(?:clau[d]e|anthropi[c]|chatgp[t]|copilo[t]|ai-generate[d])\b/gi

const HIDDEN_SUBJECT = /\b(?:nobody|somebody|whoever|whom)\b/gi

export const EXCEPTIONS: readonly Exception[] = [
  {
    rule: 'banned calls',
    path: 'packages/world/src/sim/scheduler.ts',
    about: 'setImmediate',
    because: 'the one way to learn that all microtasks have run; it decides when, never in which order',
  },
  {
    rule: 'banned calls',
    path: 'packages/server/src/credentials/certificates.ts',
    because: 'certificates are made before a real server starts, and never on a simulated path',
  },
  {
    rule: 'banned calls',
    path: 'packages/server/src/http/gzip.ts',
    because: 'compression is done at real sockets only, and must not stop the loop for everybody else',
  },
  {
    rule: 'file names',
    path: 'packages/cli/bin/kubectl_complete-strata',
    because: 'kubectl asks for a file of this name to complete the plugin',
  },
]

export const RULES: readonly Rule[] = [
  packageArrows(PACKAGE_ARROWS, PACKAGES),
  guardedEntries(GUARDED_ENTRIES),
  folderArrows('packages/server/src/', SERVER_ARROWS),
  bannedCalls(BANNED_CALLS, isSimulated),
  statusCodes(asksServers, 'use a predicate of @strata/client (isNotFound, isConflict, isTransient…)'),
  escapeHatches,
  fileLength(FILE_LENGTH_LIMIT),
  functionLength(FUNCTION_LENGTH_LIMIT, isProduct),
  fileNames(BANNED_NAMES),
  folderSize(FOLDER_SIZE_LIMIT),
  uniqueNames,
  documentLinks,
  bannedText('marks', UNFINISHED, 'finish it, or write it down where plans are kept'),
  bannedText('words', FOREIGN, 'the text speaks of the product'),
  noColours,
  plainWords(HIDDEN_SUBJECT),
  narrowComments,
  lockedContents,
  registryHosts,
  explainedDependencies,
  deadExports,
]

/** Every problem that no exception permits, and every exception that permits no problem. */
export function findProblems(
  files: readonly SourceFile[],
  rules: readonly Rule[] = RULES,
  exceptions: readonly Exception[] = EXCEPTIONS,
): readonly Problem[] {
  const found = rules.flatMap((rule) => rule(files))
  const permits = (exception: Exception, problem: Problem): boolean =>
    exception.rule === problem.rule &&
    exception.path === problem.path &&
    problem.message.includes(exception.about ?? '')
  const stale = exceptions
    .filter((exception) => !found.some((problem) => permits(exception, problem)))
    .map(({ rule, path }) => ({
      rule,
      path,
      line: 1,
      message: 'an exception in tools/tidy.ts permits nothing here',
    }))
  return [...found.filter((problem) => !exceptions.some((each) => permits(each, problem))), ...stale]
}

const BINARY = /\.(?:png|jpe?g|gif|ico|woff2?|gz|zip|pb|db|sqlite)$/

/** Of a binary file only the name is looked at: documents link to pictures. */
export const readRepository = (): readonly SourceFile[] =>
  listFiles().map((path) => ({ path, text: BINARY.test(path) ? '' : readFileSync(join(root, path), 'utf8') }))

export const formatProblem = ({ rule, path, line, message }: Problem): string =>
  `${path}:${line}: ${rule}: ${message}`

if (import.meta.main) {
  const problems = findProblems(readRepository())
  for (const problem of problems) process.stdout.write(`${formatProblem(problem)}\n`)
  process.exitCode = problems.length > 0 ? 1 : 0
}

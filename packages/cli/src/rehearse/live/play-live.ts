import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { playInLab, type RehearsalPath, type RehearsalResult } from '@strata/rehearsal'
import type { NodeTransport } from '@strata/world/node'
import type { CliContext } from '../../context.ts'
import { findFreePorts } from '../../fleet/free-ports.ts'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import type { LoadedPath } from '../load-path.ts'
import { LiveLab } from './live-lab.ts'
import { LiveServer } from './live-server.ts'

const firstPort = 7643
const compactionMs = 3_600_000
/** Much shorter than in production: a dead server blocks a migration for as long. */
const leaseArgs = [
  ...['--identity-lease-duration-seconds', '15'],
  ...['--identity-lease-renew-interval-seconds', '3'],
]

/** Plays a path on real processes over a store in a temporary directory, of which nothing is left. */
export async function playLive(
  { file, path, modules }: LoadedPath,
  context: CliContext,
): Promise<RehearsalResult> {
  if (path.server !== 'strata') {
    const next = 'leave out --live, or say "server: strata"'
    throw new CliError(`${file}: server: --live runs servers of Strata: ${next}`, exitCodes.usage)
  }
  const directory = await mkdtemp(join(tmpdir(), 'strata-rehearse-'))
  try {
    return await playIn(directory, withoutFunctions(path), modules, context)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** A server that is a process cannot be given functions. */
function withoutFunctions(path: RehearsalPath): RehearsalPath {
  const { subject } = path
  return subject.kind === 'resources' ? path : { ...path, subject: { ...subject, conversions: {} } }
}

async function playIn(
  directory: string,
  path: RehearsalPath,
  modules: readonly string[],
  context: CliContext,
): Promise<RehearsalResult> {
  const { ensureCredentials, openStore, serverId } = await import('@strata/server/main')
  const { createNodeTransport } = await import('@strata/world/node')
  const { readFile } = await import('node:fs/promises')
  const { world, signal, progress } = context
  const storeDir = join(directory, 'store')
  await mkdir(storeDir, { mode: 0o700 })
  const { caFile, adminToken: token } = await ensureCredentials(join(directory, 'pki'), world)
  const ca = await readFile(caFile, 'utf8')
  const ports = await findFreePorts(firstPort, path.servers, { isGiven: false })
  const transports: NodeTransport[] = []
  const servers = ports.map((port, index) => {
    const name = `server-${index + 1}`
    const transport = createNodeTransport({ server: `https://127.0.0.1:${port}`, ca, token })
    transports.push(transport)
    const options = {
      ...{ number: index + 1, id: serverId(world.processes.hostname, name), transport },
      logFile: join(directory, `${name}.log`),
      argsOf: (release: string) => serveArgsOf(path, { directory, port, name, modules, release }),
    }
    return new LiveServer(options, { ...context, print: () => {} })
  })
  const closing = new AbortController()
  const store = await openStore({ kind: 'sqlite', directory: storeDir }, world, compactionMs, closing.signal)
  const lab = new LiveLab({ servers, store, token, world, signal })
  try {
    return await playInLab(path, lab, ({ text }) => progress?.(text))
  } finally {
    progress?.('')
    for (const server of servers) server.crash()
    await Promise.all(servers.map((server) => server.ended()))
    closing.abort(new Error('the rehearsal is over'))
    await store.close()
    for (const transport of transports) transport.close()
  }
}

interface ServerPlace {
  readonly directory: string
  readonly port: number
  readonly name: string
  readonly modules: readonly string[]
  readonly release: string
}

function serveArgsOf(
  { subject, coordination }: RehearsalPath,
  { directory, port, name, modules, release }: ServerPlace,
): readonly string[] {
  const kinds = subject.kind === 'resources' ? ['--release', release] : []
  return [
    ...['serve', '--data-dir', directory, '--secure-port', String(port), '--instance', name],
    ...['--storage-version-coordination', coordination, '--no-dashboard', ...leaseArgs],
    ...[...kinds, ...modules.flatMap((each) => ['--resources', each])],
  ]
}

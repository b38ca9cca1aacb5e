import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { deadline, sleep } from '@strata/world'
import { createNodeTransport } from '@strata/world/node'
import type { CliContext } from '../context.ts'
import { CliError } from '../errors.ts'
import { findFreePorts } from './free-ports.ts'
import { type Member, startMember } from './member.ts'
import { welcome } from './welcome.ts'

export interface FleetOptions {
  readonly servers: number
  readonly dataDir: string
  readonly port: number
  readonly release?: string
  readonly resources: readonly string[]
  readonly etcdServers?: string
}

/** Starts the servers and the controllers, says what to try next, and ends them in order on Ctrl-C. */
export async function runFleet(options: FleetOptions, context: CliContext): Promise<number> {
  if (options.servers < 1) throw new CliError('--servers: give at least 1')
  const { world, signal, print } = context
  const { ensureCredentials, pathsBelow, writeKubeconfig } = await import('@strata/server/main')
  const dataDir = resolve(options.dataDir)
  const logs = join(dataDir, 'logs')
  await mkdir(logs, { recursive: true, mode: 0o700 })
  const paths = pathsBelow(dataDir)
  const credentials = await ensureCredentials(paths.certDir, world)
  const ports = await findFreePorts(options.port, options.servers)
  const servers = ports.map((port, index) => ({
    name: `strata-${index + 1}`,
    url: `https://127.0.0.1:${port}`,
    port,
  }))
  const { caFile, adminToken } = credentials
  await writeKubeconfig({ path: paths.kubeconfig, servers, caFile, token: adminToken })

  const tell = (line: string): void => print(line)
  const members: Member[] = []
  for (const [index, { name, port }] of servers.entries()) {
    const logFile = join(logs, `server-${index + 1}.log`)
    members.push(
      startMember(context, { name, args: serveArgs(options, dataDir, index, port), logFile }, tell),
    )
  }
  try {
    for (const [index, { name, url }] of servers.entries()) {
      await untilReady(url, caFile, context, join(logs, `server-${index + 1}.log`))
      print(`  ${name} is ready at ${url}`)
    }
    const contexts = servers.flatMap(({ name }) => ['--context', name])
    const args = ['controllers', '--kubeconfig', paths.kubeconfig, ...contexts]
    members.push(
      startMember(context, { name: 'controllers', args, logFile: join(logs, 'controllers.log') }, tell),
    )
    print(
      welcome({
        kubeconfig: options.dataDir === '.strata/local' ? '.strata/local/admin.kubeconfig' : paths.kubeconfig,
        members,
        logs,
        example: options.resources.length > 0,
      }),
    )
    await untilAborted(signal)
  } finally {
    if (signal.aborted)
      print('\nstopping: the controllers first, then the servers, which take back their entries')
    const hurry = deadline(world.clock, 20_000)
    for (const member of members.toReversed()) {
      if (member.name === 'controllers') await member.stop(hurry.signal)
    }
    await Promise.all(members.map((member) => member.stop(hurry.signal)))
    hurry.dispose()
  }
  print('stopped; the data is kept, and "npm start" goes on with it')
  return 0
}

function serveArgs(options: FleetOptions, dataDir: string, index: number, port: number): string[] {
  const args = [
    'serve',
    '--data-dir',
    dataDir,
    '--secure-port',
    String(port),
    '--instance',
    `strata-${index + 1}`,
  ]
  if (options.release !== undefined) args.push('--release', options.release)
  for (const module of options.resources) args.push('--resources', resolve(module))
  if (options.etcdServers !== undefined) args.push('--etcd-servers', options.etcdServers)
  return args
}

/** Asks /readyz until it says yes. A server that does not get there says why in its log. */
async function untilReady(
  url: string,
  caFile: string,
  { world, signal }: CliContext,
  logFile: string,
): Promise<void> {
  const { readFile } = await import('node:fs/promises')
  const transport = createNodeTransport({ server: url, ca: await readFile(caFile, 'utf8') })
  const limit = deadline(world.clock, 60_000, signal)
  try {
    for (;;) {
      const ready = await transport({
        method: 'GET',
        target: '/readyz',
        headers: {},
        signal: limit.signal,
      }).then(
        ({ status }) => status === 200,
        () => false,
      )
      if (ready) return
      await sleep(world.clock, 100, limit.signal)
    }
  } catch (error) {
    if (signal.aborted) throw new CliError('stopped before the fleet was ready', 130)
    throw new CliError(`${url} did not become ready within a minute; its log says why: ${logFile}`, 1, {
      cause: error,
    })
  } finally {
    limit.dispose()
    transport.close()
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

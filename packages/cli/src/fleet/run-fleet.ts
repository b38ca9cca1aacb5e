import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { ResourceDefinition } from '@strata/api'
import { deadline } from '@strata/world'
import { joined, readFeatureGates, type SharedFlags, sharedFlags } from '../commands/serve-flags.ts'
import type { CliContext } from '../context.ts'
import { flagArgs } from '../options/flag.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { commandTyped } from '../program-name.ts'
import { lockDataDir } from './data-dir-lock.ts'
import { findFreePorts } from './free-ports.ts'
import { type Member, startMember } from './member.ts'
import { untilReady } from './until-ready.ts'
import { welcome } from './welcome.ts'

export interface FleetOptions extends SharedFlags {
  readonly servers: number
  readonly dataDir: string
  readonly port: number
  /** A given port is refused if it is taken; the default moves to the next free one. */
  readonly isPortGiven: boolean
}

/** Checks what would make every server fail, locks the data directory, and runs a fleet in it. */
export async function runFleet(options: FleetOptions, context: CliContext): Promise<number> {
  const { ConfigurationProblem, checkRuntimeConfig, loadResources, makeDirectory, parseFeatureGates } =
    await import('@strata/server/main')
  const dataDir = resolve(options.dataDir)
  try {
    const kinds = await loadResources(options.resources, options.release)
    readFeatureGates(options.featureGates, parseFeatureGates)
    checkRuntimeConfig(joined(options.runtimeConfig), kinds)
    await makeDirectory(dataDir, '--data-dir')
    const lock = lockDataDir(dataDir, context.world.processes)
    try {
      await runLocked(options, { dataDir, example: hasExample(kinds, options.release) }, context)
    } finally {
      lock.release()
    }
  } catch (error) {
    if (!(error instanceof ConfigurationProblem)) throw error
    throw new CliError(error.message, error.isTransient ? 1 : exitCodes.usage, { cause: error })
  }
  context.print('stopped; the data is kept: run the same command to continue')
  return 0
}

/** Whether the example kind is served in both versions that the welcome uses. */
function hasExample(kinds: readonly ResourceDefinition[], release: string | undefined): boolean {
  const beacons = kinds.find(({ group }) => group === 'lighthouse.example.dev')
  if (!beacons || release === undefined) return beacons !== undefined
  const served = beacons.releases?.[release]?.served ?? []
  return ['v1', 'v2'].every((version) => served.includes(version))
}

/** Starts the servers and the controllers, prints what to try next, and stops them in order on Ctrl-C. */
async function runLocked(
  options: FleetOptions,
  { dataDir, example }: { readonly dataDir: string; readonly example: boolean },
  context: CliContext,
): Promise<void> {
  const { world, signal, print } = context
  const { ensureCredentials, pathsBelow, writeKubeconfig } = await import('@strata/server/main')
  const paths = pathsBelow(dataDir)
  const logs = join(dataDir, 'logs')
  await mkdir(logs, { recursive: true, mode: 0o700 })
  const { caFile, adminToken } = await ensureCredentials(paths.certDir, world)
  const ports = await findFreePorts(options.port, options.servers, { isGiven: options.isPortGiven })
  const members: Member[] = []
  const start = (name: string, args: readonly string[], logFile: string): Member => {
    const member = startMember(context, { name, args, logFile }, print)
    members.push(member)
    return member
  }
  const servers = ports.map((port, index) => {
    const name = `strata-${index + 1}`
    const logFile = join(logs, `server-${index + 1}.log`)
    const member = start(name, serveArgs(options, dataDir, name, port), logFile)
    return { name, url: `https://127.0.0.1:${port}`, logFile, member }
  })
  try {
    for (const server of servers) {
      await untilReady(server, { caFile, adminToken }, context)
      print(`  ${server.name} is ready at ${server.url}`)
    }
    // Only now: a user who finds the kubeconfig expects that the servers answer.
    await writeKubeconfig({ path: paths.kubeconfig, servers, caFile, token: adminToken })
    const contexts = servers.flatMap(({ name }) => ['--context', name])
    const args = ['controllers', '--kubeconfig', paths.kubeconfig, '--root-ca-file', caFile, ...contexts]
    start('controllers', args, join(logs, 'controllers.log')).markReady()
    const command = commandTyped(context.entry)
    print(welcome({ kubeconfig: paths.kubeconfig, members, servers: servers.length, logs, example, command }))
    await untilAborted(signal)
  } finally {
    await stopAll(members, context)
  }
}

async function stopAll(members: readonly Member[], { world, signal, print }: CliContext): Promise<void> {
  if (signal.aborted) print('\nstopping the controllers, then the servers, which remove their entries')
  const hurry = deadline(world.clock, 20_000)
  for (const member of members.toReversed()) {
    if (member.name === 'controllers') await member.stop(hurry.signal)
  }
  await Promise.all(members.map((member) => member.stop(hurry.signal)))
  hurry.dispose()
}

function serveArgs(options: FleetOptions, dataDir: string, name: string, port: number): string[] {
  const { resources } = options
  const file = (path: string | undefined): string | undefined => path && resolve(path)
  const shared = flagArgs(sharedFlags, {
    ...options,
    encryptionProviderConfig: file(options.encryptionProviderConfig),
    proxyClientCertFile: file(options.proxyClientCertFile),
    proxyClientKeyFile: file(options.proxyClientKeyFile),
    requestheaderClientCaFile: file(options.requestheaderClientCaFile),
    resources: resources.map((each) => resolve(each)),
  })
  return ['serve', '--data-dir', dataDir, '--secure-port', String(port), '--instance', name, ...shared]
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

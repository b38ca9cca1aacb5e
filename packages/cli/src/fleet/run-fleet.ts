import { mkdir } from 'node:fs/promises'
import { flushCompileCache } from 'node:module'
import { join, resolve } from 'node:path'
import type { ResourceDefinition } from '@strata/api'
import { deadline, untilAborted } from '@strata/world'
import { joined, readFeatureGates } from '../commands/serve-flags.ts'
import type { CliContext } from '../context.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { commandTyped } from '../program-name.ts'
import { createControlAccess, removeControlAccess, writeControlAccess } from './control/control-file.ts'
import { listenForControl } from './control/control-socket.ts'
import { createFleet, type Fleet } from './create-fleet.ts'
import { lockDataDir } from './data-dir-lock.ts'
import { defaultDataDir, type FleetOptions } from './fleet-options.ts'
import { findFreePorts } from './free-ports.ts'
import { openDashboard, preparePage } from './open-dashboard.ts'
import { type Member, startMember } from './processes/member.ts'
import { SceneKeeper } from './scenes/scene-keeper.ts'
import { startOver } from './start-over.ts'
import { welcome } from './welcome.ts'

/** Checks what would make every server fail, locks the data directory, and runs a fleet in it. */
export async function runFleet(options: FleetOptions, context: CliContext): Promise<number> {
  const { ConfigurationProblem, checkRuntimeConfig, loadResources, makeDirectory, parseFeatureGates } =
    await import('@strata/server/main')
  // The servers start the same modules: on a first start each would compile them anew.
  flushCompileCache()
  const dataDir = resolve(options.dataDir)
  try {
    const kinds = await loadResources(options.resources, options.release)
    readFeatureGates(options.featureGates, parseFeatureGates)
    checkRuntimeConfig(joined(options.runtimeConfig), kinds)
    await makeDirectory(dataDir, '--data-dir')
    const lock = lockDataDir(dataDir, context.world.processes)
    try {
      if (options.fresh) await startOver(dataDir, options, context)
      await runLocked(options, { dataDir, kinds }, context)
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

/** Starts the servers and the controllers, prints what to try next, and stops them in order on Ctrl-C. */
async function runLocked(
  options: FleetOptions,
  { dataDir, kinds }: { readonly dataDir: string; readonly kinds: readonly ResourceDefinition[] },
  context: CliContext,
): Promise<void> {
  const { world, signal, print } = context
  const { ensureCredentials, ownRelease, pathsBelow, serverId, writeKubeconfig } = await import(
    '@strata/server/main'
  )
  const { certDir, kubeconfig } = pathsBelow(dataDir)
  const logs = join(dataDir, 'logs')
  await mkdir(logs, { recursive: true, mode: 0o700 })
  const { caFile, adminToken } = await ensureCredentials(certDir, world)
  const ports = await findFreePorts(options.port, options.servers, { isGiven: options.isPortGiven })
  const serverIdOf = (instance: string): string => serverId(world.processes.hostname, instance)
  const parts = { dataDir, logs, ports, caFile, adminToken, kinds, ownRelease, serverIdOf }
  const fleet = await createFleet(options, parts, context)
  const access = await createControlAccess(dataDir, world.random)
  const dashboard = options.dashboard ? await openDashboard(options, fleet, context) : undefined
  const createLink = dashboard && (() => dashboard.createLink())
  const scenes = new SceneKeeper(fleet.board, world.clock)
  const control = await listenForControl(access, {
    ...{ playground: fleet.playground, createLink },
    tellScene: (view) => scenes.tell(view),
  })
  let controllers: Member | undefined
  try {
    for (const server of fleet.servers) server.launch(options.release ?? ownRelease)
    for (const server of fleet.servers) {
      await server.untilReady(signal, (why) => print(`  ${server.name} waits: ${why}`))
      print(`  ${server.name} is ready at ${server.url}`)
    }
    // Only now: a user who finds these files expects that the servers answer.
    await writeKubeconfig({ path: kubeconfig, servers: fleet.servers, caFile, token: adminToken })
    await writeControlAccess(dataDir, access)
    const contexts = fleet.servers.flatMap(({ name }) => ['--context', name])
    const args = ['controllers', '--kubeconfig', kubeconfig, '--root-ca-file', caFile, ...contexts]
    controllers = startMember(context, { name: 'controllers', args, logFile: join(logs, 'controllers.log') })
    controllers.markReady()
    const command = commandTyped(context.entry)
    const place = options.dataDir === defaultDataDir ? '' : ` --data-dir '${dataDir}'`
    const shown = { kubeconfig, state: fleet.board.state, controllers: controllers.pid, logs, command }
    print(welcome({ ...shown, place, link: createLink?.() }))
    if (dashboard) void preparePage()
    await untilAborted(signal)
  } finally {
    await removeControlAccess(dataDir, access)
    control.close()
    scenes.close()
    await dashboard?.close()
    await stopAll(fleet, controllers, context)
    fleet.close()
  }
}

async function stopAll(
  fleet: Fleet,
  controllers: Member | undefined,
  { world, signal, print }: CliContext,
): Promise<void> {
  if (signal.aborted) print('\nstopping the controllers, then the servers, which remove their entries')
  const hurry = deadline(world.clock, 20_000)
  await controllers?.stop(hurry.signal)
  // A roll must not start a server that has just been stopped.
  await fleet.settle()
  await Promise.all(fleet.servers.map((server) => server.stop(hurry.signal)))
  hurry.dispose()
}

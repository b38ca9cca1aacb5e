import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { configMaps, parseLossless, type ResourceDefinition } from '@strata/api'
import { createClient } from '@strata/client'
import type { Transport } from '@strata/world'
import { createNodeTransport } from '@strata/world/node'
import type { CliContext } from '../context.ts'
import { createPlayground, type Playground } from './control/create-playground.ts'
import { switchStorageVersion } from './control/switch-storage-version.ts'
import type { FleetOptions } from './fleet-options.ts'
import { chooseLoadedKind } from './load/loaded-kind.ts'
import { Loader } from './load/loader.ts'
import { FleetServer } from './processes/fleet-server.ts'
import { freezeBetweenCommits } from './processes/freeze-between-commits.ts'
import { readyTransport } from './processes/ready-transport.ts'
import { Roller } from './roll/roller.ts'
import { serveArgs } from './serve-args.ts'
import { FleetBoard } from './state/fleet-board.ts'

export interface FleetParts {
  readonly dataDir: string
  readonly logs: string
  readonly ports: readonly number[]
  readonly caFile: string
  readonly adminToken: string
  readonly kinds: readonly ResourceDefinition[]
  /** What a server calls its release if it plays none. */
  readonly ownRelease: string
  readonly serverIdOf: (instance: string) => string
}

export interface Fleet {
  readonly board: FleetBoard
  readonly servers: readonly FleetServer[]
  readonly playground: Playground
  /** To any server that is ready, as the administrator. */
  readonly transport: Transport
  /** Ends what moves servers: afterwards they stay as they are. */
  settle(): Promise<void>
  close(): void
}

/** The servers, none of which runs yet, and what controls them. */
export async function createFleet(
  options: FleetOptions,
  parts: FleetParts,
  context: CliContext,
): Promise<Fleet> {
  const { world, signal } = context
  const { kinds, ownRelease } = parts
  const ca = await readFile(parts.caFile, 'utf8')
  const releases = [...new Set(kinds.flatMap((each) => Object.keys(each.releases ?? {})))]
  const first = options.release ?? ownRelease
  const places = parts.ports.map((port, index) => ({ name: `strata-${index + 1}`, port }))
  const board = new FleetBoard(world.clock, {
    resources: options.resources.map((each) => resolve(each)),
    ...{ releases, roll: null, load: null, scenes: [] },
    servers: places.map(({ name, port }) => ({
      ...{ name, instance: name, serverID: parts.serverIdOf(name), release: first, pid: null },
      ...{ url: `https://127.0.0.1:${port}`, state: 'stopped', since: '' },
    })),
  })
  const servers = places.map(({ name, port }, index) => {
    const url = `https://127.0.0.1:${port}`
    const argsOf = (release: string): string[] =>
      serveArgs(
        { ...options, release: release === ownRelease ? undefined : release },
        { dataDir: parts.dataDir, name, port },
      )
    const logFile = join(parts.logs, `server-${index + 1}.log`)
    const transport = createNodeTransport({ server: url, ca, token: parts.adminToken })
    return new FleetServer({ name, url, logFile, transport, argsOf }, board, context)
  })
  const transport = readyTransport(board, servers)
  const client = createClient({
    transport,
    userAgent: 'strata-playground',
    // A CRD that is written back keeps every digit.
    parse: parseLossless,
    answerLimit: { clock: world.clock, answerMs: 15_000 },
  })
  const roller = new Roller({ board, servers }, context)
  const kind = chooseLoadedKind(kinds, configMaps as unknown as ResourceDefinition)
  const loader = new Loader({ board, servers, client, kind, world, signal })
  const playground = createPlayground({
    ...{ board, servers, roller },
    freeze: (server) => freezeBetweenCommits(server, readyBeside(board, servers, server), world, signal),
    setLoad: (writesPerSecond) => loader.set(writesPerSecond),
    switchStorageVersion: (crd, version) => switchStorageVersion(client, { crd, version }, signal),
  })
  return {
    ...{ board, servers, playground, transport },
    settle: () => roller.ended(),
    close: () => {
      for (const { transport } of servers) transport.close()
    },
  }
}

const readyBeside = (
  board: FleetBoard,
  servers: readonly FleetServer[],
  one: FleetServer,
): readonly FleetServer[] =>
  servers.filter((each) => each !== one && board.server(each.name).state === 'ready')

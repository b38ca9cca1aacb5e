import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { type Client, createClient, createFailoverTransport } from '@strata/client'
import { DeadlineExceeded, deadline, sleep } from '@strata/world'
import { createNodeTransport, type NodeTransport } from '@strata/world/node'
import { loadAccess } from '../../connection/kubeconfig.ts'
import type { CliContext } from '../../context.ts'
import { connectFleet, type FleetControl } from '../control/control-client.ts'
import type { FleetState } from '../state/fleet-state.ts'

/** The fleet that a scene plays on, and what a user can do with it. */
export interface Stage {
  readonly dataDir: string
  readonly signal: AbortSignal
  readonly control: FleetControl
  /** Asks the server that answered last. */
  readonly client: Client
  /** To one server alone. */
  transportOf(server: string): NodeTransport
  /** Runs `strata …` against the fleet, to its end. */
  strata(...args: readonly string[]): Promise<StrataRun>
  /** Looks again and again until there is something to see. Throws after half a minute. */
  until<T>(what: string, look: () => Promise<T | undefined>): Promise<T>
  /** Done when the scene is over, however it ends; the last first. The stage then is another one, whose signal is not aborted. */
  later(undo: (stage: Stage) => Promise<void>): void
}

export interface StrataRun {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export interface OpenStage extends Stage {
  /** What has to be undone, the last first. */
  readonly undoing: readonly ((stage: Stage) => Promise<void>)[]
  close(): void
}

const answerMs = 30_000
const patienceMs = 30_000
const lookEveryMs = 50

/** Connects to the fleet that runs in this data directory. */
export async function openStage(
  dataDir: string,
  context: CliContext,
  signal: AbortSignal,
): Promise<OpenStage> {
  const { clock } = context.world
  const control = await connectFleet(dataDir, signal)
  const kubeconfig = resolve(dataDir, 'admin.kubeconfig')
  const transports = await transportsTo(kubeconfig, await control.read())
  const [first, ...others] = [...transports.values()]
  if (!first) throw new Error('the fleet has no servers')
  const undoing: ((stage: Stage) => Promise<void>)[] = []
  const client = createClient({
    transport: createFailoverTransport([first, ...others]),
    userAgent: 'strata-scene',
    answerLimit: { clock, answerMs },
  })
  return {
    ...{ dataDir, signal, control, client, undoing },
    transportOf: (server) => {
      const transport = transports.get(server)
      if (!transport) throw new Error(`no server ${server}`)
      return transport
    },
    strata: (...args) => runStrata(args, kubeconfig, context, signal),
    until: async (what, look) => {
      const limit = deadline(clock, patienceMs, signal)
      try {
        for (;;) {
          const found = await look()
          if (found !== undefined) return found
          await sleep(clock, lookEveryMs, limit.signal)
        }
      } catch (error) {
        throw error instanceof DeadlineExceeded ? new Error(`waited in vain until ${what}`) : error
      } finally {
        limit.dispose()
      }
    },
    later: (undo) => {
      undoing.unshift(undo)
    },
    close: () => {
      control.close()
      for (const transport of transports.values()) transport.close()
    },
  }
}

async function transportsTo(
  kubeconfig: string,
  { servers }: FleetState,
): Promise<Map<string, NodeTransport>> {
  const source = { paths: [kubeconfig], isMerged: false, namedBy: '--data-dir' }
  const transports = new Map<string, NodeTransport>()
  for (const { name } of servers) {
    const { server, ca, token } = await loadAccess(source, name)
    transports.set(name, createNodeTransport({ server, ca, token }))
  }
  return transports
}

/** The same program, with the fleet's kubeconfig. */
function runStrata(
  args: readonly string[],
  kubeconfig: string,
  { execPath, entry, environment }: CliContext,
  signal: AbortSignal,
): Promise<StrataRun> {
  const script = entry === '' ? [] : [entry]
  return new Promise((resolveRun, reject) => {
    execFile(
      execPath,
      [...script, ...args],
      { env: { ...environment, KUBECONFIG: kubeconfig }, signal, maxBuffer: 16 << 20 },
      (error, stdout, stderr) => {
        if (signal.aborted) return reject(signal.reason)
        const exitCode = error === null ? 0 : error.code
        if (typeof exitCode === 'number') return resolveRun({ exitCode, stdout, stderr })
        reject(error)
      },
    )
  })
}

import type { Cancel } from '../clock.ts'
import { invariant } from '../invariant.ts'
import type { Transport } from '../transport.ts'
import { Exchange, type Listener, type Medium } from './exchange.ts'
import { type NetworkFaults, NO_FAULTS } from './network-faults.ts'
import { Partitions } from './partitions.ts'
import type { SimProcess } from './sim-process.ts'
import type { Simulation } from './simulation.ts'

export interface SimNetwork {
  /** The newest listener of a name gets its requests, until it is cancelled or its process crashes. */
  listen(name: string, process: SimProcess, server: Transport): Cancel
  /** How `from` reaches the server that listens under `to` when the request arrives. */
  connect(from: SimProcess, to: string): Transport
  /** Cuts the way between two names: of listeners or of processes. `oneWay` lets `b` still reach `a`. */
  partition(a: string, b: string, options?: { readonly oneWay?: boolean }): void
  heal(a: string, b: string): void
  healAll(): void
  /** For all that is sent from now on; faults that are not named stay as they are. */
  setFaults(faults: Partial<NetworkFaults>): void
}

export function createSimNetwork(simulation: Simulation, initial: Partial<NetworkFaults> = {}): SimNetwork {
  const random = simulation.fork('network')
  const partitions = new Partitions()
  const listeners = new Map<string, Listener>()
  const open = new Set<Exchange>()
  let faults: NetworkFaults = { ...NO_FAULTS, ...initial }

  const delayMs = (): number =>
    faults.minDelayMs + random.fraction() * (faults.maxDelayMs - faults.minDelayMs)

  const medium: Medium = {
    random,
    faults: () => faults,
    listener: (name) => {
      const listener = listeners.get(name)
      return listener?.process.crashed ? undefined : listener
    },
    findCut: (from, to) => {
      for (const a of from) {
        for (const b of to) {
          const cut = partitions.find(a, b)
          if (cut !== undefined) return cut
        }
      }
      return undefined
    },
    travel: (label, callback) => void simulation.schedule(delayMs(), label, callback),
    schedule: (delay, label, callback) => simulation.schedule(delay, label, callback),
    closed: (exchange) => open.delete(exchange),
  }

  // In an event of its own: the caller may run inside a process, and the delayed messages belong to others.
  const flush = (): void => {
    simulation.schedule(0, 'network flush', () => {
      for (const exchange of [...open]) exchange.flush()
    })
  }

  return {
    listen: (name, process, server) => {
      const listener: Listener = { process, server }
      listeners.set(name, listener)
      return () => {
        if (listeners.get(name) === listener) listeners.delete(name)
      }
    },
    connect: (from, to) => (request) => {
      if (request.signal.aborted) return Promise.reject(request.signal.reason)
      // A crashed process sends and receives nothing.
      if (from.crashed) return new Promise(() => {})
      const exchange = new Exchange(medium, from, to, request)
      open.add(exchange)
      return exchange.start()
    },
    partition: (a, b, { oneWay = false } = {}) => {
      simulation.trace('partition', { a, b, oneWay })
      partitions.cut(a, b)
      if (!oneWay) partitions.cut(b, a)
      for (const exchange of open) exchange.watchPartition()
    },
    heal: (a, b) => {
      simulation.trace('heal', { a, b })
      partitions.heal(a, b)
      partitions.heal(b, a)
      flush()
    },
    healAll: () => {
      simulation.trace('heal all')
      partitions.healAll()
      flush()
    },
    setFaults: (changed) => {
      faults = { ...faults, ...changed }
      invariant(faults.minDelayMs <= faults.maxDelayMs, 'the shortest delay is longer than the longest')
      simulation.trace('network faults', { ...faults })
    },
  }
}

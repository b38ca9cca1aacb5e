import type { DiscoveryDocHash } from '@strata/api'
import { heartbeatMs, silentLimitMs } from './decide-doc-hashes.ts'

interface Heard {
  readonly text: string
  readonly silentMs: number
  readonly lookedAtMs: number
}

/**
 * At most this much time between two observations counts: a server that was suspended has not seen that no heartbeat came.
 * Otherwise: the machine of all servers is suspended for half an hour, and the first server to resume removes all others.
 */
const creditMs = 1.25 * heartbeatMs

/** For how long this server has seen each entry unchanged. */
export class Heartbeats {
  readonly #heard = new Map<string, Heard>()

  observe(entries: readonly Partial<DiscoveryDocHash>[], nowMs: number): void {
    const present = new Set(entries.map(({ apiServerID = '' }) => apiServerID))
    for (const id of this.#heard.keys()) if (!present.has(id)) this.#heard.delete(id)
    for (const entry of entries) {
      const { apiServerID = '' } = entry
      const text = `${entry.lastHeartbeatTime} ${entry.builtInAPIHash}`
      const before = this.#heard.get(apiServerID)
      const sinceMs = before?.text === text ? Math.min(nowMs - before.lookedAtMs, creditMs) : 0
      const silentMs = before?.text === text ? before.silentMs + sinceMs : 0
      this.#heard.set(apiServerID, { text, silentMs, lookedAtMs: nowMs })
    }
  }

  silentMs(apiServerID: string): number {
    return this.#heard.get(apiServerID)?.silentMs ?? 0
  }

  /** How long until some server but the given one has been silent for too long, if no entry changes. */
  nextLimitMs(self: string): number {
    const waits = [...this.#heard]
      .filter(([id]) => id !== self)
      .map(([, each]) => silentLimitMs - each.silentMs)
    return Math.max(0, Math.min(silentLimitMs, ...waits))
  }

  /** The store could not be read: other servers may not have been able to write to it either. */
  forget(): void {
    this.#heard.clear()
  }
}

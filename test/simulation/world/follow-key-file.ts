import type { Encryption, EncryptionConfiguration } from '@strata/server'
import type { MemoryData } from '@strata/server/store'
import { sleep } from '@strata/world'
import type { SimProcess } from '@strata/world/sim'
import type { History } from '../history.ts'
import { configurationFor, readableBy, readableIn } from './key-files.ts'

interface Seen {
  readonly process: SimProcess
  readonly history: History
  readonly data: MemoryData
  readonly nowMs: () => number
}

/** Puts a configuration in force, or says why it may not be. */
export type Reload = (
  configuration: EncryptionConfiguration,
  encryption: Encryption,
) => Promise<string | undefined>

interface FollowParts extends Seen {
  readonly encryption: Encryption
  /** What the file says now. */
  readonly read: () => readonly string[]
  readonly reload: Reload
}

const pollMs = 1_000
const { signal } = new AbortController()

/** Takes over what the file of a server says, whenever that changes, for as long as the process lives. */
export async function followKeyFile(parts: FollowParts): Promise<never> {
  const { process, history, data, nowMs, encryption, read, reload } = parts
  let inForce = read()
  for (;;) {
    await sleep(process.clock, pollMs)
    const wanted = read()
    if (wanted.join() === inForce.join()) continue
    const startRevision = data.revision
    try {
      const after = await readableBy(encryption, wanted, signal)
      const dropped = readableIn(encryption).filter((key) => !after.includes(key))
      const refusal = await reload(configurationFor(wanted), encryption)
      process.log.debug('a file of keys', { wanted: wanted.join(), refusal })
      if (refusal !== undefined) continue
      inForce = wanted
      if (dropped.length === 0) continue
      history.keysDropped.push({
        ...{ writer: process.id, dropped, startRevision },
        ...{ endMs: nowMs(), endRevision: data.revision },
      })
    } catch (error) {
      process.log.debug('a file of keys could not be taken over', { error: String(error) })
    }
  }
}

/** Whatever a server is shown that stands in the store, and cannot open. */
export function noteUnopened(encryption: Encryption, { process, history, data, nowMs }: Seen): void {
  const known = new WeakSet<object>()
  const ringOf = encryption.ringOf.bind(encryption)
  encryption.ringOf = (resource) => {
    const ring = ringOf(resource)
    if (!ring || known.has(ring)) return ring
    known.add(ring)
    const open = ring.open.bind(ring)
    ring.open = (stored, key) => {
      const note = (error: unknown): never => {
        // A KMS that does not answer is asked again: nothing is promised of how soon it answers.
        if (isPassing(error)) throw error
        const [entry] = data.read([key]).entries
        // What was there before it is shown to whoever is behind, too, and overtaken by the next that it is shown.
        if (entry && Buffer.from(entry.value).equals(stored)) {
          history.unopened.push({ atMs: nowMs(), writer: process.id, key })
        }
        throw error
      }
      try {
        const opened = open(stored, key)
        return opened instanceof Promise ? opened.catch(note) : opened
      } catch (error) {
        return note(error)
      }
    }
    return ring
  }
}

const isPassing = (error: unknown): boolean =>
  error instanceof Error && 'isPassing' in error && error.isPassing === true

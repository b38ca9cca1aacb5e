import { deadline, readAll, sleep, type Transport, TransportError, type World } from '@strata/world'
import { decideWriteOutcome, type WriteOutcome } from './decide-write-outcome.ts'
import { type LoadedKind, writeRequest } from './loaded-kind.ts'

/** As many requests may be under way at once: a fleet that is slower gets fewer writes, not a longer queue. */
const mostAtOnce = 32
const objects = 100
const tickMs = 50
const answerMs = 10_000
/** How often the numbers are shown. */
const showMs = 250

export type WriteCounts = Readonly<Record<WriteOutcome, number>>

export interface WriteLoadOptions {
  readonly kind: LoadedKind
  /** The servers that take requests now, and the release of each. */
  readonly servers: () => readonly { readonly transport: Transport; readonly release: string }[]
  readonly writesPerSecond: number
  readonly world: World
  /** Ends requests that are under way. Without it each is awaited: a write that is given up may still be stored later. */
  readonly hurry: AbortSignal
  readonly onCount: (counts: WriteCounts) => void
}

/** Applies objects through all servers in turn, at a given rate, until the signal is aborted. */
export async function runWriteLoad(options: WriteLoadOptions, signal: AbortSignal): Promise<void> {
  const { kind, servers, writesPerSecond, onCount, hurry } = options
  const { clock } = options.world
  const counts = { written: 0, refused: 0, unknown: 0 }
  const underWay = new Set<Promise<void>>()
  const beganMs = clock.monotonicMs()
  let shownMs = beganMs
  let sent = 0
  const write = async (turn: number): Promise<void> => {
    const there = servers()
    const server = there[turn % there.length]
    const limit = deadline(clock, answerMs, hurry)
    try {
      const what = { index: turn % objects, turn, release: server?.release ?? '' }
      const request = writeRequest(kind, what, limit.signal)
      if (!server || !request) throw new TransportError('no server takes it', 'no')
      const answer = await server.transport(request)
      await readAll(answer.body)
      counts[decideWriteOutcome(answer)]++
    } catch (error) {
      if (!hurry.aborted) counts[decideWriteOutcome({ error })]++
    } finally {
      limit.dispose()
    }
  }
  while (!signal.aborted) {
    const due = Math.floor(((clock.monotonicMs() - beganMs) * writesPerSecond) / 1_000)
    // What was due while too much was under way is left out.
    for (; sent < due; sent++) {
      if (underWay.size >= mostAtOnce) continue
      const writing: Promise<void> = write(sent).finally(() => underWay.delete(writing))
      underWay.add(writing)
    }
    if (clock.monotonicMs() - shownMs >= showMs) {
      shownMs = clock.monotonicMs()
      onCount({ ...counts })
    }
    await sleep(clock, tickMs, signal).catch(() => {})
  }
  await Promise.all(underWay)
  onCount({ ...counts })
}

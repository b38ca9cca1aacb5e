import type { AgreementStatus } from '@strata/api'
import { sleep, type Transport } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import { ask } from '../support/ask.ts'
import { isFullSize } from '../support/full-size.ts'

/** A record as a server showed it, and when. */
interface Sample {
  readonly atMs: number
  readonly status: AgreementStatus
}

const pollMs = isFullSize ? 10 : 25

/** Looks at an agreement record through one server, again and again, to tell afterwards since when something was so. */
export class RecordPoll {
  readonly #samples: Sample[] = []
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>

  constructor(through: Transport, path: string) {
    this.#running = this.#run(through, path)
  }

  /** When it was first seen, since a moment, that the record says this; undefined if it never was. */
  firstMs(says: (status: AgreementStatus) => boolean, sinceMs: number): number | undefined {
    return this.#samples.find(({ atMs, status }) => atMs >= sinceMs && says(status))?.atMs
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(through: Transport, path: string): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const answer = await ask(through, 'GET', path).catch(() => undefined)
      if (answer?.status === 200) {
        this.#samples.push({ atMs: nodeClock.monotonicMs(), status: answer.body.status })
      }
      await sleep(nodeClock, pollMs, this.#stopping.signal).catch(() => {})
    }
  }
}

import type { ChangeBatch, Store } from '@strata/server/store'
import type { History } from '../history.ts'

/** What one process knows of the store: the newest revision, and how often the store was restored before that. */
interface Known {
  readonly timeline: number
  readonly highest: number
}

/**
 * Notes when a process gets an answer from a restored store although it has seen a change that the backup lacks: it has to
 * notice the restore then (rule 19), if the answer is older than that change. Otherwise it may not be able to: only 320 is lost,
 * and another server has given the restored store another 320. A process that ends before such an answer arrives cannot notice.
 *
 * Callers get the promises of the store itself. A wait more would change the order of events, and so every seed.
 */
export class RestoredAnswers {
  readonly #writer: string
  readonly #history: History
  readonly #nowMs: () => number
  readonly #timelines = new WeakMap<object, number>()
  #known: Known

  constructor(writer: string, history: History, nowMs: () => number) {
    this.#writer = writer
    this.#history = history
    this.#nowMs = nowMs
    this.#known = { timeline: history.restores.length, highest: 0 }
  }

  /** On the store's side of the way: notes the timeline of each answer. It may arrive after the next restore. */
  sent(store: Store): Store {
    const note = (answer: object, timeline: number): void => void this.#timelines.set(answer, timeline)
    const begin = () => {
      const timeline = this.#history.restores.length
      return (answer: object): void => note(answer, timeline)
    }
    return {
      ...observed(store, begin),
      watch: (prefix, after, signal) =>
        observedBatches(store.watch(prefix, after, signal), (batch) =>
          note(batch, this.#history.restores.length),
        ),
    }
  }

  /** How often the store had been restored when it sent the answer; undefined for one that a sabotage has replaced. */
  timelineOf(answer: object): number | undefined {
    return this.#timelines.get(answer)
  }

  /** On the server's side of the way. An answer is compared with what the process knew when it asked. */
  received(store: Store): Store {
    const begin = () => {
      const asked = this.#known
      const now = this.#history.restores.length
      return (answer: { readonly revision: number }): void => this.#receive(asked, now, answer)
    }
    return {
      ...observed(store, begin),
      // A batch adds to what the process knows. Whether it belongs to a restored store, the process asks by itself.
      watch: (prefix, after, signal) =>
        observedBatches(store.watch(prefix, after, signal), (batch) => {
          if (this.#timelines.get(batch) === this.#known.timeline) this.#learn(batch.revision)
        }),
    }
  }

  /** An answer that a sabotage has replaced counts as one of the timeline in which it was asked for. */
  #receive(asked: Known, askedIn: number, answer: { readonly revision: number }): void {
    const timeline = this.#timelines.get(answer) ?? askedIn
    const { restores, restoresShown } = this.#history
    const ended = restores[asked.timeline]
    const isOlder = answer.revision < asked.highest
    if (timeline > asked.timeline && ended && asked.highest > ended.revision && isOlder) {
      restoresShown.push({ atMs: this.#nowMs(), writer: this.#writer, timeline })
    }
    if (timeline > this.#known.timeline) this.#known = { timeline, highest: answer.revision }
    else if (timeline === this.#known.timeline) this.#learn(answer.revision)
  }

  #learn(revision: number): void {
    if (revision > this.#known.highest) this.#known = { ...this.#known, highest: revision }
  }
}

type Answered = (answer: { readonly revision: number }) => void

function observed(store: Store, begin: () => Answered): Store {
  const observe = <T extends { readonly revision: number }>(ask: () => Promise<T>): Promise<T> => {
    const note = begin()
    const answer = ask()
    answer.then(note, () => {})
    return answer
  }
  return {
    ...store,
    read: (keys, signal) => observe(() => store.read(keys, signal)),
    // A page of the past names the revision that was asked for.
    list: (range, signal) =>
      range.revision === undefined ? observe(() => store.list(range, signal)) : store.list(range, signal),
    commit: (commit, signal) => observe(() => store.commit(commit, signal)),
  }
}

function observedBatches(
  batches: AsyncIterable<ChangeBatch>,
  note: (batch: ChangeBatch) => void,
): AsyncIterable<ChangeBatch> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = batches[Symbol.asyncIterator]()
      return {
        next: () => {
          const next = iterator.next()
          next.then(
            ({ done, value }) => done || note(value),
            () => {},
          )
          return next
        },
        return: async (value?: unknown) =>
          (await iterator.return?.(value)) ?? { done: true as const, value: undefined },
      }
    },
  }
}

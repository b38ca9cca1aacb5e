import { isDeepStrictEqual } from 'node:util'
import { type Change, MemoryData, type Revision } from '@strata/server/store'
import type { History } from '../history.ts'
import { brokenGuards, findSender, type SentCommit, type Told } from './sent-commits.ts'

export interface MirrorParts {
  readonly history: History
  readonly nowMs: () => number
  /** Changes as the checkers see them: in the clear. */
  readonly opened: (change: Change) => Change
}

/** Past this many, a commit that was never found cannot come any more. */
const rememberedCommits = 2_000

/**
 * What the real store holds, past every adapter and every fault: the truth that checkers compare with. Its revisions are
 * those of the store, because it is given every change in order.
 */
export class Mirror extends MemoryData {
  readonly sent: SentCommit[] = []
  /** Told of each change as it is found. */
  readonly followers = new Set<(changes: readonly Change[]) => void>()
  readonly #shared: boolean
  readonly #waiting = new Set<() => void>()
  /** Compacts the real store. */
  onCompact: (revision: Revision) => void = () => {}
  #parts: MirrorParts | undefined
  #forgotten = 0
  #failure: Error | undefined

  constructor(revisions: 'shared' | 'each') {
    super({ revisions })
    this.#shared = revisions === 'shared'
  }

  attach(parts: MirrorParts): void {
    this.#parts = parts
  }

  override compact(revision: Revision): void {
    super.compact(revision)
    this.onCompact(revision)
  }

  /** Takes in what happened in the store since. All changes of one transaction come together. */
  take(changes: readonly Change[]): void {
    let rest = changes.filter(({ revision }) => revision > this.revision)
    while (rest.length > 0) rest = rest.slice(this.#takeCommit(rest))
    for (const wake of this.#waiting) wake()
  }

  /** Nothing more will be taken in. */
  fail(error: Error): void {
    this.#failure = error
    for (const wake of this.#waiting) wake()
  }

  /** Resolves when everything up to the revision has been taken in. */
  async reach(revision: Revision): Promise<void> {
    while (this.revision < revision) {
      if (this.#failure) throw this.#failure
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiting.delete(wake)
          resolve()
        }
        this.#waiting.add(wake)
      })
    }
  }

  /** The adapter says where a commit is: of several that write the same, this tells which was written. */
  confirm(sent: SentCommit): void {
    const revisions = sent.told?.revisions ?? []
    const equals = this.sent.filter(
      (each) => each !== sent && isDeepStrictEqual(each.commit.writes, sent.commit.writes),
    )
    const isIts = (revision: Revision): boolean => revisions.includes(revision)
    for (const other of equals) {
      for (const revision of other.found.filter(isIts)) this.#move(revision, other, sent)
    }
    for (const revision of sent.found.filter((each) => !isIts(each))) {
      const other = equals.find(({ told, found }) => mayBeWritten(told?.how) && found.length === 0)
      if (other) this.#move(revision, sent, other)
    }
  }

  /** The change at this revision was another's. */
  #move(revision: Revision, from: SentCommit, to: SentCommit): void {
    const { history } = this.#parts ?? notAttached()
    from.found.splice(from.found.indexOf(revision), 1)
    to.found.push(revision)
    to.broken.push(...from.broken.splice(0))
    const place = history.commits.findLastIndex(({ changes }) =>
      changes.some((change) => change.revision === revision),
    )
    const noted = history.commits[place]
    if (noted) history.commits[place] = { ...noted, writer: to.writer, commit: to.commit, repeated: false }
  }

  #takeCommit(changes: readonly Change[]): number {
    const before = (key: string) => this.read([key]).entries[0]
    const first = changes[0]?.revision ?? 0
    const recent = this.sent.slice(this.#forgotten)
    const together = this.#shared ? changes.filter(({ revision }) => revision === first) : changes
    const found = findSender(together, recent, before)
    const length = this.#shared ? together.length : (found?.length ?? 1)
    const own = together.slice(0, length)
    const isWhole = found?.length === length
    this.#apply(own, isWhole ? found.sender : undefined)
    this.#forgotten = Math.max(0, this.sent.length - rememberedCommits)
    return length
  }

  #apply(changes: readonly Change[], sender: SentCommit | undefined): void {
    const { history, nowMs, opened } = this.#parts ?? notAttached()
    const last = changes.at(-1)?.revision ?? 0
    const revision = this.revision
    if (sender) sender.broken.push(...brokenGuards(sender.commit, (key) => this.read([key]).entries[0]))
    const writes = changes.map((change) =>
      change.kind === 'put'
        ? { kind: change.kind, key: change.key, value: change.value }
        : { kind: change.kind, key: change.key },
    )
    this.commit({ writes, guards: [] })
    if (this.revision !== last)
      throw new Error(`the store went from ${revision} to ${last}, and its mirror to ${this.revision}`)
    const repeated = sender !== undefined && sender.found.length > 0
    sender?.found.push(changes[0]?.revision ?? 0)
    if (!sender) {
      const keys = changes.map(({ key }) => key).join(', ')
      history.bugs.push({ atMs: nowMs(), text: `revision ${last}: nobody has sent this change of ${keys}` })
    }
    history.commits.push({
      ...{
        atMs: nowMs(),
        writer: sender?.writer ?? 'nobody',
        commit: sender?.commit ?? { writes, guards: [] },
      },
      ...{ changes: changes.map(opened), repeated, sentMs: sender?.sentMs ?? nowMs() },
    })
    for (const follow of this.followers) follow(changes)
  }
}

const mayBeWritten = (how: Told | undefined): boolean => how === undefined || how === 'unknown'

function notAttached(): never {
  throw new Error('the mirror has no history to write into')
}

import { createHash, timingSafeEqual } from 'node:crypto'
import { type Clock, LeakyBucket, type Random } from '@strata/world'

export type Exchange =
  | { readonly outcome: 'signed-in'; readonly token: string }
  /** The code is unknown, too old, or was used. */
  | { readonly outcome: 'refused' }
  | { readonly outcome: 'too-many-tries'; readonly retryAfterSeconds: number }

const codeLifeMs = 120_000
/** Older links stop working when there are so many newer ones: more than any page can ask for while a link is good. */
const openCodes = 16
/** A session that is not used for so long has ended. */
const idleMs = 12 * 3_600_000
const openSessions = 32
const triesAtOnce = 10
const triesPerSecond = 0.5

const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/**
 * Who may see data: a code, valid once and for two minutes, is exchanged for the token of a session. Both are random and kept
 * only as digests, in memory: they end with this process. Digests are compared in constant time.
 */
export class SignIn {
  readonly #clock: Clock
  readonly #random: Random
  readonly #tries = new LeakyBucket(triesPerSecond)
  #codes: { readonly digest: Buffer; readonly untilMs: number }[] = []
  #sessions: { readonly digest: Buffer; usedMs: number }[] = []

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = clock
    this.#random = random
  }

  createCode(): string {
    const code = this.#secret()
    const untilMs = this.#clock.monotonicMs() + codeLifeMs
    this.#codes = [...this.#codes.slice(1 - openCodes), { digest: digestOf(code), untilMs }]
    return code
  }

  exchange(code: string): Exchange {
    const nowMs = this.#clock.monotonicMs()
    const found = findByDigest(this.#codes, code)
    this.#codes = this.#codes.filter((each) => each !== found && each.untilMs > nowMs)
    if (found === undefined || found.untilMs <= nowMs) return this.#fail(nowMs)
    const token = this.#secret()
    this.#sessions = [...this.#sessions.slice(1 - openSessions), { digest: digestOf(token), usedMs: nowMs }]
    return { outcome: 'signed-in', token }
  }

  /** Only failures count: a client that guesses must not keep the user of a link out. */
  #fail(nowMs: number): Exchange {
    if (this.#tries.add(1, nowMs) <= triesAtOnce) return { outcome: 'refused' }
    this.#tries.add(-1, nowMs)
    return { outcome: 'too-many-tries', retryAfterSeconds: Math.ceil(1 / triesPerSecond) }
  }

  /** Whether the token is that of an open session, which is then in use. */
  isOpen(token: string): boolean {
    const nowMs = this.#clock.monotonicMs()
    this.#sessions = this.#sessions.filter(({ usedMs }) => nowMs - usedMs < idleMs)
    const found = findByDigest(this.#sessions, token)
    if (found) found.usedMs = nowMs
    return found !== undefined
  }

  end(token: string): void {
    const found = findByDigest(this.#sessions, token)
    this.#sessions = this.#sessions.filter((each) => each !== found)
  }

  /** 256 bits, as letters that need no escape in an address. */
  #secret(): string {
    return Buffer.from(this.#random.bytes(32)).toString('base64url')
  }
}

/** Looks at all of them, so that the time says nothing about where one is. */
function findByDigest<T extends { readonly digest: Buffer }>(
  all: readonly T[],
  secret: string,
): T | undefined {
  const digest = digestOf(secret)
  return all.filter((each) => timingSafeEqual(each.digest, digest))[0]
}

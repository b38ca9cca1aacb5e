import type { Revision } from '../store/index.ts'

/**
 * Which stored bytes of a resource may be served as they are: those written while every server encoded like this one (same
 * version, same schema fingerprint). Others may lack a default or have a field that this release does not know; they are decoded,
 * defaulted and pruned once.
 *
 * Changes of the record and of objects come through the same watch, in one order: when an object of some revision is read, every
 * earlier change of the record has been seen.
 */
export class Trust {
  #since: Revision = Number.POSITIVE_INFINITY
  #until: Revision = Number.POSITIVE_INFINITY

  covers(revision: Revision): boolean {
    return revision > this.#since && revision <= this.#until
  }

  /** Takes over the state of another codec of the same resource that encodes alike. */
  adopt(other: Trust): void {
    this.#since = other.#since
    this.#until = other.#until
  }

  /** All servers encode like this one, since `since` at the latest. */
  uniform(since: Revision): void {
    if (this.#until !== Number.POSITIVE_INFINITY) this.#since = since
    else this.#since = Math.min(this.#since, since)
    this.#until = Number.POSITIVE_INFINITY
  }

  /** Some server encodes differently since `at`. */
  mixed(at: Revision): void {
    this.#until = Math.min(this.#until, at)
  }
}

import type { Commit } from '@strata/server/store'

/** Holds one write of an object on its way from a server to the store, encoded and sent, until it is let go. */
export class HeldWrite {
  readonly #isMeant: (key: string) => boolean
  readonly #go = Promise.withResolvers<void>()
  #key: string | undefined
  #outcome: 'stored' | 'refused' | undefined

  constructor(isMeant: (key: string) => boolean) {
    this.#isMeant = isMeant
  }

  /** The key that is being written; undefined until the write has come. */
  get key(): string | undefined {
    return this.#key
  }

  get outcome(): 'stored' | 'refused' | undefined {
    return this.#outcome
  }

  /** Called by the store for each commit that arrives. */
  async pass({ writes }: Commit, onHeld: () => void): Promise<void> {
    const key = writes.map((each) => each.key).find(this.#isMeant)
    if (key === undefined || this.#key !== undefined) return
    this.#key = key
    onHeld()
    await this.#go.promise
  }

  arrived({ writes }: Commit, outcome: 'committed' | 'refused'): void {
    if (this.#outcome !== undefined || !writes.some(({ key }) => key === this.#key)) return
    this.#outcome = outcome === 'committed' ? 'stored' : 'refused'
  }

  letGo(): void {
    this.#go.resolve()
  }
}

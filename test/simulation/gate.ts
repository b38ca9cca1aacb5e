import type { Commit, Store } from '@strata/server/store'
import type { StoreTap } from './world/fleet.ts'

/** What a server asks the store for. */
export interface Asked {
  readonly server: string
  readonly kind: 'read' | 'list' | 'commit'
  readonly keys: readonly string[]
}

/** Holds the next question of a kind on its way to the store, until it is let go. */
export class Gate implements StoreTap {
  #isMeant: ((asked: Asked) => boolean) | undefined
  #letGo: (() => void) | undefined

  get holds(): boolean {
    return this.#letGo !== undefined
  }

  hold(isMeant: (asked: Asked) => boolean): void {
    this.#isMeant = isMeant
  }

  letGo(): void {
    this.#letGo?.()
    this.#letGo = undefined
  }

  wrap({ name }: { readonly name: string }, store: Store): Store {
    const pass = async (asked: Omit<Asked, 'server'>): Promise<void> => {
      if (!this.#isMeant?.({ server: name, ...asked })) return
      this.#isMeant = undefined
      await new Promise<void>((resolve) => {
        this.#letGo = resolve
      })
    }
    const keysOf = ({ writes }: Commit): string[] => writes.map(({ key }) => key)
    return {
      ...store,
      read: async (keys, signal) => {
        await pass({ kind: 'read', keys })
        return store.read(keys, signal)
      },
      list: async (range, signal) => {
        await pass({ kind: 'list', keys: [range.prefix] })
        return store.list(range, signal)
      },
      commit: async (commit, signal) => {
        await pass({ kind: 'commit', keys: keysOf(commit) })
        return store.commit(commit, signal)
      },
    }
  }

  hooks() {
    return {}
  }
}

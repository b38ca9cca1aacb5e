import type { Transport } from '@strata/world'
import { ask } from '../support/ask.ts'
import { beaconPath } from '../support/fleet.ts'
import type { HeardObject } from './checkers/watched.ts'

const kept = 60

/** Objects that no client writes any more. Migrations write them again, restores keep them: their values must never change. */
export class RestingObjects {
  #objects: ReadonlyMap<string, HeardObject> = new Map()

  check(final: ReadonlyMap<string, HeardObject>): string[] {
    return [...this.#objects.values()]
      .filter(({ key, colour }) => final.get(key)?.colour !== colour)
      .map(
        ({ key, colour }) =>
          `${key} was ${colour} and is ${final.get(key)?.colour} now, though no client wrote it`,
      )
  }

  /** From now on all of these rest. The oldest are deleted, so that a long run does not fill the store. */
  async keep(server: Transport, final: ReadonlyMap<string, HeardObject>): Promise<void> {
    const oldestFirst = [...final.values()].sort((a, b) => roundOf(a.key) - roundOf(b.key))
    for (const { key } of oldestFirst.splice(0, Math.max(0, oldestFirst.length - kept)))
      await ask(server, 'DELETE', beaconPath('v1', key))
    this.#objects = new Map(oldestFirst.map((each) => [each.key, each]))
  }
}

const roundOf = (key: string): number => Number(/^r(\d+)-/.exec(key)?.[1] ?? 0)

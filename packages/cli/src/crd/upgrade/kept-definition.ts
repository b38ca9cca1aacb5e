import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CustomResourceDefinition, jsonEqual } from '@strata/api'

/** A CRD as it was before an upgrade, and what the upgrade wrote last. Needed only to go back. */
export interface KeptDefinition {
  readonly original: CustomResourceDefinition
  /** The spec that was sent last; undefined before the first write. */
  readonly sent?: CustomResourceDefinition['spec']
}

/** Files that only this user can read: a CRD may hold a CA bundle. */
export class KeptDefinitions {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  pathOf(name: string): string {
    return join(this.#directory, `${name}.json`)
  }

  read(name: string): KeptDefinition | undefined {
    try {
      return JSON.parse(readFileSync(this.pathOf(name), 'utf8')) as KeptDefinition
    } catch {
      // Absent, or from another release: then there is nothing to go back to.
      return undefined
    }
  }

  /** The original of an upgrade that was ended and is continued; otherwise the CRD as it is now. */
  originalOf(live: CustomResourceDefinition): CustomResourceDefinition {
    const kept = this.read(live.metadata.name ?? '')
    const isContinued =
      kept?.sent !== undefined &&
      kept.original.metadata.uid === live.metadata.uid &&
      jsonEqual(kept.sent, live.spec)
    return isContinued ? kept.original : live
  }

  /** Before each write: a process that is killed right after it must find what it has sent. */
  keep(name: string, kept: KeptDefinition): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
    const path = this.pathOf(name)
    writeFileSync(`${path}.new`, JSON.stringify(kept), { mode: 0o600 })
    renameSync(`${path}.new`, path)
  }
}

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CustomResourceDefinition, jsonEqual } from '@strata/api'

type Definition = CustomResourceDefinition

/** A CRD as it was before an upgrade, and what the upgrade has written. Needed only to go back. */
export interface KeptDefinition {
  readonly original: Definition
  /** The spec before the last write, and the one that was sent: a process that is killed leaves one of them. */
  readonly sent: readonly Definition['spec'][]
  /** That write is the last of the upgrade: a CRD with its spec has arrived, and the next upgrade begins there. */
  readonly isLast: boolean
}

/** Files that only this user can read: a CRD may hold a CA bundle. */
export class KeptDefinitions {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  /** The original as a file that `strata crd upgrade` and kubectl read. */
  pathOf(name: string): string {
    return join(this.#directory, `${name}.json`)
  }

  read(name: string): KeptDefinition | undefined {
    try {
      return JSON.parse(readFileSync(this.#statePathOf(name), 'utf8')) as KeptDefinition
    } catch {
      // Absent, or damaged: then there is nothing to go back to.
      return undefined
    }
  }

  /** The original of an upgrade that was ended and is continued; otherwise the CRD as it is now. */
  originalOf(live: Definition): Definition {
    const kept = this.read(live.metadata.name ?? '')
    if (kept === undefined || kept.original.metadata.uid !== live.metadata.uid) return live
    const hasArrived = kept.isLast && jsonEqual(kept.sent.at(-1), live.spec)
    if (hasArrived || jsonEqual(kept.original.spec, live.spec)) return live
    return kept.sent.some((each) => jsonEqual(each, live.spec)) ? kept.original : live
  }

  /** Before each write: a process that is killed right after it must find what it has sent. */
  keep(name: string, kept: KeptDefinition): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
    const { labels, annotations } = kept.original.metadata
    const manifest = {
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
      metadata: { name, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) },
      spec: kept.original.spec,
    }
    replaceFile(this.pathOf(name), manifest)
    replaceFile(this.#statePathOf(name), kept)
  }

  #statePathOf(name: string): string {
    return join(this.#directory, `${name}.state.json`)
  }
}

function replaceFile(path: string, content: unknown): void {
  writeFileSync(`${path}.new`, JSON.stringify(content), { mode: 0o600, flush: true })
  renameSync(`${path}.new`, path)
}

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CustomResourceDefinition, jsonEqual, parseLossless, storageVersionNameOf } from '@strata/api'
import { type Random, uuid } from '@strata/world'

type Definition = CustomResourceDefinition

/** A CRD as it was before an upgrade, and what the upgrade has written. Needed only to go back. */
export interface KeptDefinition {
  readonly original: Definition
  /** The spec before the last write, and the one that was sent: a process that is killed leaves one of them. */
  readonly sent: readonly Definition['spec'][]
  /** That write is the last of the upgrade: a CRD with its spec has arrived, and the next upgrade begins there. */
  readonly isLast: boolean
  /** That write moves the storage version, and what the conversion webhook keeps of the objects is compared after it. */
  readonly isUnchecked?: boolean
}

/** Files that only this user can read: a CRD may hold a CA bundle. */
export class KeptDefinitions {
  readonly #directory: string
  readonly #random: Random

  constructor(directory: string, random: Random) {
    this.#directory = directory
    this.#random = random
  }

  /** The original as a file that `strata crd upgrade` and kubectl read. */
  pathOf(name: string): string {
    return join(this.#directory, `${name}.json`)
  }

  read(name: string): KeptDefinition | undefined {
    try {
      return parseLossless(readFileSync(this.#statePathOf(name), 'utf8')) as KeptDefinition
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

  /** Whether the upgrade ended after its last write, and before it had compared what the conversion webhook keeps. */
  isUnchecked(live: Definition): boolean {
    const kept = this.read(live.metadata.name ?? '')
    const sent = kept?.sent.at(-1)
    if (kept?.isUnchecked !== true || sent === undefined) return false
    const isArrived = storageVersionNameOf({ ...live, spec: sent }) === storageVersionNameOf(live)
    return isArrived && kept.original.metadata.uid === live.metadata.uid
  }

  /** It is compared. */
  noteChecked(name: string): void {
    const { isUnchecked, ...kept } = this.read(name) ?? {}
    if (isUnchecked) this.#replace(this.#statePathOf(name), kept)
  }

  /** The uid of the CRD that an upgrade created. Undefined also if that run was killed before it could say so. */
  createdUid(name: string): string | undefined {
    try {
      return (JSON.parse(readFileSync(this.#createdPathOf(name), 'utf8')) as { uid?: string }).uid
    } catch {
      return undefined
    }
  }

  noteCreated({ metadata: { name = '', uid } }: Definition): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
    this.#replace(this.#createdPathOf(name), { uid })
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
    this.#replace(this.pathOf(name), manifest)
    this.#replace(this.#statePathOf(name), kept)
  }

  #createdPathOf(name: string): string {
    return join(this.#directory, `${name}.created.json`)
  }

  #statePathOf(name: string): string {
    return join(this.#directory, `${name}.state.json`)
  }

  /** Under a name of its own first: a second run at the same time may be about to rename the same file. */
  #replace(path: string, content: unknown): void {
    const aside = `${path}.${uuid(this.#random)}.new`
    writeFileSync(aside, JSON.stringify(content), { mode: 0o600, flush: true })
    renameSync(aside, path)
  }
}

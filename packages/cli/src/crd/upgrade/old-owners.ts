import type { ApiObject, CustomResourceDefinition } from '@strata/api'
import { counted } from '@strata/insight'
import { versionNames } from '../plan/as-applied.ts'

/**
 * Counts objects with managedFields in versions that the new CRD does not have. While such an entry is left and its version is
 * gone, every server-side apply of its object fails.
 */
export class OldOwners {
  readonly #kept: ReadonlySet<string>
  readonly #versions = new Set<string>()
  #count = 0

  constructor({ spec, ...wanted }: CustomResourceDefinition) {
    this.#kept = new Set(versionNames({ ...wanted, spec }).map((each) => `${spec.group}/${each}`))
  }

  see({ metadata }: ApiObject): void {
    const entries = (metadata.managedFields ?? []) as readonly { readonly apiVersion?: string }[]
    const old = entries.flatMap(({ apiVersion = '' }) => (this.#kept.has(apiVersion) ? [] : [apiVersion]))
    for (const each of old) this.#versions.add(each.replace(/^.*\//, ''))
    if (old.length > 0) this.#count++
  }

  /** Undefined if there are none. */
  get text(): string | undefined {
    if (this.#count === 0) return undefined
    const versions = [...this.#versions].sort().join(', ')
    const have = this.#count === 1 ? 'has' : 'have'
    return `${counted(this.#count, 'object')} ${have} managedFields in ${versions}, and each server-side apply of these fails once it is gone`
  }
}

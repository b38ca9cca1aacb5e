import type { ApiObject } from '@strata/api'

/** Which objects were compared, in which version, and as of which write. */
export class ComparedObjects {
  /** By version and uid. */
  readonly #writes = new Map<string, Map<string, string>>()

  see(versionName: string, { metadata: { uid = '', resourceVersion = '' } }: ApiObject): void {
    const writes = this.#writes.get(versionName) ?? new Map<string, string>()
    this.#writes.set(versionName, writes.set(uid, resourceVersion))
  }

  /** Whether the object, as it is now, was compared in each of these versions. */
  has(versions: readonly string[], { metadata: { uid = '', resourceVersion } }: ApiObject): boolean {
    return versions.every((each) => this.#writes.get(each)?.get(uid) === resourceVersion)
  }
}

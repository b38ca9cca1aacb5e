/**
 * Maps the ETags of API documents that clients cache to the ETags of this server. The recorded server published new CRDs a
 * moment late, so that it answered a client "not modified" too early; this server answers with the new document.
 */
export class KeptDocuments {
  readonly #kept = new Map<string, { readonly etag: string; readonly changes: number }>()
  #changes = 0

  keep(key: string, etag: string): void {
    this.#kept.set(key, { etag, changes: this.#changes })
  }

  etag(key: string): string | undefined {
    return this.#kept.get(key)?.etag
  }

  /** After a request that was answered. */
  note(method: string, path: string, status: number): void {
    const isWrite = method !== 'GET' && (status === 200 || status === 201)
    if (isWrite && path.includes('/customresourcedefinitions')) this.#changes += 1
  }

  /** Whether kinds may have come or gone since. */
  isOutdated(key: string): boolean {
    return this.#kept.get(key)?.changes !== this.#changes
  }
}

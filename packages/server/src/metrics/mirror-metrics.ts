import { familyHead, labelText, sample } from './text.ts'

const name = 'strata_origin_mirror_writes_total'

/** What the leader of an aggregated fleet sends to the aggregator. */
export class MirrorMetrics {
  readonly #writes = new Map<string, number>()

  observe({ resource, result }: { readonly resource: string; readonly result: string }): void {
    const labels = labelText({ resource, result })
    this.#writes.set(labels, (this.#writes.get(labels) ?? 0) + 1)
  }

  text(): string {
    const samples = [...this.#writes].map(([labels, count]) => sample(name, labels, count))
    const help = 'Writes of mirrored Leases and StorageVersions to the aggregator.'
    return familyHead(name, 'counter', help) + samples.join('')
  }
}

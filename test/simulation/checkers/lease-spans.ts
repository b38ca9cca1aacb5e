import type { Lease } from '@strata/api'
import type { History } from '../history.ts'
import { leasePrefix } from '../keys.ts'
import { leaseIn } from './stored-json.ts'

interface Spans {
  readonly lease: Lease
  readonly spans: { readonly fromMs: number; toMs: number }[]
}

/** The Leases with one value of the identity label, by name, and when each of them came and went. */
export class LeaseSpans {
  readonly #all = new Map<string, Spans>()

  constructor({ commits }: History, value: 'kube-apiserver' | 'aggregated-apiserver') {
    for (const { atMs, changes } of commits) {
      for (const change of changes) {
        if (!change.key.startsWith(leasePrefix)) continue
        const name = change.key.slice(leasePrefix.length)
        const lease = change.kind === 'put' ? leaseIn(change.value) : undefined
        const isMeant = lease?.metadata.labels?.['apiserver.kubernetes.io/identity'] === value
        const last = this.#all.get(name)?.spans.at(-1)
        if (lease && isMeant && (!last || last.toMs <= atMs)) this.#begin(name, lease, atMs)
        else if (!isMeant && last) last.toMs = Math.min(last.toMs, atMs)
      }
    }
  }

  #begin(name: string, lease: Lease, fromMs: number): void {
    const known = this.#all.get(name) ?? { lease, spans: [] }
    known.spans.push({ fromMs, toMs: Number.POSITIVE_INFINITY })
    this.#all.set(name, known)
  }

  get names(): readonly string[] {
    return [...this.#all.keys()]
  }

  /** As it was first. */
  get(name: string): Lease | undefined {
    return this.#all.get(name)?.lease
  }

  /** Whether it stood for all of the time. */
  stoodFor(name: string, fromMs: number, toMs: number): boolean {
    return this.#all.get(name)?.spans.some((each) => each.fromMs <= fromMs && each.toMs > toMs) ?? false
  }
}

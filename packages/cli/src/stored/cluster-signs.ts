import type { KeyPlace } from './key-place.ts'

/** Enough to recognize a cluster; there may be thousands. */
const mostKept = 20
/** The API server lets no client delete them. */
export const permanentNamespaces = ['kube-system', 'default', 'kube-public'] as const

/** By what a store can be recognized as that of a cluster: uids by name. */
export class ClusterSigns {
  readonly namespaces = new Map<string, string>()
  readonly definitions = new Map<string, string>()
  /** When each API server renewed its identity Lease last, by its own clock. */
  readonly renewals = new Map<string, number>()

  /** `decode` is called only for objects that matter here. */
  see({ prefix, object }: KeyPlace, decode: () => unknown): void {
    if (prefix === 'leases' && object.startsWith(identityPrefix)) this.#seeLease(object, decode())
    const kept =
      prefix === 'namespaces' ? this.namespaces : prefix === definitionsPrefix ? this.definitions : undefined
    if (kept === undefined) return
    const isWanted = prefix === 'namespaces' && permanentNamespaces.some((each) => each === object)
    if (kept.size >= mostKept && !isWanted) return
    const uid = (decode() as { metadata?: { uid?: unknown } } | undefined)?.metadata?.uid
    if (typeof uid === 'string' && uid !== '') kept.set(object, uid)
  }

  #seeLease(object: string, lease: unknown): void {
    const renewTime = (lease as { spec?: { renewTime?: unknown } } | undefined)?.spec?.renewTime
    const ms = typeof renewTime === 'string' ? Date.parse(renewTime) : Number.NaN
    const name = object.slice(object.indexOf('/') + 1)
    if (!Number.isNaN(ms) && this.renewals.size < mostKept) this.renewals.set(name, ms)
  }
}

/** The identity Leases of API servers, as they and Strata's are named. */
const identityPrefix = 'kube-system/apiserver-'

const definitionsPrefix = 'apiextensions.k8s.io/customresourcedefinitions'

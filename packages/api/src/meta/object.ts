export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

export interface ObjectMeta {
  name?: string
  generateName?: string
  namespace?: string
  uid?: string
  /** On the wire only. In the store the same fact is the entry's revision, and is never in the bytes. */
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  finalizers?: string[]
  ownerReferences?: OwnerReference[]
  selfLink?: string
  managedFields?: readonly unknown[] | undefined
}

/** Any object of the API, as JSON has it. Kinds narrow it with fields of their own. */
export interface ApiObject {
  apiVersion?: string
  kind?: string
  metadata: ObjectMeta
  [field: string]: unknown
}

export interface ListMeta {
  resourceVersion?: string
  continue?: string
  remainingItemCount?: number
}

export interface ApiList<T = ApiObject> {
  apiVersion: string
  kind: string
  metadata: ListMeta
  items: T[]
}

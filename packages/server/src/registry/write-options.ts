/** How a client wants something written. */
export interface WriteOptions {
  /** Everything but the write itself. */
  readonly dryRun: boolean
  /** Who owns the fields that are changed. */
  readonly manager: string
  /** Throws unless the client may create what it only said to change: an apply and some updates make what is missing. */
  readonly mayCreate?: () => void
}

/** How a write is planned. */
export interface PlanOptions extends WriteOptions {
  readonly subresource?: string
  /** The object says already who owns what. */
  readonly owned?: boolean
}

/** For what the server writes by itself. */
export const systemWrite: WriteOptions = { dryRun: false, manager: 'kube-apiserver' }

/** How a client wants something written. */
export interface WriteOptions {
  /** Everything but the write itself. */
  readonly dryRun: boolean
  /** Who owns the fields that are changed. */
  readonly manager: string
}

/** For what the server writes by itself. */
export const systemWrite: WriteOptions = { dryRun: false, manager: 'kube-apiserver' }

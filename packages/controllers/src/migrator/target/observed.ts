import type { ApiObject } from '@strata/api'
import { isForbidden, isNotFound, type ResourceClient } from '@strata/client'

/** An object as it was read. `hidden`: this client has no right to read it, so it may exist. */
export type Observed<T> =
  | { readonly kind: 'found'; readonly object: T }
  | { readonly kind: 'absent' }
  | { readonly kind: 'hidden' }

/** Throws if the object cannot be read now: unknown is not absent. */
export async function observe<T extends ApiObject>(
  resource: ResourceClient<T>,
  name: string,
  signal: AbortSignal,
): Promise<Observed<T>> {
  try {
    return { kind: 'found', object: await resource.get({ name }, signal) }
  } catch (error) {
    // Also if the cluster does not serve the kind. If a proxy answers 404 by mistake, the target comes from a weaker source than
    // before, and so counts as changed.
    if (isNotFound(error)) return { kind: 'absent' }
    if (isForbidden(error)) return { kind: 'hidden' }
    throw error
  }
}

import type { Registry, ServedResource, Written } from '../../registry/index.ts'
import type { RequestContext, ResourceTarget } from '../request-context.ts'

/** Subresources that can be patched. */
export type PatchedPart = 'status' | 'scale'

export interface PatchRequest {
  readonly registry: Registry
  readonly context: RequestContext
  readonly resource: ServedResource
  readonly target: ResourceTarget
  readonly subresource: PatchedPart | undefined
}

/** Applies patches of one media type. */
export type PatchMethod = (request: PatchRequest) => Promise<Written>

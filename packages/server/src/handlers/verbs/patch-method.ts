import type { Registry, ServedResource, Written } from '../../registry/index.ts'
import type { RequestContext, ResourceTarget } from '../request-context.ts'

/** Parts of objects that can be patched. */
export type PatchedPart = 'status' | 'scale'

export interface PatchRequest {
  readonly registry: Registry
  readonly context: RequestContext
  readonly resource: ServedResource
  readonly target: ResourceTarget
  readonly subresource: PatchedPart | undefined
}

/** What one media type of patches means. */
export type PatchMethod = (request: PatchRequest) => Promise<Written>

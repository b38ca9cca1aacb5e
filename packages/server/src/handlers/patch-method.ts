import type { Registry, ServedResource, Written } from '../registry/index.ts'
import type { RequestContext, ResourceTarget } from './request-context.ts'

export interface PatchRequest {
  readonly registry: Registry
  readonly context: RequestContext
  readonly resource: ServedResource
  readonly target: ResourceTarget
  readonly subresource: 'status' | undefined
}

/** What one media type of patches means. */
export type PatchMethod = (request: PatchRequest) => Promise<Written>

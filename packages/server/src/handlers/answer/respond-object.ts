import type { HttpResponse } from '@strata/world'
import type { ServedResource, Written } from '../../registry/index.ts'
import { respondBytes } from './respond.ts'

/** A stored object in the version of the request. A conversion webhook may have to be called first. */
export async function respondObject(
  status: number,
  { codec, apiVersion }: ServedResource,
  { value, revision }: Pick<Written, 'value' | 'revision'>,
): Promise<HttpResponse> {
  if (codec.needsWebhook) await codec.ready([value], apiVersion)
  return respondBytes(status, codec.serve(value, revision, apiVersion))
}

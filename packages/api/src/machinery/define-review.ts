import type { ApiObject } from '../meta/object.ts'
import { defineResource, type ResourceDefinition } from './define-resource.ts'
import { identityVersion } from './identity-version.ts'
import type { Schema } from './schema.ts'

/** A kind of question, in the one version that there is. */
export function defineReview<Review extends ApiObject>(options: {
  readonly group: string
  readonly kind: string
  /** The plural name, if it is not the singular with an s. */
  readonly plural?: string
  /** Defaults to v1. */
  readonly versionName?: string
  readonly scope: 'Namespaced' | 'Cluster'
  readonly schema: Schema
}): ResourceDefinition<Review> {
  const { group, kind, scope, schema, plural = `${kind.toLowerCase()}s`, versionName = 'v1' } = options
  return defineResource<Review>({
    group,
    kind,
    plural,
    scope,
    typed: true,
    isReview: true,
    versions: { [versionName]: identityVersion<Review>(schema) },
    preferredStorageVersion: versionName,
    // Where its objects would be; there are none.
    storagePrefix: plural,
    strategy: { verbs: ['create'] },
  })
}

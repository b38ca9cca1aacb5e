import type { ApiObject } from '../meta/object.ts'
import { defineResource, type ResourceDefinition } from './define-resource.ts'
import { identityVersion, objectSchema } from './identity-version.ts'

/**
 * A kind of upstream that clients list and watch, and that this server does not implement. Servers built on k8s.io/apiserver
 * become ready only when they could list these kinds. No client can create an object: an accepted one would seem to
 * have an effect.
 */
export function defineEmptyKind(options: {
  readonly group: string
  readonly kind: string
  readonly plural: string
  readonly categories?: readonly string[]
  readonly hasStatus?: boolean
  /** What an object is on other servers. */
  readonly description: string
  /** Why none can be created here. */
  readonly why: string
}): ResourceDefinition {
  const { group, kind, plural, categories, hasStatus = false, description, why } = options
  const status = { type: 'object', description: 'What the server has found about the object.' } as const
  const schema = objectSchema({
    spec: { type: 'object', description: 'Not described: there are no objects of this kind.' },
    ...(hasStatus ? { status } : {}),
  })
  return defineResource<ApiObject>({
    ...{ group, kind, plural, scope: 'Cluster', typed: true },
    ...(categories ? { categories } : {}),
    versions: { v1: identityVersion({ ...schema, description: `${description} Here: ${why}.` }) },
    preferredStorageVersion: 'v1',
    // Where upstream has them.
    storagePrefix: plural,
    ...(hasStatus ? { subresources: { status: true } } : {}),
    strategy: { verbs: ['get', 'list', 'watch'], whyReadOnly: why },
  })
}

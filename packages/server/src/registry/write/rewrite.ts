import { type ApiObject, cloneJson, tooLarge } from '@strata/api'
import type { Entry } from '../../store/index.ts'
import type { Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import { shownObject } from './keep-unknown.ts'
import { finish, planUpdate } from './plan-update.ts'
import { adopt, type Target } from './update-object.ts'
import { type Current, maxValueBytes, type Plan } from './write-object.ts'
import { systemWrite } from './write-options.ts'

export interface RewriteOptions {
  readonly target: Target
  readonly encodingVersion: string
  /** Whose name new fields get, if defaults bring some: the same who would patch it. */
  readonly manager: string
  /** What stands, as if a client had sent it: read by the version's schema, with its defaults. */
  readonly decode: (object: ApiObject, resource: ServedResource) => ApiObject
}

/**
 * The bytes that would stand after a patch that says nothing, in the version that the resource is given in: no admission,
 * everything else. Undefined if nothing would stand: the object is being deleted, and nobody keeps it any more.
 */
export function rewritten(
  registry: Registry,
  resource: ServedResource,
  entry: Entry,
  options: RewriteOptions,
): Uint8Array | undefined {
  const { codec, apiVersion, definition } = resource
  const renewed = codec.renewed?.(entry.value, apiVersion)
  if (renewed?.isSame) {
    const { object } = renewed
    adopt(resource, options.target, object)
    const plan = finish(resource, object, object)
    return plan.do === 'put' ? encoded(resource, plan, options) : undefined
  }
  const mayHoldUnknown = !codec.isKnown(entry.value, entry.revision)
  const hub = codec.decodeIn(entry.value, apiVersion)
  const current: Current = { entry, hub, mayHoldUnknown }
  const { document, holdsUnknown } = shownObject(resource, current)
  const next = options.decode({ ...cloneJson(document), apiVersion, kind: definition.kind }, resource)
  adopt(resource, options.target, next)
  // What reading it anew has changed, it changes as any other write does: owners of fields, generation.
  const how = { ...systemWrite, manager: options.manager, holdsUnknown }
  const plan = planUpdate(registry, resource, next, entry.revision, current, how)
  return plan.do === 'put' ? encoded(resource, plan, options, mayHoldUnknown) : undefined
}

function encoded(
  { codec }: ServedResource,
  { hub, holdsUnknown = false }: Plan & { readonly do: 'put' },
  { encodingVersion }: RewriteOptions,
  mayHoldUnknown = false,
): Uint8Array {
  const value = codec.encode(hub, encodingVersion, mayHoldUnknown || holdsUnknown)
  if (value.length > maxValueBytes) throw tooLarge(maxValueBytes)
  return value
}

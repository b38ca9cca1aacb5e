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
  /** The manager of fields that defaults add, as if it had patched the object. */
  readonly manager: string
  /** Reads the stored object as if a client had sent it: by the schema of the version, with its defaults. */
  readonly decode: (object: ApiObject, resource: ServedResource) => ApiObject
}

/**
 * The bytes after an empty patch in the version of the resource: everything but admission. Undefined if nothing would be stored:
 * the object is being deleted and has no finalizers.
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
  // Changes that the new decoding makes are treated like any write: field owners, generation.
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

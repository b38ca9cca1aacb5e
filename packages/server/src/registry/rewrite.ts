import { type ApiObject, cloneJson, tooLarge } from '@strata/api'
import type { Entry } from '../store/index.ts'
import { shownObject } from './keep-unknown.ts'
import { finish, planUpdate } from './plan-update.ts'
import type { Registry } from './registry.ts'
import type { ServedResource } from './served-api.ts'
import { adopt, type Target } from './update.ts'
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
  const mayHoldUnknown = !codec.isKnown(entry.value, entry.revision)
  const hub = codec.decodeIn(entry.value, apiVersion)
  const current: Current = { entry, hub, mayHoldUnknown }
  const shown = shownObject(resource, current)
  const before = JSON.stringify(shown.document)
  // A custom resource has no hub: what is shown is what was read, and nobody else has it.
  const document = definition.isCustom ? shown.document : cloneJson(shown.document)
  const next = options.decode({ ...document, apiVersion, kind: definition.kind }, resource)
  adopt(resource, options.target, next)
  const isSame = definition.isCustom && JSON.stringify(next) === before
  const plan = isSame ? finish(resource, next, next) : planned(registry, resource, next, current, options)
  if (plan.do === 'delete') return undefined
  const holdsUnknown = mayHoldUnknown || plan.holdsUnknown === true
  const value = codec.encode(plan.hub, options.encodingVersion, holdsUnknown)
  if (value.length > maxValueBytes) throw tooLarge(maxValueBytes)
  return value
}

/** What reading it anew has changed, it changes as any other write does: owners of fields, generation. */
function planned(
  registry: Registry,
  resource: ServedResource,
  next: ApiObject,
  { entry, mayHoldUnknown }: Current,
  { manager }: RewriteOptions,
): Plan {
  // Read once more: what was read may have become a part of what shall stand.
  const hub = resource.codec.decodeIn(entry.value, resource.apiVersion)
  const current = { entry, hub, mayHoldUnknown }
  const { holdsUnknown } = shownObject(resource, current)
  const options = { ...systemWrite, manager, holdsUnknown }
  return planUpdate(registry, resource, next, entry.revision, current, options)
}

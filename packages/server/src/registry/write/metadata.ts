import { type ApiObject, badRequest, type ResourceDefinition } from '@strata/api'
import { integer, type Random, timestamp, uuid, type World } from '@strata/world'

const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789'
const suffixLength = 5
const maxBaseLength = 63 - suffixLength

/** The shortened base, and five random characters without vowels, so that they form no words. */
function generateName(base: string, random: Random): string {
  let name = base.slice(0, maxBaseLength)
  for (let each = 0; each < suffixLength; each++) {
    name += suffixAlphabet[integer(random, suffixAlphabet.length)]
  }
  return name
}

/** The namespace in the body must be that of the path; empty is filled in. */
export function adoptNamespace(object: ApiObject, definition: ResourceDefinition, namespace: string): void {
  const { metadata } = object
  if (definition.scope === 'Cluster') {
    delete metadata.namespace
    return
  }
  if (metadata.namespace !== undefined && metadata.namespace !== '' && metadata.namespace !== namespace) {
    throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`)
  }
  metadata.namespace = namespace
}

/** Removes the fields that only the server sets. */
export function forgetSystemFields({ metadata }: ApiObject): void {
  delete metadata.uid
  delete metadata.creationTimestamp
  delete metadata.deletionTimestamp
  delete metadata.deletionGracePeriodSeconds
  delete metadata.selfLink
}

/** Sets the server's metadata on a new object, whatever the client sent. */
export function fillMetadata(object: ApiObject, definition: ResourceDefinition, world: World): void {
  const { metadata } = object
  delete metadata.deletionTimestamp
  delete metadata.deletionGracePeriodSeconds
  delete metadata.selfLink
  if (!metadata.name && metadata.generateName) {
    metadata.name = generateName(metadata.generateName, world.random)
  }
  metadata.uid = uuid(world.random)
  metadata.creationTimestamp = timestamp(world.clock)
  // Kinds without a generation keep the client's value, as upstream does.
  if (definition.strategy.tracksGeneration) metadata.generation = 1
}

/** Carries over immutable metadata from the stored object. */
export function keepMetadata(object: ApiObject, stored: ApiObject): void {
  const { metadata } = object
  const kept = stored.metadata
  for (const field of [
    'uid',
    'creationTimestamp',
    'generation',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
  ] as const) {
    if (kept[field] === undefined) delete metadata[field]
    else Object.assign(metadata, { [field]: kept[field] })
  }
  delete metadata.selfLink
}

import {
  type ApiObject,
  boolean,
  defineResource,
  type FieldError,
  integer,
  invalid,
  objectSchema,
  text,
  type VersionDefinition,
} from '@strata/api'

interface BeaconV1 extends ApiObject {
  spec: { everySeconds: number; colour?: string }
}

/** The hub: what validation and handlers see. Today it has the shape of v2; it need not stay so. */
export interface Beacon extends ApiObject {
  spec: { periodMs: number; silent?: boolean; colour?: string }
}

const silentAnnotation = 'lighthouse.example.dev/silent'
const periodAnnotation = 'lighthouse.example.dev/period-ms'

function annotate<T extends ApiObject>(object: T, name: string, value: string | undefined): void {
  const { [name]: _, ...annotations } = object.metadata.annotations ?? {}
  if (value !== undefined) annotations[name] = value
  const { annotations: __, ...metadata } = object.metadata
  object.metadata = Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations }
}

const colour = { ...text, default: 'white', description: 'The colour of the light.' }

// v1 has no word for silence and none for parts of a second, so both travel in annotations. Were they dropped,
// an old client reading a beacon and writing it back would wake every silent one.
const v1: VersionDefinition<BeaconV1, Beacon> = {
  schema: objectSchema(
    {
      spec: {
        type: 'object',
        description: 'How the beacon shines.',
        required: ['everySeconds'],
        properties: {
          everySeconds: { ...integer, minimum: 1, description: 'Seconds from one flash to the next.' },
          colour,
        },
      },
    },
    ['spec'],
  ),
  toHub: ({ spec: { everySeconds, ...rest }, ...object }) => {
    const exact = Number(object.metadata.annotations?.[periodAnnotation])
    // The annotation counts only while it still says the same as the field, which an old client may have changed.
    const periodMs = Math.ceil(exact / 1000) === everySeconds ? exact : everySeconds * 1000
    const silent = object.metadata.annotations?.[silentAnnotation] === 'true'
    const hub: Beacon = { ...object, spec: { periodMs, ...(silent ? { silent } : {}), ...rest } }
    annotate(hub, silentAnnotation, undefined)
    annotate(hub, periodAnnotation, undefined)
    return hub
  },
  fromHub: ({ spec: { periodMs, silent, ...rest }, ...object }) => {
    const wire: BeaconV1 = { ...object, spec: { everySeconds: Math.ceil(periodMs / 1000), ...rest } }
    annotate(wire, silentAnnotation, silent ? 'true' : undefined)
    annotate(wire, periodAnnotation, periodMs % 1000 === 0 ? undefined : String(periodMs))
    return wire
  },
}

const v2: VersionDefinition<Beacon, Beacon> = {
  schema: objectSchema(
    {
      spec: {
        type: 'object',
        description: 'How the beacon shines.',
        required: ['periodMs'],
        properties: {
          periodMs: {
            ...integer,
            minimum: 1,
            description: 'Milliseconds from one flash to the next, a day at most.',
          },
          silent: { ...boolean, description: 'True if the beacon makes no sound.' },
          colour,
        },
      },
    },
    ['spec'],
  ),
  toHub: (beacon) => beacon,
  fromHub: (beacon) => beacon,
}

function validate({ spec }: Beacon): FieldError[] {
  return spec.periodMs > 86_400_000
    ? [invalid('spec.periodMs', spec.periodMs, 'must be at most a day, 86400000')]
    : []
}

/**
 * A kind that lives through four releases: the fastest evolution that the deprecation policy allows (KEP "Coordinated dynamic
 * storage version", "The selected storage version is supported by all API servers during upgrades/downgrades").
 */
export const beacons = defineResource<Beacon>({
  group: 'lighthouse.example.dev',
  kind: 'Beacon',
  plural: 'beacons',
  shortNames: ['bc'],
  scope: 'Namespaced',
  versions: { v1, v2 },
  // A preference, not a promise: the version actually written is the one the servers agree on.
  preferredStorageVersion: 'v2',
  releases: {
    x: { decodable: ['v1'], served: ['v1'], preferredStorage: 'v1' },
    'x+1': { decodable: ['v1', 'v2'], served: ['v1', 'v2'], preferredStorage: 'v1' },
    'x+2': { decodable: ['v1', 'v2'], served: ['v1', 'v2'], preferredStorage: 'v2' },
    'x+3': { decodable: ['v2'], served: ['v2'], preferredStorage: 'v2' },
  },
  storagePrefix: 'lighthouse.example.dev/beacons',
  strategy: { validate, tracksGeneration: true, allowUnconditionalUpdate: true },
})

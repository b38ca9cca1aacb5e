import {
  type ApiObject,
  defineResource,
  integer,
  invalid,
  objectSchema,
  text,
  type VersionDefinition,
} from '@strata/api'

/** The hub: what validation sees, and what every version is converted to and from. Here it has the shape of v2. */
export interface Gadget extends ApiObject {
  spec: { owner: string; weight: { grams: number; packagingGrams?: number } }
}

interface GadgetV1 extends ApiObject {
  spec: { owner: string; grams: number }
}

const owner = { ...text, minLength: 1, description: 'Who answers for the gadget.' }
const grams = { ...integer, minimum: 1, description: 'The weight in grams.' }

/** v1 has no field for the packaging. Dropped, it would be lost when an old client reads a gadget and writes it back. */
const packagingAnnotation = 'shop.example.dev/packaging-grams'

const v1: VersionDefinition<GadgetV1, Gadget> = {
  schema: objectSchema(
    {
      spec: {
        type: 'object',
        description: 'What the gadget is.',
        required: ['owner', 'grams'],
        properties: { owner, grams },
      },
    },
    ['spec'],
  ),
  toHub: ({ spec, metadata, ...object }) => {
    const { [packagingAnnotation]: packaging, ...annotations } = metadata.annotations ?? {}
    const { annotations: _, ...plain } = metadata
    return {
      ...object,
      metadata: Object.keys(annotations).length === 0 ? plain : { ...plain, annotations },
      spec: {
        owner: spec.owner,
        weight: {
          grams: spec.grams,
          ...(packaging === undefined ? {} : { packagingGrams: Number(packaging) }),
        },
      },
    }
  },
  fromHub: ({ spec: { owner: name, weight }, metadata, ...object }) => ({
    ...object,
    metadata:
      weight.packagingGrams === undefined
        ? metadata
        : {
            ...metadata,
            annotations: { ...metadata.annotations, [packagingAnnotation]: String(weight.packagingGrams) },
          },
    spec: { owner: name, grams: weight.grams },
  }),
}

const v2: VersionDefinition<Gadget, Gadget> = {
  schema: objectSchema(
    {
      spec: {
        type: 'object',
        description: 'What the gadget is.',
        required: ['owner', 'weight'],
        properties: {
          owner,
          weight: {
            type: 'object',
            description: 'How heavy it is.',
            required: ['grams'],
            properties: {
              grams,
              packagingGrams: { ...integer, minimum: 0, description: 'The weight of its packaging.' },
            },
          },
        },
      },
    },
    ['spec'],
  ),
  toHub: (object) => object,
  fromHub: (hub) => hub,
  additionalPrinterColumns: [
    { name: 'Owner', type: 'string', jsonPath: '.spec.owner' },
    { name: 'Grams', type: 'integer', jsonPath: '.spec.weight.grams' },
  ],
}

export const gadgets = defineResource<Gadget>({
  group: 'shop.example.dev',
  kind: 'Gadget',
  plural: 'gadgets',
  scope: 'Namespaced',
  versions: { v2, v1 },
  preferredStorageVersion: 'v2',
  storagePrefix: 'shop.example.dev/gadgets',
  // The releases of your product. A release reads a version before any release writes it, so that each upgrade by one
  // release, and the way back, leaves everything readable. `strata check --to` tells about larger steps.
  releases: {
    '1.0': { decodable: ['v1'], served: ['v1'], preferredStorage: 'v1' },
    '1.1': { decodable: ['v1', 'v2'], served: ['v1', 'v2'], preferredStorage: 'v1' },
    '1.2': { decodable: ['v1', 'v2'], served: ['v1', 'v2'], preferredStorage: 'v2' },
    '2.0': { decodable: ['v2'], served: ['v2'], preferredStorage: 'v2' },
  },
  strategy: {
    validate: ({ spec: { weight } }) =>
      (weight.packagingGrams ?? 0) < weight.grams
        ? []
        : [
            invalid(
              'spec.weight.packagingGrams',
              weight.packagingGrams,
              'must be less than spec.weight.grams',
            ),
          ],
    tracksGeneration: true,
  },
})

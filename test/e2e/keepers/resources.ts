import { type ApiObject, defineResource, identityVersion, objectSchema, text } from '@strata/api'

/** A lamp and what its keeper says of it. For controllers that are written with other people's libraries. */
interface Lamp extends ApiObject {
  spec: { colour?: string }
  status?: { shines?: string; keeper?: string }
}

const lamps = defineResource<Lamp>({
  group: 'keepers.example.dev',
  kind: 'Lamp',
  plural: 'lamps',
  scope: 'Namespaced',
  versions: {
    v1: identityVersion<Lamp>(
      objectSchema({
        spec: { type: 'object', properties: { colour: text } },
        status: { type: 'object', properties: { shines: text, keeper: text } },
      }),
    ),
  },
  preferredStorageVersion: 'v1',
  storagePrefix: 'keepers.example.dev/lamps',
  subresources: { status: true },
  strategy: { tracksGeneration: true },
})

export const resources = [lamps]

import { type ResourceDefinition, resourceAtRelease } from '@strata/api'
import { builtInResources } from '@strata/server'
import { createCodec, MalformedJson, UndecodableObject } from '@strata/server/readers'
import { chance, pick } from '@strata/world'
import { resources as lighthouse } from '../../../examples/lighthouse/resources.ts'
import { jsonValue, mutateJson } from '../generate/json.ts'
import { mutateBytes } from '../generate/mutate-text.ts'
import { expect, pureTarget, shown } from '../target.ts'
import { recordedBodies } from './recorded.ts'

type Codec = ReturnType<typeof createCodec>

/** Objects as people have sent them, those of each kind under its resource. */
const examplesOf = ({ group, kind }: ResourceDefinition): readonly Record<string, unknown>[] =>
  (recordedBodies() as readonly Record<string, unknown>[]).filter(
    (each) => each['kind'] === kind && String(each['apiVersion']).startsWith(group),
  )

export const storedValue = pureTarget<{ readonly resource: string; readonly bytes: string }>({
  name: 'stored-value',
  about:
    'damaged, old and foreign bytes in the store: served as JSON of the kind, or refused with the name of the object',
  share: 10,
  open: () => {
    const definitions = [...builtInResources, ...lighthouse] as unknown as readonly ResourceDefinition[]
    const codecs = new Map<string, Codec>(
      definitions.flatMap((each) => {
        const release = resourceAtRelease(each, 'x+1')
        return release ? [[each.resource, createCodec(each, release)]] : []
      }),
    )
    const names = [...codecs.keys()] as [string, ...string[]]
    const samples = new Map(definitions.map((each) => [each.resource, examplesOf(each)]))
    return {
      generate: (random) => {
        const resource = pick(random, names)
        const codec = codecs.get(resource)
        const blank = {
          apiVersion: codec?.preferredVersion,
          kind: codec?.definition.kind,
          metadata: { name: 'a' },
        }
        const example = pick(random, [blank, ...(samples.get(resource) ?? [])])
        const versioned = { ...example, apiVersion: pick(random, [blank.apiVersion, 'v0', 'example.com/v9']) }
        const object = chance(random, 0.8) ? versioned : example
        const damaged = chance(random, 0.6) ? mutateJson(random, object, () => jsonValue(random, 2)) : object
        const text = Buffer.from(JSON.stringify(damaged)).toString('latin1')
        return {
          resource,
          bytes: chance(random, 0.4) ? mutateBytes(random, text, 'k8s:enc:aesgcm:v1:key1:abc') : text,
        }
      },
      check: ({ resource, bytes }) => {
        const codec = codecs.get(resource)
        if (!codec) return 'refused'
        const stored = Buffer.from(bytes, 'latin1')
        try {
          codec.storedVersion(stored)
          const { hub, storedVersion } = codec.decode(stored)
          expect(
            codec.decodableVersions.concat(codec.equivalentVersions).includes(storedVersion),
            () => storedVersion,
          )
          for (const version of codec.servedVersions) serves(codec, stored, version)
          // The second time all defaults are there.
          const rewritten = (bytes: Uint8Array): Uint8Array =>
            codec.encode(codec.decode(bytes).hub, codec.preferredVersion)
          const encoded = rewritten(codec.encode(hub, codec.preferredVersion))
          const again = rewritten(encoded)
          expect(
            codec.isCurrent(encoded, again),
            () => `encodes ${shown(String(encoded))}, and what that says as ${shown(String(again))}`,
          )
          return 'accepted'
        } catch (error) {
          if (error instanceof UndecodableObject || error instanceof MalformedJson) return 'refused'
          throw error
        }
      },
    }
  },
})

/** The response is JSON, in the requested version, at the revision of the write. */
function serves(codec: Codec, stored: Uint8Array, apiVersion: string): void {
  const text = Buffer.from(codec.serve(stored, 7, apiVersion)).toString('utf8')
  const object = JSON.parse(text) as Record<string, unknown>
  const { resourceVersion } = object['metadata'] as Record<string, unknown>
  expect(
    object['apiVersion'] === apiVersion &&
      object['kind'] === codec.definition.kind &&
      resourceVersion === '7',
    () => `serves ${shown(text)} as ${apiVersion}`,
  )
}

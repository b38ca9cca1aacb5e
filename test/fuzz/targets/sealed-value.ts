import { Encryption, type EncryptionConfiguration, loadCiphers } from '@strata/server'
import { CannotOpen } from '@strata/server/readers'
import { chance, integer, pick } from '@strata/world'
import { createSimRandom, Simulation } from '@strata/world/sim'
import { mutateBytes } from '../generate/mutate-text.ts'
import { expect, pureTarget, shown } from '../target.ts'

const kinds = ['aescbc', 'aesgcm', 'secretbox'] as const
const plain =
  '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"},"data":{"password":"YWJjZGVmZ2hpamtsbW5vcA=="}}'
const resource = { group: '', resource: 'secrets' }

export const sealedValue = pureTarget<{
  readonly kind: number
  readonly damage: string
  readonly path: string
}>({
  name: 'sealed-value',
  about: 'encrypted values that were damaged or moved: decrypted to the original, or refused',
  share: 6,
  open: async () => {
    const ciphers = await loadCiphers()
    const random = createSimRandom('keys')
    const rings = kinds.map((kind) => {
      const keys = ['key1', 'key2'].map((name) => ({ name, secret: Buffer.from(random.bytes(32)) }))
      const configuration: EncryptionConfiguration = {
        rules: [{ resources: ['secrets'], providers: [{ kind, keys }] }],
      }
      const world = new Simulation('sealed values').process('a')
      const encryption = Encryption.createLoaded(configuration, { world, ciphers, isPlain: () => false })
      const ring = encryption.ringOf(resource)
      const [key = ''] = ring?.writable ?? []
      const samples = Array.from({ length: 8 }, () =>
        Buffer.from(ring?.seal(key, Buffer.from(plain), '/a') ?? []),
      )
      return { ring, samples: samples.map((each) => each.toString('latin1')) as [string, ...string[]] }
    })
    return {
      generate: (each) => {
        const kind = integer(each, kinds.length)
        const { samples } = rings[kind] ?? { samples: [''] as [string] }
        const whole = pick(each, samples)
        const damage = chance(each, 0.1) ? whole : mutateBytes(each, whole, pick(each, samples))
        return { kind, damage, path: chance(each, 0.8) ? '/a' : '/b' }
      },
      check: async ({ kind, damage, path }) => {
        const entry = rings[kind % kinds.length]
        if (!entry?.ring) return 'refused'
        try {
          const { value } = await entry.ring.open(Buffer.from(damage, 'latin1'), path)
          const opened = Buffer.from(value).toString()
          // CBC authenticates nothing: kube-apiserver warns of it too. Only the shape of an object is asked for.
          expect(
            opened === plain || kinds[kind] === 'aescbc',
            () => `opened to ${shown(opened)}, which was never encrypted`,
          )
          expect(
            kinds[kind] !== 'aesgcm' || path === '/a',
            () => 'opened at another place than it was sealed for',
          )
          return 'accepted'
        } catch (error) {
          if (error instanceof CannotOpen) return 'refused'
          throw error
        }
      },
    }
  },
})

import {
  boltFile,
  checkSnapshot,
  DamagedFile,
  lastRevision,
  latestEntries,
  placeOf,
  randomAccessOf,
  readValue,
  withChecksum,
} from '@strata/cli/store-readers-for-test'
import { chance, integer, pick } from '@strata/world'
import { expect, pureTarget } from '../target.ts'

const values = [
  '{"apiVersion":"light.example.dev/v1","kind":"Lamp"}',
  'k8s\0\n\r\n\x07apps/v1\x12\x02De',
  'k8s:enc:aesgcm:v1:key1:sealed',
]
const changes = Array.from({ length: 150 }, (_, at) => ({
  key: `/registry/light.example.dev/lamps/default/lamp-${at % 60}`,
  value: Buffer.from(values[at % values.length] ?? '', 'latin1'),
}))

interface Flip {
  readonly at: number
  readonly bit: number
}

export const etcdFile = pureTarget<{
  readonly flips: readonly Flip[]
  readonly end: number
  readonly isSaved: boolean
}>({
  name: 'etcd-file',
  about:
    'snapshots of etcd with flipped bits or cut off: read to an end, or refused with the place in the file',
  share: 4,
  open: () => {
    const database = boltFile(changes)
    // Most of a page is empty: bits are flipped where there is something.
    const filled = [...database.keys()].filter((at) => database[at] !== 0) as [number, ...number[]]
    const files = { saved: withChecksum(database), copied: database }
    return {
      generate: (random) => {
        const flip = (): Flip => ({
          at: chance(random, 0.7) ? pick(random, filled) : integer(random, database.length),
          bit: integer(random, 8),
        })
        const flips = Array.from({ length: integer(random, 4) }, flip)
        const end = chance(random, 0.1) ? integer(random, database.length) : -1
        return { flips, end, isSaved: chance(random, 0.5) }
      },
      check: ({ flips, end, isSaved }) => {
        const bytes = Buffer.from(isSaved ? files.saved : files.copied)
        for (const { at, bit } of flips) bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
        const file = randomAccessOf(end < 0 ? bytes : bytes.subarray(0, end))
        checkSnapshot(file)
        try {
          lastRevision(file)
          let entries = 0
          for (const { key, value } of latestEntries(file)) {
            placeOf(key.slice('/registry/'.length))
            readValue(value)
            entries++
          }
          expect(entries <= changes.length, () => `${entries} entries of ${changes.length} changes`)
          return 'accepted'
        } catch (error) {
          if (error instanceof DamagedFile) return 'refused'
          throw error
        }
      },
    }
  },
})

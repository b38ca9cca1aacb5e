import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeProtobuf, isRawNumber, MalformedProtobuf, openEnvelope, protobufMessage } from '@strata/api'
import { integer, pick, type Random } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { readProtobufCaptures } from './protobuf-captures.ts'

// Damaged bodies are decoded or refused: nothing else happens.

type Mutation = (bytes: number[], random: Random, other: readonly number[]) => void

const someByte = (random: Random): number => integer(random, 256)
const mutations: Readonly<Record<string, Mutation>> = {
  'a bit flipped': (bytes, random) => {
    const at = integer(random, bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << integer(random, 8))
  },
  'a byte replaced': (bytes, random) => {
    bytes[integer(random, bytes.length)] = someByte(random)
  },
  'bytes cut off': (bytes, random) => {
    bytes.length = integer(random, bytes.length)
  },
  'bytes taken out': (bytes, random) => {
    bytes.splice(integer(random, bytes.length), 1 + integer(random, 8))
  },
  'bytes put in': (bytes, random) => {
    bytes.splice(integer(random, bytes.length), 0, ...Array.from({ length: 6 }, () => someByte(random)))
  },
  'a part repeated': (bytes, random) => {
    const at = integer(random, bytes.length)
    bytes.splice(at, 0, ...bytes.slice(at, at + 1 + integer(random, 60)))
  },
  'another wire type': (bytes, random) => {
    const at = integer(random, bytes.length)
    bytes[at] = ((bytes[at] ?? 0) & ~7) | integer(random, 8)
  },
  'a varint that is too long': (bytes, random) => {
    bytes.splice(integer(random, bytes.length), 0, ...Array<number>(5 + integer(random, 8)).fill(0xff))
  },
  'groups within groups': (bytes, random) => {
    const ends = 200 - integer(random, 2)
    bytes.push(...Array<number>(200).fill(0x2b), ...Array<number>(ends).fill(0x2c))
  },
  'a part of another kind': (bytes, random, other) => {
    const at = integer(random, other.length)
    bytes.splice(integer(random, bytes.length), 0, ...other.slice(at, at + 40))
  },
  'a key with a meaning for JavaScript': (bytes, random) => {
    const entry = [0x12, 14, 0x0a, 9, ...Buffer.from('__proto__'), 0x12, 1, 0x78]
    bytes.splice(integer(random, bytes.length), 0, ...entry)
  },
}

const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes).toString())
  } catch {
    throw new MalformedProtobuf('not JSON')
  }
}

type Outcome = 'decoded' | 'refused'

function decode(bytes: Uint8Array): Outcome {
  try {
    const { apiVersion, kind, raw } = openEnvelope(bytes)
    const message = protobufMessage(apiVersion, kind)
    if (!message) return 'refused'
    checkPlain(decodeProtobuf(raw, message, parseJson))
    return 'decoded'
  } catch (error) {
    if (error instanceof MalformedProtobuf) return 'refused'
    throw error
  }
}

/** Every object has the default prototype: the input cannot replace it. */
function checkPlain(value: unknown): void {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return
  const wanted = Array.isArray(value) ? Array.prototype : Object.prototype
  assert.equal(Object.getPrototypeOf(value), wanted)
  for (const each of Object.values(value)) checkPlain(each)
}

const captures = readProtobufCaptures('protobuf').map(({ bodyBase64 }) => [
  ...Buffer.from(bodyBase64, 'base64'),
])
const roundsEach = 60 * Math.max(1, Number(process.env['STRATA_TEST_SCALE'] ?? 1))

for (const [name, mutate] of Object.entries(mutations)) {
  test(`protobuf: ${name} does no harm`, () => {
    const { random } = new Simulation(name).process('mutations')
    const seen: Record<Outcome, number> = { decoded: 0, refused: 0 }
    for (const capture of captures) {
      for (let round = 0; round < roundsEach; round++) {
        const bytes = [...capture]
        for (let times = 1 + integer(random, 3); times > 0 && bytes.length > 0; times--) {
          mutate(bytes, random, pick(random, captures as [number[], ...number[][]]))
        }
        try {
          seen[decode(Uint8Array.from(bytes))]++
        } catch (error) {
          const body = Buffer.from(bytes).toString('base64')
          throw new Error(`neither decoded nor refused: ${body}`, { cause: error })
        }
      }
    }
    // Otherwise the mutation would be too coarse to get past the envelope, or too fine to break anything.
    assert.ok(seen.refused > 0 && (seen.decoded > 0 || name === 'bytes cut off'), JSON.stringify(seen))
  })
}
